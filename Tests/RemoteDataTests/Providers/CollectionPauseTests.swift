import Testing

@testable import RemoteData

@Suite struct CollectionPauseTests {
    private typealias Provider = CollectionDataProvider<Song>

    private let jukebox = Jukebox()

    private func songs() async -> Provider {
        await jukebox.songs([Song("a"), Song("b"), Song("c")], key: "hits")
    }

    @Test func aPausedListStaysAsItIs() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        #expect(other.isPaused)
        one.append([Song("d")])
        jukebox.space.update(Song("a", 1))
        jukebox.space.delete(Song("b"))
        await jukebox.space.settled()
        #expect(other.data == [Song("a"), Song("b"), Song("c")])
        #expect(changes.events.isEmpty)
        #expect(one.data == [Song("a", 1), Song("c"), Song("d")])
    }

    @Test func afterwardsItIsToldOnceOfWhatHasChangedInTheEnd() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let heard = Heard<Int?>()
        other.isPaused = true
        one.append([Song("d")], context: ConsistencyContext(1))
        one.insert([Song("e")], at: 0, context: ConsistencyContext(2))
        one.remove(at: 4, context: ConsistencyContext(3))
        jukebox.space.update(Song("a", 1), context: ConsistencyContext(4))
        jukebox.space.delete(Song("b"), context: ConsistencyContext(5))
        await jukebox.space.settled()
        let changes = Heard<ListChange>()
        other.onChange { change, context in
            changes.note(change)
            heard.note(context[Int.self])
        }
        other.isPaused = false
        await jukebox.space.settled()
        #expect(other.data == [Song("e"), Song("a", 1), Song("c")])
        #expect(changes.events == [.changes([.delete(1), .insert(0), .update(1)])])
        #expect(heard.events == [5])
    }

    @Test func afterwardsItIsNotToldOfWhatIsAsItWas() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        one.append([Song("d")])
        one.remove(at: 3)
        jukebox.space.update(Song("a", 1))
        jukebox.space.update(Song("a"))
        await jukebox.space.settled()
        other.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func anotherListIsToldAsAReset() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        one.set([Song("x"), Song("y")], cacheKey: "hits")
        #expect(other.ids == ["a", "b", "c"])
        other.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events == [.reset])
        #expect(other.ids == ["x", "y"])
    }

    @Test func anEqualListIsNotTold() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        one.set([Song("x")], cacheKey: "hits")
        one.set([Song("a"), Song("b"), Song("c")], cacheKey: "hits")
        other.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func afterASetOfTheSameSomethingBetterThanAResetIsTold() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        one.set([Song("a"), Song("b"), Song("c")], cacheKey: "hits")
        one.append([Song("d")])
        other.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events == [.inserted(3)])
    }

    @Test func aListThatWasEmptyIsToldAsInsertions() async throws {
        let one = await jukebox.songs([], key: "hits")
        let other = try await jukebox.sibling("hits")
        let changes = other.changes()
        other.isPaused = true
        one.append([Song("a"), Song("b")])
        other.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.insert(0), .insert(1)])])
    }

    @Test func afterwardsItHearsAgain() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        other.isPaused = true
        other.isPaused = false
        one.remove(at: 0)
        await jukebox.space.settled()
        #expect(changes.events == [.deleted(0)])
    }

    @Test func anySubsetMayBePaused() async throws {
        for paused in 0..<8 {
            let jukebox = Jukebox()
            var providers = [await jukebox.songs([Song("a"), Song("b")], key: "hits")]
            for _ in 0..<2 { providers.append(try await jukebox.sibling("hits")) }
            let mirrors = providers.map { provider in
                let mirror = ListMirror()
                mirror.show(provider.data)
                provider.onChange { change, _ in mirror.apply(change) }
                return mirror
            }
            for (index, provider) in providers.enumerated() { provider.isPaused = paused & 1 << index != 0 }
            try await CollectionDataProvider.append(
                [Song("c"), Song("d")],
                cacheKey: "hits",
                in: jukebox.space
            )
            jukebox.space.update([Song("a", 1), Song("c", 1)])
            jukebox.space.delete(Song("b"))
            await jukebox.space.settled()
            for (index, provider) in providers.enumerated() {
                #expect(provider.ids == (paused & 1 << index != 0 ? ["a", "b"] : ["a", "c", "d"]))
                provider.isPaused = false
            }
            await jukebox.space.settled()
            for (provider, mirror) in zip(providers, mirrors) {
                #expect(provider.data == [Song("a", 1), Song("c", 1), Song("d")])
                #expect(mirror.check(provider.data) == nil)
            }
        }
    }

    @Test func allPausedTheListGoesOn() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        one.isPaused = true
        other.isPaused = true
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        let third = try await jukebox.sibling("hits")
        #expect(third.plays == [1, 0, 0])
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
    }

    // MARK: Own changes

    @Test func ownChangesShowWhilePaused() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let (own, changes) = (one.changes(), other.changes())
        one.isPaused = true
        one.insert([Song("d")], at: 1)
        one.update(Song("b", 2), at: 2)
        one.remove(at: 0)
        one.append([Song("e")])
        #expect(one.data == [Song("d"), Song("b", 2), Song("c"), Song("e")])
        #expect(other.data == one.data)
        await jukebox.space.settled()
        one.isPaused = false
        await jukebox.space.settled()
        #expect(own.events.isEmpty)
        // Together or one by one, as the delivery queue comes to it.
        let steps = changes.events.flatMap { change -> [ListChange.Step] in
            if case .changes(let steps) = change { steps } else { [] }
        }
        #expect(steps == [.insert(1), .update(2), .delete(0), .insert(3)])
    }

    @Test func aSetShowsWhilePaused() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let own = one.changes()
        one.isPaused = true
        jukebox.space.update(Song("a", 1))
        one.set([Song("x")], cacheKey: "hits")
        #expect(one.ids == ["x"])
        #expect(other.ids == ["x"])
        jukebox.space.update(Song("x", 5))
        await jukebox.space.settled()
        #expect(one.data == [Song("x")])
        one.isPaused = false
        await jukebox.space.settled()
        #expect(own.events == [.updated(0)])
    }

    @Test func ownChangesFindTheirPlaceInAListThatHasChanged() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        one.isPaused = true
        other.insert([Song("x"), Song("y")], at: 0)
        other.remove(at: 3)
        #expect(other.ids == ["x", "y", "a", "c"])
        one.update(Song("c", 3), at: 2)
        one.insert([Song("d")], at: 2)
        #expect(other.ids == ["x", "y", "a", "d", "c"])
        one.remove(at: 0)
        #expect(one.ids == ["b", "d", "c"])
        #expect(other.data == [Song("x"), Song("y"), Song("d"), Song("c", 3)])
        let own = one.changes()
        one.isPaused = false
        await jukebox.space.settled()
        #expect(one.data == other.data)
        #expect(own.events == [.changes([.delete(0), .insert(0), .insert(1)])])
    }

    @Test func anAppendWhilePausedGoesBehindTheLastThatIsThere() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        one.isPaused = true
        other.set([Song("x"), Song("y")], cacheKey: "hits")
        one.append([Song("d")])
        #expect(one.ids == ["a", "b", "c", "d"])
        #expect(other.ids == ["x", "y", "d"])
        one.isPaused = false
        #expect(one.ids == ["x", "y", "d"])
    }

    @Test func whatIsGoneForOthersMayBeRemovedWhilePaused() async throws {
        let (one, other) = (await songs(), try await jukebox.sibling("hits"))
        let changes = other.changes()
        one.isPaused = true
        other.remove(at: 1)
        one.remove(at: 1)
        #expect(one.ids == ["a", "c"])
        await jukebox.space.settled()
        #expect(other.ids == ["a", "c"])
        #expect(changes.events.isEmpty)
    }

    // MARK: Keys and the cache

    @Test func whoeverIsPausedStaysSoWithAnotherKey() async throws {
        let (one, other) = (await songs(), await jukebox.songs([Song("x")], key: "more"))
        one.isPaused = true
        one.set([Song("y")], cacheKey: "more")
        #expect(one.isPaused)
        other.append([Song("z")])
        await jukebox.space.settled()
        #expect(one.ids == ["y"])
        #expect(other.ids == ["y", "z"])
        one.isPaused = false
        #expect(one.ids == ["y", "z"])
    }

    @Test func theCacheIsReadWhilePaused() async throws {
        try await jukebox.store([Song("a", 1)], key: "hits")
        let provider = Provider(jukebox.space)
        provider.isPaused = true
        #expect(try await provider.fetchFromCache("hits") == [Song("a", 1)])
        #expect(provider.data == [Song("a", 1)])
        #expect(provider.isPaused)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.plays == [1])
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.plays == [2])
    }
}
