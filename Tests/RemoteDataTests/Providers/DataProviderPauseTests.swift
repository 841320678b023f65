import Testing

@testable import RemoteData

@Suite struct DataProviderPauseTests {
    private let jukebox = Jukebox()

    @Test func aPausedProviderStaysAsItIs() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.isPaused = true
        #expect(provider.isPaused)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
        #expect(changes.events.isEmpty)
    }

    @Test func afterwardsItIsToldOnceOfWhatHasChangedInTheEnd() async {
        let provider = await jukebox.song(Song("a", 1))
        let (changes, contexts) = (provider.changes(), Heard<Int?>())
        provider.isPaused = true
        for plays in 2..<5 { jukebox.space.update(Song("a", plays), context: ConsistencyContext(plays)) }
        await jukebox.space.settled()
        provider.onChange { [weak provider] context in
            changes.note(provider?.data)
            contexts.note(context[Int.self])
        }
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events == [Song("a", 4)])
        #expect(contexts.events == [4])
        #expect(!provider.isPaused)
    }

    @Test func afterwardsItIsNotToldOfWhatIsAsItWas() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.isPaused = true
        jukebox.space.update(Song("a", 2))
        jukebox.space.update(Song("a", 1))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func afterwardsADeletedModelIsGone() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.isPaused = true
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(changes.events == [nil])
    }

    @Test func afterwardsItHearsAgain() async {
        let provider = await jukebox.song(Song("a", 1))
        provider.isPaused = true
        provider.isPaused = false
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
    }

    @Test func itCanBeSetWhilePaused() async {
        let (provider, other) = (await jukebox.song(Song("a", 1)), await jukebox.song(Song("a", 1)))
        let changes = provider.changes()
        provider.isPaused = true
        provider.set(Song("a", 2))
        #expect(provider.data == Song("a", 2))
        #expect(provider.isPaused)
        await jukebox.space.settled()
        #expect(other.data == Song("a", 2))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
        #expect(changes.events.isEmpty)
    }

    @Test func anotherModelSetWhilePausedIsKept() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.isPaused = true
        jukebox.space.update(Song("a", 2))
        provider.set(Song("b", 1))
        jukebox.space.update(Song("b", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 1))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 2))
        #expect(changes.events == [Song("b", 2)])
    }

    @Test func theCacheIsReadWhilePaused() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        provider.isPaused = true
        try await provider.fetchFromCache(.song("a"))
        #expect(provider.data == Song("a", 1))
    }

    @Test func whatWasFetchedWhilePausedIsBroughtUpToDateAfterwards() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        provider.isPaused = true
        try await provider.fetchFromCache(.song("a"))
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
    }

    @Test func whatOthersHoldIsNotTakenWhilePaused() async throws {
        let other = await jukebox.song()
        other.set(Song("a", 2), updateCache: false)
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        let changes = provider.changes()
        provider.isPaused = true
        try await provider.fetchFromCache(.song("a"))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
        #expect(changes.events.isEmpty)
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
    }

    @Test func pausingTwiceIsPausingOnce() async {
        let provider = await jukebox.song(Song("a", 1))
        provider.isPaused = true
        jukebox.space.update(Song("a", 2))
        provider.isPaused = true
        provider.isPaused = false
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
    }

    @Test func whatIsPutTogetherWhilePausedIsCached() async throws {
        let provider = await jukebox.song(Song("a", 1, by: Singer("s", "Sam")))
        provider.isPaused = true
        jukebox.space.update(Song("a", 2, by: Singer("s", "Sam")))
        provider.set(Song("a", 1, by: Singer("s", "Sue")))
        await jukebox.space.settled()
        let cached = try await jukebox.cachedSong("a")
        #expect(cached == Song("a", 2, by: Singer("s", "Sue")))
    }
}
