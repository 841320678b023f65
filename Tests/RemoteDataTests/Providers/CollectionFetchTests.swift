import Testing

@testable import RemoteData

@Suite struct CollectionFetchTests {
    private let jukebox = Jukebox()

    @Test func aListOfTheCacheIsThere() async throws {
        try await jukebox.store([Song("a", 1), Song("b", 2)], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        #expect(try await provider.fetchFromCache("hits") == [Song("a", 1), Song("b", 2)])
        #expect(provider.data == [Song("a", 1), Song("b", 2)])
        #expect(provider.cacheKey == "hits")
    }

    @Test func whatWasFetchedIsHeardOf() async throws {
        try await jukebox.store([Song("a", 1), Song("b", 2)], key: "hits")
        let provider = try await jukebox.sibling("hits")
        let changes = provider.changes()
        jukebox.space.update(Song("b", 3))
        await jukebox.space.settled()
        #expect(changes.events == [.updated(1)])
    }

    @Test func aListThatIsNotThereIsNil() async throws {
        let provider = CollectionDataProvider<Song>(jukebox.space)
        #expect(try await provider.fetchFromCache("hits") == nil)
        #expect(provider.data.isEmpty)
        #expect(provider.cacheKey == "hits")
    }

    @Test func anEmptyListIsNotNil() async throws {
        try await jukebox.store([], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        #expect(try await provider.fetchFromCache("hits") == [])
    }

    @Test func afterAMissLaterWritesToTheKeyAreHeard() async throws {
        let provider = try await jukebox.sibling("hits")
        let changes = provider.changes()
        let other = await jukebox.songs([Song("a")], key: "hits")
        other.append([Song("b")])
        await jukebox.space.settled()
        #expect(provider.ids == ["a", "b"])
        #expect(changes.events == [.reset, .inserted(1)])
    }

    @Test func afterAMissTheListMayBeThere() async throws {
        let provider = try await jukebox.sibling("hits")
        try await jukebox.store([Song("a")], key: "hits")
        #expect(try await provider.fetchFromCache("hits") == [Song("a")])
        #expect(provider.ids == ["a"])
    }

    @Test func afterAFailureTheListMayBeThere() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        jukebox.cache.failReads()
        let error = await #expect(throws: RemoteDataError.self) { try await provider.fetchFromCache("hits") }
        #expect(error?.code == .storage)
        jukebox.cache.failReads(false)
        #expect(try await provider.fetchFromCache("hits") == [Song("a")])
    }

    @Test func somethingElseInTheListIsAnErrorThatSaysSo() async throws {
        try await jukebox.cache.write([.list("hits", [.data(try CacheCoding.encoded(["no": "song"]))])])
        let provider = CollectionDataProvider<Song>(jukebox.space)
        let error = await #expect(throws: RemoteDataError.self) { try await provider.fetchFromCache("hits") }
        #expect(error?.code == .invalidModel)
        #expect(error?.message == "The cache has something else than a Song.")
        #expect(provider.data.isEmpty)
    }

    @Test func aListThatSomebodyHasIsPreferredToTheCache() async throws {
        let other = CollectionDataProvider<Song>(jukebox.space)
        other.set([Song("a", 2)], cacheKey: "hits", updateCache: false)
        try await jukebox.store([Song("b")], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        #expect(try await provider.fetchFromCache("hits") == [Song("a", 2)])
        #expect(jukebox.cache.reads == 0)
    }

    @Test func aFetchOfAnotherKeyTakesTheOtherList() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        try await jukebox.store([Song("b")], key: "more")
        let provider = try await jukebox.sibling("hits")
        #expect(try await provider.fetchFromCache("more") == [Song("b")])
        #expect(provider.cacheKey == "more")
    }

    // MARK: Races

    @Test func whatIsSetWhileTheCacheLoadsWins() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        jukebox.cache.hold()
        let fetched = Task.immediate { try await provider.fetchFromCache("hits") }
        provider.set([Song("b")], cacheKey: "hits")
        jukebox.cache.letGo()
        #expect(try await fetched.value == [Song("b")])
        await jukebox.space.settled()
        #expect(provider.data == [Song("b")])
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
    }

    @Test func whatASiblingSetsWhileTheCacheLoadsWins() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        jukebox.cache.hold()
        let fetched = Task.immediate { try await provider.fetchFromCache("hits") }
        let sibling = CollectionDataProvider<Song>(jukebox.space)
        sibling.set([Song("b")], cacheKey: "hits")
        jukebox.cache.letGo()
        #expect(try await fetched.value == [Song("b")])
        #expect(provider.data == [Song("b")])
    }

    @Test func whatIsSetOnAMissWhileTheCacheLoadsIsTheResult() async throws {
        let provider = CollectionDataProvider<Song>(jukebox.space)
        jukebox.cache.hold()
        let fetched = Task.immediate { try await provider.fetchFromCache("hits") }
        provider.set([Song("b")], cacheKey: "hits", updateCache: false)
        jukebox.cache.letGo()
        #expect(try await fetched.value == [Song("b")])
    }

    @Test func anotherKeySetWhileTheCacheLoadsWins() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        jukebox.cache.hold()
        let fetched = Task.immediate { try await provider.fetchFromCache("hits") }
        provider.set([Song("b")], cacheKey: "more")
        jukebox.cache.letGo()
        _ = try await fetched.value
        await jukebox.space.settled()
        #expect(provider.data == [Song("b")])
        #expect(provider.cacheKey == "more")
        #expect(try await jukebox.cachedIDs("hits") == ["a"])
    }

    @Test func ofTwoFetchesTheLaterOneWins() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        try await jukebox.store([Song("b")], key: "more")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        let first = Task.immediate { try await provider.fetchFromCache("hits") }
        let second = Task.immediate { try await provider.fetchFromCache("more") }
        _ = try await first.value
        #expect(try await second.value == [Song("b")])
        #expect(provider.data == [Song("b")])
    }

    @Test func bothOfTwoSiblingsThatFetchHaveTheList() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let (one, other) = (
            CollectionDataProvider<Song>(jukebox.space), CollectionDataProvider<Song>(jukebox.space)
        )
        let (first, second) = (
            Task.immediate { try await one.fetchFromCache("hits") },
            Task.immediate { try await other.fetchFromCache("hits") }
        )
        #expect(try await first.value == [Song("a")])
        #expect(try await second.value == [Song("a")])
        #expect(one.data == other.data)
    }

    @Test func aListOlderThanWhatOthersHoldIsBroughtUpToDate() async throws {
        let single = DataProvider<Song>(jukebox.space)
        single.set(Song("b", 5), updateCache: false)
        await jukebox.space.settled()
        try await jukebox.store([Song("a"), Song("b", 1), Song("c", by: Singer("s"))], key: "hits")
        let provider = CollectionDataProvider<Song>(jukebox.space)
        let changes = provider.changes()
        try await provider.fetchFromCache("hits")
        await jukebox.space.settled()
        #expect(provider.plays == [0, 5, 0])
        #expect(changes.events == [.updated(1)])
        #expect(single.data == Song("b", 5))
        #expect(try await jukebox.cachedSong("b") == Song("b", 5))
    }

    @Test func aFetchTellsNobodyWhoHoldsNewerModels() async throws {
        let single = DataProvider<Song>(jukebox.space)
        single.set(Song("a", 5), updateCache: false)
        let told = single.changes()
        try await jukebox.store([Song("a", 1)], key: "hits")
        _ = try await jukebox.sibling("hits")
        #expect(told.events.isEmpty)
    }

    // MARK: Completions

    @Test func theCompletionIsCalledOnceWhetherItIsThereOrNot() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let results = Heard<[String?]?>()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        for key in ["hits", "hits", "none"] {
            await withCheckedContinuation { continuation in
                provider.fetchFromCache(key) { result in
                    results.note((try? result.get())?.map(\.id))
                    continuation.resume()
                }
            }
        }
        await jukebox.space.settled()
        #expect(results.events == [["a"], ["a"], nil])
    }
}
