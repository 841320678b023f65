import Testing

@testable import RemoteData

/// Providers with one cache key.
@Suite struct CollectionSiblingTests {
    private typealias Provider = CollectionDataProvider<Song>

    private let jukebox = Jukebox()

    /// Two providers of the songs `a`, `b` and `c`.
    private func siblings() async throws -> (Provider, Provider) {
        let one = await jukebox.songs([Song("a"), Song("b"), Song("c")], key: "hits")
        return (one, try await jukebox.sibling("hits"))
    }

    // MARK: Every operation

    @Test func aSetIsThereAtOnceAndToldAsAReset() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        one.set([Song("d")], cacheKey: "hits")
        #expect(other.ids == ["d"])
        await jukebox.space.settled()
        #expect(changes.events == [.reset])
    }

    @Test func aSetOfTheSameIsNoChange() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        one.set([Song("a"), Song("b"), Song("c")], cacheKey: "hits")
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
        jukebox.space.update(Song("b", 1))
        await jukebox.space.settled()
        #expect(changes.events == [.updated(1)])
    }

    @Test func anInsertIsThereAtOnceAndTold() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        one.insert([Song("d"), Song("e")], at: 1)
        #expect(other.ids == ["a", "d", "e", "b", "c"])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.insert(1), .insert(2)])])
    }

    @Test func anAppendIsThereAtOnceAndTold() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        one.append([Song("d"), Song("e")])
        #expect(other.ids == ["a", "b", "c", "d", "e"])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.insert(3), .insert(4)])])
    }

    @Test func anUpdateIsThereAtOnceAndToldOnce() async throws {
        let (one, other) = try await siblings()
        let (own, changes) = (one.changes(), other.changes())
        one.update(Song("b", 5), at: 1)
        #expect(other.plays == [0, 5, 0])
        await jukebox.space.settled()
        #expect(changes.events == [.updated(1)])
        #expect(own.events.isEmpty)
    }

    @Test func aRemovalIsThereAtOnceAndTold() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        one.remove(at: 1)
        #expect(other.ids == ["a", "c"])
        await jukebox.space.settled()
        #expect(changes.events == [.deleted(1)])
    }

    @Test func aChangeElsewhereIsToldToAllOfThem() async throws {
        let (one, other) = try await siblings()
        let changes = [one.changes(), other.changes()]
        jukebox.space.update([Song("a", 1), Song("c", 3)])
        jukebox.space.delete(Song("b"))
        await jukebox.space.settled()
        for changes in changes {
            #expect(changes.events == [.changes([.update(2), .update(0)]), .deleted(1)])
        }
        #expect(one.data == [Song("a", 1), Song("c", 3)])
        #expect(other.data == one.data)
    }

    @Test func whatIsSaidWithAChangeIsPassedOn() async throws {
        let (one, other) = try await siblings()
        let contexts = Heard<Int?>()
        other.onChange { _, context in contexts.note(context[Int.self]) }
        one.insert([Song("d")], at: 0, context: ConsistencyContext(1))
        await jukebox.space.settled()
        one.append([Song("e")], context: ConsistencyContext(2))
        await jukebox.space.settled()
        one.update(Song("f"), at: 0, context: ConsistencyContext(3))
        await jukebox.space.settled()
        one.remove(at: 0, context: ConsistencyContext(4))
        await jukebox.space.settled()
        one.set([Song("g")], cacheKey: "hits", context: ConsistencyContext(5))
        await jukebox.space.settled()
        #expect(contexts.events == [1, 2, 3, 4, 5])
    }

    @Test func theyTakeTurns() async throws {
        let (one, other) = try await siblings()
        one.append([Song("d")])
        other.append([Song("e")])
        one.remove(at: 0)
        other.update(Song("x"), at: 0)
        #expect(one.ids == ["x", "c", "d", "e"])
        #expect(other.data == one.data)
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["x", "c", "d", "e"])
    }

    // MARK: Change lists

    @Test func changesToldOneAfterAnotherGiveTheList() async throws {
        let (one, other) = try await siblings()
        let mirror = ListMirror()
        mirror.show(other.data)
        other.onChange { change, _ in mirror.apply(change) }
        one.remove(at: 0)
        one.insert([Song("d"), Song("e")], at: 1)
        one.update(Song("c", 4), at: 3)
        one.append([Song("f")])
        jukebox.space.delete(Song("e"))
        jukebox.space.update(Song("f", 8))
        await jukebox.space.settled()
        #expect(mirror.check(other.data) == nil)
    }

    @Test func aTableThatReloadsAtAResetHasTheListInTheEnd() async throws {
        let (one, other) = try await siblings()
        let rows = Heard<Int>()
        other.onChange { [weak other] change, _ in
            let shown = rows.events.last ?? 3
            rows.note(change.countChange.map { shown + $0 } ?? other?.count ?? 0)
        }
        one.set([Song("d"), Song("e")], cacheKey: "hits")
        // What is read at a reset may have later changes in it, which are told again.
        await jukebox.space.settled()
        #expect(rows.events == [2])
        one.append([Song("f")])
        await jukebox.space.settled()
        #expect(rows.events == [2, 3])
    }

    // MARK: Keys

    @Test func otherKeysAreOtherLists() async {
        let one = await jukebox.songs([Song("a")], key: "hits")
        let other = await jukebox.songs([Song("a")], key: "more")
        let changes = other.changes()
        one.append([Song("b")])
        one.remove(at: 0)
        await jukebox.space.settled()
        #expect(other.ids == ["a"])
        #expect(changes.events.isEmpty)
    }

    @Test func listsWithoutAKeyAreNotShared() async {
        let (one, other) = (await jukebox.songs([Song("a")]), await jukebox.songs([Song("a")]))
        one.append([Song("b")])
        #expect(other.ids == ["a"])
    }

    @Test func otherSpacesAreOtherLists() async {
        let one = await jukebox.songs([Song("a")], key: "hits")
        let other = await Jukebox().songs([Song("a")], key: "hits")
        one.append([Song("b")])
        #expect(other.ids == ["a"])
    }

    @Test func whoeverTakesAnotherKeyLeaves() async throws {
        let (one, other) = try await siblings()
        let changes = other.changes()
        other.set([Song("x")], cacheKey: "more")
        one.append([Song("d")])
        await jukebox.space.settled()
        #expect(other.ids == ["x"])
        #expect(one.ids == ["a", "b", "c", "d"])
        #expect(changes.events.isEmpty)
    }

    @Test func whoeverSetsAKeyJoins() async throws {
        let (one, _) = try await siblings()
        let (changes, third) = (one.changes(), Provider(jukebox.space))
        third.set([Song("x")], cacheKey: "hits")
        #expect(one.ids == ["x"])
        await jukebox.space.settled()
        #expect(changes.events == [.reset])
    }

    // MARK: Letting go

    @Test func theListStaysAsLongAsSomebodyHasIt() async throws {
        var one: Provider? = await jukebox.songs([Song("a")], key: "hits")
        let other = try await jukebox.sibling("hits")
        one?.append([Song("b")])
        one = nil
        #expect(other.ids == ["a", "b"])
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(other.plays == [1, 0])
    }

    @Test func whoeverIsGoneIsNotTold() async throws {
        let one = await jukebox.songs([Song("a")], key: "hits")
        var other: Provider? = try await jukebox.sibling("hits")
        let changes = other?.changes()
        one.append([Song("b")])
        other = nil
        one.append([Song("c")])
        await jukebox.space.settled()
        #expect(changes.map { $0.events.count <= 1 } == true)
    }

    @Test func aListIsCachedThoughItsOnlyProviderIsGone() async throws {
        jukebox.cache.hold()
        var provider: Provider? = Provider(jukebox.space)
        provider?.set([Song("x")], cacheKey: "other")
        await jukebox.cache.isWaiting()
        provider?.set([Song("a"), Song("b")], cacheKey: "hits")
        provider = nil
        jukebox.cache.letGo()
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["a", "b"])
    }

    @Test func aListOfANewProviderIsCachedThoughAnEarlierOneIsGone() async throws {
        jukebox.cache.hold()
        var first: Provider? = Provider(jukebox.space)
        first?.set([Song("x")], cacheKey: "other")
        await jukebox.cache.isWaiting()
        first?.set([Song("a")], cacheKey: "hits")
        first = nil
        let second = Provider(jukebox.space)
        second.set([Song("b")], cacheKey: "hits")
        jukebox.cache.letGo()
        await jukebox.space.settled()
        #expect(try await jukebox.cachedIDs("hits") == ["b"])
    }
}
