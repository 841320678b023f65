import Testing

@testable import RemoteData

@Suite struct DataProviderTests {
    private let jukebox = Jukebox()

    // MARK: Setting

    @Test func aNewProviderHasNothing() async {
        let provider = await jukebox.song()
        #expect(provider.data == nil)
        #expect(provider.modelID == nil)
        #expect(!provider.isPaused)
    }

    @Test func whatIsSetIsThereAtOnce() async {
        let provider = await jukebox.song()
        provider.set(Song("a", 1))
        #expect(provider.data == Song("a", 1))
        #expect(provider.modelID == .song("a"))
    }

    @Test func whatIsSetIsCached() async throws {
        _ = await jukebox.song(Song("a", 1))
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
    }

    @Test func whatIsSetWithoutTheCacheIsNotCached() async throws {
        let provider = await jukebox.song()
        provider.set(Song("a", 1), updateCache: false)
        await jukebox.space.settled()
        #expect(try await jukebox.cachedSong("a") == nil)
        #expect(jukebox.cache.written.events.isEmpty)
    }

    @Test func aModelWithoutAnIDIsHeldAndNotCached() async {
        let provider = await jukebox.song(Song(nil, 1))
        #expect(provider.data == Song(nil, 1))
        #expect(provider.modelID == nil)
        #expect(jukebox.cache.written.events.isEmpty)
    }

    @Test func settingNothingDeletesNothing() async throws {
        let (one, other) = (await jukebox.song(Song("a", 1)), await jukebox.song(Song("a", 1)))
        let changes = other.changes()
        one.set(nil)
        #expect(one.data == nil)
        await jukebox.space.settled()
        #expect(one.data == nil)
        #expect(other.data == Song("a", 1))
        #expect(changes.events.isEmpty)
        #expect(try await jukebox.cachedSong("a") == Song("a", 1))
    }

    @Test func aProviderOfNothingHearsNothing() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.set(nil)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(changes.events.isEmpty)
    }

    @Test func aProviderWithoutACacheWorks() async throws {
        let space = ModelSpace()
        let provider = DataProvider<Song>(space)
        #expect(try await provider.fetchFromCache(.song("a")) == nil)
        provider.set(Song("a", 1))
        space.update(Song("a", 2))
        await space.settled()
        #expect(provider.data == Song("a", 2))
    }

    // MARK: Changes elsewhere

    @Test func aModelSetElsewhereIsTold() async {
        let (one, other) = (await jukebox.song(Song("a", 1)), await jukebox.song(Song("a", 1)))
        let changes = other.changes()
        one.set(Song("a", 2))
        await jukebox.space.settled()
        #expect(other.data == Song("a", 2))
        #expect(changes.events == [Song("a", 2)])
    }

    @Test func ownChangesAreNotTold() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.set(Song("a", 2))
        provider.set(Song("a", 3, by: Singer("s", "Nina")))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
        #expect(provider.data == Song("a", 3, by: Singer("s", "Nina")))
    }

    @Test func anEqualModelIsNoChange() async {
        let (one, other) = (await jukebox.song(Song("a", 1)), await jukebox.song(Song("a", 1)))
        let changes = other.changes()
        one.set(Song("a", 1))
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func anotherModelIsNoChange() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        jukebox.space.update(Song("b", 2))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func aPartThatChangesIsTold() async {
        let provider = await jukebox.song(Song("a", 1, by: Singer("s", "Nina")))
        let changes = provider.changes()
        jukebox.space.update(Singer("s", "Nina Simone"))
        await jukebox.space.settled()
        #expect(changes.events == [Song("a", 1, by: Singer("s", "Nina Simone"))])
        #expect(provider.data?.singer.name == "Nina Simone")
    }

    @Test func aPartSetInOneModelChangesInAnother() async {
        let one = await jukebox.song(Song("a", 1, by: Singer("s", "Nina")))
        let other = await jukebox.song(Song("b", 1, by: Singer("s", "Nina")))
        one.set(Song("a", 1, by: Singer("s", "Eunice")))
        await jukebox.space.settled()
        #expect(other.data == Song("b", 1, by: Singer("s", "Eunice")))
    }

    @Test func anotherTypesVersionOfAModelIsPutTogetherWithIt() async {
        let song = await jukebox.song(Song("a", 1, by: Singer("s", "Nina")))
        let count = DataProvider<PlayCount>(jukebox.space)
        count.set(PlayCount("a", 7), updateCache: false)
        await jukebox.space.settled()
        #expect(song.data == Song("a", 7, by: Singer("s", "Nina")))
        song.set(Song("a", 8))
        await jukebox.space.settled()
        #expect(count.data == PlayCount("a", 8))
    }

    @Test func whatIsSaidWithAChangeIsPassedOn() async {
        let (one, other) = (await jukebox.song(Song("a", 1)), await jukebox.song(Song("a", 1)))
        let contexts = Heard<Int?>()
        other.onChange { contexts.note($0[Int.self]) }
        one.set(Song("a", 2), context: ConsistencyContext(5))
        jukebox.space.update(Song("a", 3), context: ConsistencyContext(6))
        jukebox.space.delete(Song("a"), context: ConsistencyContext(7))
        await jukebox.space.settled()
        #expect(contexts.events == [5, 6, 7])
    }

    @Test func whatIsSetBeforeAChangeIsToldIsNewer() async {
        let jukebox = ManualJukebox()
        let provider = DataProvider<Song>(jukebox.space)
        provider.set(Song("a", 1, by: Singer("s", "Nina")))
        await jukebox.settle()
        jukebox.space.update(Singer("s", "Eunice"))
        await jukebox.worked()
        provider.set(Song("a", 2, by: Singer("s", "Simone")))
        await jukebox.settle()
        #expect(provider.data?.plays == 2)
        #expect(provider.data?.singer.name == "Simone")
    }

    /// Whoever set it knew the singer as she was before, and has not changed her.
    @Test func whatASetLeavesAsItWasStaysAsOthersHaveMadeIt() async {
        let jukebox = ManualJukebox()
        let provider = DataProvider<Song>(jukebox.space)
        provider.set(Song("a", 1, by: Singer("s", "Nina")))
        await jukebox.settle()
        jukebox.space.update(Singer("s", "Eunice"))
        await jukebox.worked()
        provider.set(Song("a", 2, by: Singer("s", "Nina")))
        await jukebox.settle()
        #expect(provider.data == Song("a", 2, by: Singer("s", "Eunice")))
    }

    // MARK: Deleting

    @Test func aModelDeletedElsewhereIsGone() async throws {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(changes.events == [nil])
        #expect(try await jukebox.cachedSong("a") == nil)
    }

    @Test func aPartThatMayBeMissingGoesAlone() async {
        let provider = await jukebox.song(Song("a", 1, with: Singer("g", "Guest")))
        jukebox.space.delete(Singer("g"))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 1))
    }

    @Test func aModelGoesWithAPartThatItCannotBeWithout() async {
        let provider = await jukebox.song(Song("a", 1, by: Singer("s")))
        let changes = provider.changes()
        jukebox.space.delete(Singer("s"))
        await jukebox.space.settled()
        #expect(provider.data == nil)
        #expect(changes.events == [nil])
    }

    @Test func aProviderWhoseModelWasDeletedCanBeSetAgain() async {
        let provider = await jukebox.song(Song("a", 1))
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        provider.set(Song("b", 1))
        jukebox.space.update(Song("b", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 2))
    }

    // MARK: Who is told

    @Test func theDelegateIsToldBeforeTheHandler() async {
        let provider = await jukebox.song(Song("a", 1))
        let order = Heard<String>()
        let delegate = NotingDelegate(order)
        provider.delegate = delegate
        provider.onChange { _ in order.note("handler") }
        jukebox.space.update(Song("a", 2), context: ConsistencyContext(4))
        await jukebox.space.settled()
        #expect(order.events == ["model 4", "handler"])
    }

    @Test func theDelegateIsHeldWeakly() async {
        let provider = await jukebox.song(Song("a", 1))
        provider.delegate = NotingDelegate(Heard())
        #expect(provider.delegate == nil)
    }

    @Test func aHandlerTakenAwayIsNotCalled() async {
        let provider = await jukebox.song(Song("a", 1))
        let changes = provider.changes()
        provider.onChange(nil)
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
        #expect(provider.data == Song("a", 2))
    }
}
