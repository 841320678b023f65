import Testing

@testable import RemoteData

@Suite struct DataProviderWaitTests {
    private let jukebox = Jukebox()

    @Test func aModelThatIsWaitedForIsTaken() async {
        let provider = await jukebox.song()
        let changes = provider.changes()
        provider.modelID = .song("a")
        #expect(provider.modelID == .song("a"))
        #expect(provider.data == nil)
        jukebox.space.update(Song("b", 5))
        jukebox.space.update(Song("a", 1))
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(changes.events.last == Song("a", 2))
        #expect(changes.events.count == 2)
        #expect(provider.data == Song("a", 2))
    }

    @Test func afterAMissTheModelIsHeardOf() async throws {
        let provider = await jukebox.song()
        let changes = provider.changes()
        try await provider.fetchFromCache(.song("a"))
        #expect(provider.modelID == .song("a"))
        let other = await jukebox.song(Song("a", 1))
        #expect(provider.data == Song("a", 1))
        other.set(Song("a", 2))
        await jukebox.space.settled()
        #expect(changes.events == [Song("a", 1), Song("a", 2)])
    }

    @Test func afterAMissNobodyWaitsWhereThatIsNotAskedFor() async throws {
        let provider = await jukebox.song()
        try await provider.fetchFromCache(.song("a"), waits: false)
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(provider.modelID == nil)
    }

    @Test func aDeletionIsWaitedThrough() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(provider.modelID == .song("a"))
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
    }

    @Test func whatComesAndGoesInAPauseIsNotWaitedForAnyMore() async {
        let provider = await jukebox.song()
        provider.isPaused = true
        provider.modelID = .song("a")
        jukebox.space.update(Song("a", 1))
        jukebox.space.delete(Song("a"))
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.modelID == nil)
    }

    @Test func whoHasNothingAnyMoreIsNotToldSoAgain() async {
        let provider = await jukebox.song(Song("a", 1))
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        let changes = provider.changes()
        for isPaused in [true, false, true, false] { provider.isPaused = isPaused }
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func aPartOfAnotherModelIsTakenToo() async {
        let provider = DataProvider<Singer>(jukebox.space)
        provider.modelID = .singer("s")
        jukebox.space.update(Song("a", 1, by: Singer("s", "Nina")))
        await jukebox.space.settled()
        #expect(provider.data == Singer("s", "Nina"))
    }

    @Test func anotherTypeWithThisIDIsNotTaken() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        jukebox.space.update(PlayCount("a", 1), updateCache: false)
        await jukebox.space.settled()
        #expect(provider.data == nil)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
    }

    @Test func theIDOfAModelThatIsThereCannotBeSet() async {
        let provider = await jukebox.song(Song("a", 1))
        provider.modelID = .song("b")
        #expect(provider.modelID == .song("a"))
        jukebox.space.update(Song("b", 5))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
    }

    @Test func whatIsSetIsNoLongerWaitedFor() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        provider.set(Song("b", 1))
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 1))
        provider.set(nil)
        #expect(provider.modelID == nil)
    }

    @Test func waitingForNothingEndsWaiting() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        provider.modelID = nil
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(provider.modelID == nil)
    }

    @Test func theLastIDIsWaitedFor() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        provider.modelID = .song("b")
        jukebox.space.update([Song("a", 1), Song("b", 2)])
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 2))
    }

    @Test func aModelThatCameAndWasDeletedIsNotWaitedForAnyMore() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        jukebox.space.update(Song("a", 1))
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(provider.modelID == nil)
    }

    @Test func aModelThatComesWhilePausedIsThereAfterwards() async {
        let provider = await jukebox.song()
        provider.modelID = .song("a")
        provider.isPaused = true
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
    }
}
