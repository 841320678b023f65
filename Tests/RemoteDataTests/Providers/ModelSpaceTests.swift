import Testing

@testable import RemoteData

@Suite struct ModelSpaceTests {
    private let jukebox = Jukebox()

    private var space: ModelSpace { jukebox.space }

    @Test func anUpdateReachesEverybodyAndTheCache() async throws {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a")], key: "hits"))
        space.update(Song("a", 1))
        await space.settled()
        #expect(single.data == Song("a", 1))
        #expect(list.plays == [1])
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
    }

    @Test func severalUpdatesAtOnceAreOneCall() async throws {
        let single = await jukebox.song(Song("a", by: Singer("s")))
        let list = await jukebox.songs([Song("a"), Song("b")])
        let (calls, changes) = (single.changes(), list.changes())
        space.update([Song("a", 1, by: Singer("s", "Nina")), Song("b", 2)])
        await space.settled()
        #expect(calls.events == [Song("a", 1, by: Singer("s", "Nina"))])
        #expect(changes.events == [.changes([.update(1), .update(0)])])
        #expect(try await jukebox.cachedSong("b") == Song("b", 2))
    }

    @Test func ofSeveralVersionsTheLastCounts() async throws {
        let single = await jukebox.song(Song("a"))
        let calls = single.changes()
        space.update([Song("a", 1), Song("a", 2)])
        await space.settled()
        #expect(calls.events == [Song("a", 2)])
        #expect(try await jukebox.cachedSong("a") == Song("a", 2))
    }

    @Test func anUpdateWithoutTheCacheIsNotCached() async throws {
        space.update(Song("a", 1), updateCache: false)
        await space.settled()
        #expect(try await jukebox.cachedSong("a") == nil)
    }

    @Test func anUpdateOfNothingIsNoChange() async throws {
        space.update([Song]())
        await space.settled()
        #expect(jukebox.cache.written.events.isEmpty)
    }

    @Test func aDeletionReachesEverybodyAndTheCache() async throws {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a")], key: "hits"))
        space.delete(Song("a"))
        await space.settled()
        #expect(single.data == nil)
        #expect(list.data.isEmpty)
        #expect(try await jukebox.cachedSong("a") == nil)
        #expect(try await jukebox.cachedIDs("hits") == [])
    }

    @Test func aDeletionWithoutTheCacheLeavesTheModelThere() async throws {
        let single = await jukebox.song(Song("a", 1))
        space.delete(Song("a"), updateCache: false)
        await space.settled()
        #expect(single.data == nil)
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
    }

    @Test func aModelWithoutAnIDCannotBeDeleted() async {
        let delegate = FailureNotes()
        space.consistency.delegate = delegate
        space.delete(Song(nil))
        await space.settled()
        #expect(delegate.codes.events == [.invalidModel])
    }

    @Test func aModelIsCachedWithoutTellingAnybody() async throws {
        let single = await jukebox.song(Song("a"))
        let calls = single.changes()
        space.cache(Song("a", 1))
        space.cache(Song(nil, 2))
        await space.settled()
        #expect(calls.events.isEmpty)
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
        #expect(jukebox.cache.written.events == ["model song/a", "model song/a"])
    }

    @Test func whatThereIsNotInTheCacheIsNil() async throws {
        #expect(try await jukebox.cachedSong("a") == nil)
        #expect(try await jukebox.cachedIDs("hits") == nil)
        let space = ModelSpace()
        #expect(try await space.cachedModel(.song("a"), of: Song.self) == nil)
        #expect(try await space.cachedList("hits", of: Song.self) == nil)
    }

    @Test func aSpaceWithoutACacheTakesStaticChanges() async throws {
        let space = ModelSpace()
        let provider = CollectionDataProvider<Song>(space)
        try await provider.fetchFromCache("hits")
        try await CollectionDataProvider.append([Song("a")], cacheKey: "hits", in: space)
        #expect(provider.ids == ["a"])
    }

    @Test func itTellsWhereItIsToldTo() async {
        let jukebox = ManualJukebox()
        let provider = DataProvider<Song>(jukebox.space)
        provider.set(Song("a"))
        await jukebox.settle()
        let calls = provider.changes()
        jukebox.space.update(Song("a", 1))
        await jukebox.worked()
        #expect(calls.events.isEmpty)
        #expect(provider.data == Song("a"))
        await jukebox.tell()
        #expect(calls.events == [Song("a", 1)])
    }
}

/// Notes what a manager cannot do.
private final class FailureNotes: ConsistencyManagerDelegate {
    let codes = Heard<RemoteDataError.Code>()

    func consistencyManager(_ manager: ConsistencyManager, failedWith error: RemoteDataError) {
        codes.note(error.code)
    }
}
