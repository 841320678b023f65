import Testing

@testable import RemoteData

/// What is done to a list by its key.
@Suite struct CollectionStaticTests {
    private typealias Provider = CollectionDataProvider<Song>

    private let jukebox = Jukebox()

    private var space: ModelSpace { jukebox.space }

    // MARK: A list that somebody has

    @Test func anInsertReachesAllWhoHaveTheList() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        let changes = provider.changes()
        try await Provider.insert([Song("c"), Song("d")], cacheKey: "hits", in: space) { $0.count - 1 }
        #expect(provider.ids == ["a", "c", "d", "b"])
        await space.settled()
        #expect(changes.events == [.changes([.insert(1), .insert(2)])])
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c", "d", "b"])
    }

    @Test func anAppendReachesAllWhoHaveTheList() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        let changes = provider.changes()
        try await Provider.append([Song("c"), Song("d")], cacheKey: "hits", in: space)
        #expect(provider.ids == ["a", "c", "d"])
        await space.settled()
        #expect(changes.events == [.changes([.insert(1), .insert(2)])])
    }

    @Test func anUpdateReachesAllWhoHaveTheListAndTheModel() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        let (changes, single) = (provider.changes(), await jukebox.song(Song("b")))
        try await Provider.update(Song("b", 5), cacheKey: "hits", in: space) { songs in
            songs.firstIndex { $0.id == "b" }
        }
        #expect(provider.plays == [0, 5])
        await space.settled()
        #expect(changes.events == [.updated(1)])
        #expect(single.data == Song("b", 5))
    }

    @Test func aRemovalReachesAllWhoHaveTheList() async throws {
        let provider = await jukebox.songs([Song("a"), Song("b")], key: "hits")
        let changes = provider.changes()
        try await Provider.remove(cacheKey: "hits", in: space) { $0.firstIndex { $0.id == "a" } }
        #expect(provider.ids == ["b"])
        await space.settled()
        #expect(changes.events == [.deleted(0)])
    }

    @Test func noIndexIsNoChange() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        let changes = provider.changes()
        try await Provider.update(Song("b"), cacheKey: "hits", in: space) { _ in nil }
        try await Provider.remove(cacheKey: "hits", in: space) { _ in nil }
        await space.settled()
        #expect(provider.ids == ["a"])
        #expect(changes.events.isEmpty)
    }

    @Test func whatIsSaidWithAChangeIsPassedOn() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        let contexts = Heard<Int?>()
        provider.onChange { _, context in contexts.note(context[Int.self]) }
        try await Provider.insert([Song("b")], cacheKey: "hits", in: space, context: ConsistencyContext(1)) {
            _ in 0
        }
        await space.settled()
        try await Provider.append([Song("c")], cacheKey: "hits", in: space, context: ConsistencyContext(2))
        await space.settled()
        try await Provider.update(Song("d"), cacheKey: "hits", in: space, context: ConsistencyContext(3)) {
            _ in 0
        }
        await space.settled()
        try await Provider.remove(cacheKey: "hits", in: space, context: ConsistencyContext(4)) { _ in 0 }
        await space.settled()
        #expect(contexts.events == [1, 2, 3, 4])
    }

    // MARK: A list of the cache

    @Test func aListOfTheCacheIsChangedThere() async throws {
        try await jukebox.store([Song("a"), Song("b")], key: "hits")
        try await Provider.insert([Song("c")], cacheKey: "hits", in: space) { _ in 1 }
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c", "b"])
        try await Provider.append([Song("d")], cacheKey: "hits", in: space)
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "c", "b", "d"])
        try await Provider.update(Song("e"), cacheKey: "hits", in: space) { _ in 0 }
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["e", "c", "b", "d"])
        try await Provider.remove(cacheKey: "hits", in: space) { _ in 3 }
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["e", "c", "b"])
    }

    @Test func changesOneAfterAnotherAreAllInTheCache() async throws {
        for number in 0..<20 { try await Provider.append([Song("\(number)")], cacheKey: "hits", in: space) }
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == (0..<20).map { "\($0)" })
    }

    // MARK: A miss

    @Test func anAppendOnAMissMakesAList() async throws {
        let waiting = try await jukebox.sibling("hits")
        try await Provider.append([Song("a"), Song("b")], cacheKey: "hits", in: space)
        #expect(waiting.ids == ["a", "b"])
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "b"])
    }

    @Test func anAppendOnAMissIsInTheCacheThoughNobodyHasTheList() async throws {
        try await Provider.append([Song("a"), Song("b")], cacheKey: "hits", in: space)
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "b"])
        #expect(try await jukebox.sibling("hits").ids == ["a", "b"])
    }

    @Test func anInsertOnAMissMakesAList() async throws {
        try await Provider.insert([Song("a")], cacheKey: "hits", in: space) { $0.count }
        await space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a"])
    }

    @Test func aPlaceThatIsNotThereIsAnError() async throws {
        for key in ["miss", "hits"] {
            if key == "hits" { try await jukebox.store([Song("a")], key: key) }
            let count = key == "hits" ? 1 : 0
            var errors: [RemoteDataError?] = []
            errors.append(
                await #expect(throws: RemoteDataError.self) {
                    try await Provider.insert([Song("b")], cacheKey: key, in: space) { $0.count + 1 }
                }
            )
            errors.append(
                await #expect(throws: RemoteDataError.self) {
                    try await Provider.insert([Song("b")], cacheKey: key, in: space) { _ in -1 }
                }
            )
            errors.append(
                await #expect(throws: RemoteDataError.self) {
                    try await Provider.update(Song("b"), cacheKey: key, in: space) { $0.count }
                }
            )
            errors.append(
                await #expect(throws: RemoteDataError.self) {
                    try await Provider.remove(cacheKey: key, in: space) { $0.count }
                }
            )
            #expect(errors.allSatisfy { $0?.code == .outOfRange })
            #expect(errors.last??.message == "The list has \(count) models, and no place \(count).")
        }
        await space.settled()
        #expect(try await jukebox.cachedIDs("miss") == nil)
        #expect(try await jukebox.cachedIDs("hits") == ["a"])
    }

    @Test func aCacheThatFailsIsAnErrorAndNothingIsDone() async throws {
        jukebox.cache.failReads()
        let error = await #expect(throws: RemoteDataError.self) {
            try await Provider.append([Song("a")], cacheKey: "hits", in: space)
        }
        #expect(error?.code == .storage)
        jukebox.cache.failReads(false)
        await space.settled()
        #expect(jukebox.cache.written.events.isEmpty)
    }
}
