import Testing

@testable import RemoteData

/// What a space does with its cache.
@Suite struct ModelCacheTests {
    private let jukebox = Jukebox()

    private var space: ModelSpace { jukebox.space }

    // MARK: Order

    @Test func writesKeepTheirOrder() async throws {
        let provider = await jukebox.song()
        for plays in 0..<50 { provider.set(Song("a", plays)) }
        await space.settled()
        #expect(try await jukebox.cachedSong("a") == Song("a", 49))
        #expect(jukebox.cache.written.events.count == 50)
        #expect(jukebox.cache.overlaps == 0)
    }

    @Test func aReadSeesWhatWasWrittenBefore() async throws {
        jukebox.cache.hold()
        space.cache(Song("a", 1))
        let read = Task.immediate { try await jukebox.cachedSong("a") }
        space.cache(Song("a", 2))
        await jukebox.cache.isWaiting()
        jukebox.cache.letGo()
        #expect(try await read.value == Song("a", 1))
        #expect(try await jukebox.cachedSong("a") == Song("a", 2))
    }

    @Test func aModelDeletedAfterItWasWrittenIsGone() async throws {
        space.update(Song("a", 1))
        space.delete(Song("a"))
        await space.settled()
        #expect(try await jukebox.cachedSong("a") == nil)
        space.update(Song("a", 2))
        await space.settled()
        #expect(try await jukebox.cachedSong("a") == Song("a", 2))
    }

    @Test func aListIsWrittenOnceHoweverOftenItChangesMeanwhile() async throws {
        let provider = await jukebox.songs([], key: "hits")
        jukebox.cache.hold()
        space.cache(Song("x"))
        await jukebox.cache.isWaiting()
        for number in 0..<10 { provider.append([Song("\(number)")]) }
        jukebox.cache.letGo()
        await space.settled()
        #expect(jukebox.cache.written.events.count { $0.hasPrefix("list hits") } == 2)
        #expect(try await jukebox.cachedIDs("hits") == (0..<10).map { "\($0)" })
    }

    @Test func modelsAreWrittenBeforeTheListThatHasThem() async {
        _ = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        #expect(
            jukebox.cache.written.events == ["model song/a", "model song/b", "list hits: song/a song/b"]
        )
    }

    // MARK: What consistency changes

    @Test func aModelOfAListThatChangesElsewhereIsCachedAgain() async throws {
        let unnamed = await jukebox.songs([Song("b", by: Singer("s"))])
        let provider = await jukebox.songs([Song("a", by: Singer("s"))], key: "hits")
        space.update(Singer("s", "Nina"))
        await space.settled()
        #expect(try await space.cachedList("hits") == provider.data)
        #expect(try await jukebox.cachedSong("a")?.singer.name == "Nina")
        #expect(try await jukebox.cachedSong("b") == unnamed[0])
    }

    @Test func aModelThatChangesElsewhereIsCachedAgain() async throws {
        let provider = await jukebox.song(Song("a", by: Singer("s")))
        space.update(Singer("s", "Nina"))
        await space.settled()
        #expect(provider.data?.singer.name == "Nina")
        #expect(try await jukebox.cachedSong("a")?.singer.name == "Nina")
    }

    @Test func deletedModelsAreGoneFromCachedLists() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("a")], key: "hits")
        space.delete(Song("a"))
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
        #expect(provider.ids == ["b"])
    }

    @Test func modelsThatWentWithAPartAreGoneFromCachedLists() async throws {
        let provider = await jukebox.songs([Song("a", by: Singer("s")), Song("b")], key: "hits")
        space.delete(Singer("s"))
        await space.settled()
        #expect(provider.ids == ["b"])
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
    }

    @Test func deletedModelsAreGoneFromListsThatNobodyHas() async throws {
        try await jukebox.store([Song("a"), Song("b")], key: "hits")
        space.delete(Song("a"))
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
    }

    @Test func aDeletedModelThatComesAgainIsNotInTheListsItWasIn() async throws {
        try await jukebox.store([Song("a"), Song("b")], key: "hits")
        space.delete(Song("a"))
        space.update(Song("a", 1))
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
    }

    @Test func aModelDeletedBeforeAChangeOfItIsToldIsNotCachedAgain() async throws {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a")], cacheKey: "hits")
        await jukebox.settle()
        jukebox.space.update(Song("a", 1))
        jukebox.space.delete(Song("a"))
        await jukebox.settle()
        #expect(provider.data.isEmpty)
        #expect(try await jukebox.space.cachedModel(.song("a"), of: Song.self) == nil)
    }

    @Test func aChangeToldLateDoesNotReplaceANewerModelInTheCache() async throws {
        let jukebox = ManualJukebox()
        let (one, other) = (CollectionDataProvider<Song>(jukebox.space), DataProvider<Song>(jukebox.space))
        one.set([Song("a")], cacheKey: "hits")
        other.set(Song("a"))
        await jukebox.settle()
        jukebox.space.update(Song("a", 1))
        other.set(Song("a", 2))
        // Between the two changes it leaves the list.
        one.onChange { [weak one] _, _ in if one?.count == 1 { one?.remove(at: 0) } }
        await jukebox.settle()
        #expect(other.data == Song("a", 2))
        #expect(try await jukebox.space.cachedModel(.song("a")) == Song("a", 2))
    }

    // MARK: Errors

    @Test func aWriteThatFailsIsReportedAndKeepsNoOthersOut() async throws {
        let errors = Heard<RemoteDataError>()
        space.onCacheError { errors.note($0) }
        jukebox.cache.refuse { if case .model(.song("b"), _) = $0 { true } else { false } }
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("c")], key: "hits")
        #expect(errors.events.map(\.code) == [.storage])
        #expect(errors.events.first?.cause is GatedCache.Failure)
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c"])
        #expect(provider.count == 3)
        jukebox.cache.refuse { _ in false }
        provider.update(Song("b", 1), at: 1)
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "b", "c"])
    }

    @Test func aModelThatHasNoFormInTheCacheIsReported() async throws {
        let errors = Heard<RemoteDataError>()
        space.onCacheError { errors.note($0) }
        space.update([Fragile("a"), Fragile("b", isBroken: true), Fragile("c")])
        await space.settled()
        #expect(errors.events.map(\.code) == [.invalidModel])
        #expect(errors.events.first?.message == "A Fragile cannot be written to the cache.")
        #expect(try await space.cachedModel(ModelID("a", of: "fragile")) == Fragile("a"))
        #expect(try await space.cachedModel(ModelID("c", of: "fragile")) == Fragile("c"))
    }

    @Test func aModelThatHasNoFormInTheCacheKeepsNoOthersOfItsListOut() async throws {
        let errors = Heard<RemoteDataError>()
        space.onCacheError { errors.note($0) }
        let provider = CollectionDataProvider<Fragile>(space)
        provider.set([Fragile("a"), Fragile("b", isBroken: true), Fragile("c")], cacheKey: "list")
        await space.settled()
        #expect(errors.events.map(\.code) == [.invalidModel])
        #expect(try await space.cachedList("list") == [Fragile("a"), Fragile("c")])
    }

    @Test func nobodyNeedListenToErrors() async throws {
        jukebox.cache.refuse { _ in true }
        let provider = await jukebox.song(Song("a", 1))
        #expect(provider.data == Song("a", 1))
        jukebox.cache.refuse { _ in false }
        provider.set(Song("a", 2))
        #expect(try await jukebox.cachedSong("a") == Song("a", 2))
    }

    @Test func nullUnderAnIDIsAnErrorAndNotAMiss() async throws {
        try await jukebox.cache.write([.model(.song("a"), try CacheCoding.encoded(Int?.none))])
        let error = await #expect(throws: RemoteDataError.self) { try await jukebox.cachedSong("a") }
        #expect(error?.code == .invalidModel)
    }

    // MARK: The cache in memory

    @Test func theCacheInMemoryHasWhatWasWrittenLast() async throws {
        let cache = MemoryModelCache()
        let (one, two) = (try CacheCoding.encoded(Song("a", 1)), try CacheCoding.encoded(Song("a", 2)))
        #expect(try await cache.model(.song("a")) == nil)
        #expect(try await cache.list("hits") == nil)
        try await cache.write([.model(.song("a"), one), .list("hits", [.data(one), .model(.song("a"))])])
        try await cache.write([.model(.song("a"), two)])
        #expect(try await cache.model(.song("a")) == two)
        #expect(try await cache.list("hits") == [one, two])
        try await cache.write([.list("hits", []), .deleteModel(.song("a"))])
        #expect(try await cache.model(.song("a")) == nil)
        #expect(try await cache.list("hits") == [])
    }
}
