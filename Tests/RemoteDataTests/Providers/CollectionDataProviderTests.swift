import Testing

@testable import RemoteData

@Suite struct CollectionDataProviderTests {
    private let jukebox = Jukebox()

    @Test func aNewProviderHasAnEmptyList() {
        let provider = CollectionDataProvider<Song>(jukebox.space)
        #expect(provider.data.isEmpty)
        #expect(provider.count == 0)
        #expect(provider.cacheKey == nil)
        #expect(!provider.isPaused)
    }

    // MARK: Setting

    @Test func whatIsSetIsThereAtOnce() {
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a", 1), Song("b", 2)], cacheKey: "hits")
        #expect(Array(provider.data) == [Song("a", 1), Song("b", 2)])
        #expect(provider.count == 2)
        #expect(provider[1] == Song("b", 2))
        #expect(provider.cacheKey == "hits")
    }

    @Test func whatIsSetIsCached() async throws {
        let provider = await jukebox.songs([Song("a", 1), Song("b", 2)], key: "hits")
        #expect(try await jukebox.space.cachedList("hits") == provider.data)
        #expect(try await jukebox.cachedSong("b") == Song("b", 2))
    }

    @Test func whatIsSetWithoutTheCacheIsNotCached() async throws {
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a", 1)], cacheKey: "hits", updateCache: false)
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == nil)
        #expect(jukebox.cache.written.events.isEmpty)
    }

    @Test func aListWithoutAKeyIsNotCachedButItsModelsAre() async throws {
        _ = await jukebox.songs([Song("a", 1), Song(nil, 2)])
        #expect(jukebox.cache.written.events == ["model song/a"])
    }

    @Test func modelsWithoutIDsAreCachedInTheirList() async throws {
        let provider = await jukebox.songs([Song(nil, 1), Song("a", 2), Song(nil, 3)], key: "hits")
        #expect(try await jukebox.space.cachedList("hits") == provider.data)
    }

    @Test func anEmptyListIsCachedAsOne() async throws {
        _ = await jukebox.songs([], key: "hits")
        #expect(try await jukebox.cachedIDs("hits") == [])
    }

    @Test func anotherKeyIsAnotherList() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        provider.set([Song("b")], cacheKey: "more")
        await jukebox.space.settled()
        #expect(provider.cacheKey == "more")
        #expect(try await jukebox.cachedIDs("hits") == ["a"])
        #expect(try await jukebox.cachedIDs("more") == ["b"])
    }

    @Test func aKeyCanBeTakenAway() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        provider.set([Song("b")], cacheKey: nil)
        await jukebox.space.settled()
        #expect(provider.cacheKey == nil)
        #expect(provider.ids == ["b"])
        #expect(try await jukebox.cachedIDs("hits") == ["a"])
    }

    // MARK: Editing

    @Test func modelsAreInsertedAtAnIndex() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        provider.insert([Song("c"), Song("d")], at: 1)
        #expect(provider.ids == ["a", "c", "d", "b"])
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c", "d", "b"])
    }

    @Test func modelsAreInsertedAtBothEnds() async {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        provider.insert([Song("b")], at: 0)
        provider.insert([Song("c")], at: 2)
        #expect(provider.ids == ["b", "a", "c"])
    }

    @Test func modelsAreAppended() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        provider.append([Song("b", 1), Song("c")])
        #expect(provider.ids == ["a", "b", "c"])
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "b", "c"])
        #expect(try await jukebox.cachedSong("b") == Song("b", 1))
    }

    @Test func insertingNothingDoesNothing() async {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        let writes = jukebox.cache.written.events
        provider.insert([], at: 0)
        provider.append([])
        await jukebox.space.settled()
        #expect(provider.ids == ["a"])
        #expect(jukebox.cache.written.events == writes)
    }

    @Test func aModelIsUpdatedAtAnIndex() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        provider.update(Song("b", 5), at: 1)
        #expect(provider.plays == [0, 5])
        await jukebox.space.settled()
        #expect(try await jukebox.cachedSong("b") == Song("b", 5))
    }

    @Test func aModelIsUpdatedToOneWithAnotherID() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        provider.update(Song("c", 5), at: 0)
        #expect(provider.ids == ["c", "b"])
        jukebox.space.update([Song("a", 1), Song("c", 6)])
        await jukebox.space.settled()
        #expect(provider.plays == [6, 0])
        #expect(try await jukebox.cachedIDs("hits") == ["c", "b"])
    }

    @Test func aModelIsRemovedAtAnIndex() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("c")], key: "hits")
        provider.remove(at: 1)
        #expect(provider.ids == ["a", "c"])
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c"])
        #expect(try await jukebox.cachedSong("b") == Song("b"))
    }

    @Test func editsWithoutTheCacheAreNotCached() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        let writes = jukebox.cache.written.events
        provider.insert([Song("c")], at: 0, updateCache: false)
        provider.append([Song("d")], updateCache: false)
        provider.update(Song("e"), at: 1, updateCache: false)
        provider.remove(at: 0, updateCache: false)
        await jukebox.space.settled()
        #expect(provider.ids == ["e", "b", "d"])
        #expect(jukebox.cache.written.events == writes)
    }

    @Test func ownEditsAreNotTold() async {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        let changes = provider.changes()
        provider.insert([Song("c")], at: 0)
        provider.append([Song("d")])
        provider.update(Song("b", 3), at: 2)
        provider.remove(at: 1)
        provider.set([Song("b", 4)], cacheKey: "hits")
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    // MARK: Who is told

    @Test func theDelegateIsToldBeforeTheHandler() async {
        let provider = await jukebox.songs([Song("a")])
        let heard = Heard<String>()
        let delegate = NotingDelegate(heard)
        provider.delegate = delegate
        provider.onChange { _, context in heard.note("handler \(context[Int.self] ?? 0)") }
        jukebox.space.update(Song("a", 2), context: ConsistencyContext(4))
        await jukebox.space.settled()
        #expect(heard.events == ["list 4", "handler 4"])
    }

    @Test func theDelegateIsHeldWeakly() async {
        let provider = await jukebox.songs([Song("a")])
        provider.delegate = NotingDelegate(Heard())
        #expect(provider.delegate == nil)
    }

    @Test func aHandlerTakenAwayIsNotCalled() async {
        let provider = await jukebox.songs([Song("a")])
        let changes = provider.changes()
        provider.onChange(nil)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
        #expect(provider.plays == [2])
    }

    @Test func aCopyOfTheListDoesNotChange() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let before = provider.data
        provider.remove(at: 0)
        jukebox.space.update(Song("b", 5))
        await jukebox.space.settled()
        #expect(before == [Song("a"), Song("b")])
    }
}
