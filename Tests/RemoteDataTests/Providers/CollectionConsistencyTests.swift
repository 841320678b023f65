import Testing

@testable import RemoteData

/// Lists whose models change elsewhere.
@Suite struct CollectionConsistencyTests {
    private let jukebox = Jukebox()

    @Test func aModelThatChangesElsewhereIsTold() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let changes = provider.changes()
        let other = await jukebox.song(Song("b"))
        other.set(Song("b", 2))
        await jukebox.space.settled()
        #expect(changes.events == [.updated(1)])
        #expect(provider.plays == [0, 2])
    }

    @Test func aModelOfAListChangesElsewhere() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let (one, list) = (await jukebox.song(Song("b")), await jukebox.songs([Song("b")]))
        provider.update(Song("b", 2), at: 1)
        await jukebox.space.settled()
        #expect(one.data == Song("b", 2))
        #expect(list.plays == [2])
    }

    @Test func anEqualModelIsNoChange() async {
        let provider = await jukebox.songs([Song("a", 1)])
        let changes = provider.changes()
        jukebox.space.update(Song("a", 1))
        jukebox.space.update(Song("b", 1))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func aPartThatChangesUpdatesAllModelsThatHaveIt() async {
        let provider = await jukebox.songs([
            Song("a", 1, by: Singer("s")), Song("b", 1, by: Singer("t")), Song("c", 1, with: Singer("s")),
        ])
        let changes = provider.changes()
        jukebox.space.update(Singer("s", "Nina"))
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.update(2), .update(0)])])
        #expect(provider[0].singer.name == "Nina")
        #expect(provider[2].guest?.name == "Nina")
    }

    @Test func twoUpdatesOfOneChangeAreToldAtOnceFromTheLastToTheFirst() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("c")])
        let changes = provider.changes()
        jukebox.space.update([Song("a", 1), Song("c", 3)])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.update(2), .update(0)])])
        #expect(provider.plays == [1, 0, 3])
    }

    @Test func twoDeletionsOfOneChangeAreToldAtOnceFromTheLastToTheFirst() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("c")])
        let changes = provider.changes()
        jukebox.space.consistency.update([], deleting: [.song("a"), .song("c")])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.delete(2), .delete(0)])])
        #expect(provider.ids == ["b"])
    }

    @Test func updatesAndDeletionsOfOneChangeAreToldAtOnce() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("c"), Song("d")])
        let changes = provider.changes()
        jukebox.space.consistency.update([Song("a", 1), Song("d", 4)], deleting: [.song("b")])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.update(3), .delete(1), .update(0)])])
        #expect(provider.data == [Song("a", 1), Song("c"), Song("d", 4)])
    }

    @Test func allRowsWithAnIDChangeTogether() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("a")])
        let changes = provider.changes()
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.update(2), .update(0)])])
        #expect(provider.plays == [1, 0, 1])
    }

    // MARK: Own changes and other rows

    @Test func anUpdateReachesOtherRowsWithThisID() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("a")])
        let changes = provider.changes()
        provider.update(Song("a", 5), at: 0)
        await jukebox.space.settled()
        #expect(changes.events == [.updated(2)])
        #expect(provider.plays == [5, 0, 5])
    }

    @Test func anInsertedModelReachesOtherRowsWithThisID() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let changes = provider.changes()
        provider.insert([Song("b", 5)], at: 0)
        await jukebox.space.settled()
        #expect(changes.events == [.updated(2)])
        #expect(provider.plays == [5, 0, 5])
    }

    @Test func anAppendedModelReachesOtherRowsWithThisID() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let changes = provider.changes()
        provider.append([Song("a", 5)])
        await jukebox.space.settled()
        #expect(changes.events == [.updated(0)])
        #expect(provider.plays == [5, 0, 5])
    }

    @Test func aPartSetInOneRowReachesTheOthers() async {
        let provider = await jukebox.songs([Song("a", by: Singer("s")), Song("b", by: Singer("s"))])
        let changes = provider.changes()
        provider.update(Song("a", by: Singer("s", "Nina")), at: 0)
        await jukebox.space.settled()
        #expect(changes.events == [.updated(1)])
        #expect(provider[1].singer.name == "Nina")
    }

    @Test func insertedModelsAreHeardOf() async {
        let provider = await jukebox.songs([Song("a")])
        provider.insert([Song("b")], at: 0)
        provider.append([Song("c")])
        await jukebox.space.settled()
        let changes = provider.changes()
        jukebox.space.update([Song("b", 2), Song("c", 3)])
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.update(2), .update(0)])])
    }

    @Test func removedModelsAreHeardOfNoMore() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let changes = provider.changes()
        provider.remove(at: 0)
        jukebox.space.update(Song("a", 5))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
    }

    @Test func modelsOfTheListBeforeAreHeardOfNoMore() async {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        let changes = provider.changes()
        provider.set([Song("b")], cacheKey: "more")
        jukebox.space.update(Song("a", 5))
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(changes.events.isEmpty)
        #expect(provider.data == [Song("b")])
    }

    @Test func aRemovedModelStaysWhereverElseItIs() async {
        let (one, other) = (await jukebox.songs([Song("a")]), await jukebox.songs([Song("a")]))
        let single = await jukebox.song(Song("a"))
        one.remove(at: 0)
        await jukebox.space.settled()
        #expect(other.ids == ["a"])
        #expect(single.data == Song("a"))
    }

    // MARK: Deleting

    @Test func aModelDeletedElsewhereIsGone() async {
        let provider = await jukebox.songs([Song("a"), Song("b"), Song("a")])
        let changes = provider.changes()
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.delete(2), .delete(0)])])
        #expect(provider.ids == ["b"])
    }

    @Test func modelsGoWithAPartThatTheyCannotBeWithout() async {
        let provider = await jukebox.songs([
            Song("a", by: Singer("s")), Song("b", with: Singer("s")), Song("c", by: Singer("s")),
        ])
        let changes = provider.changes()
        jukebox.space.delete(Singer("s"))
        await jukebox.space.settled()
        #expect(changes.events == [.changes([.delete(2), .update(1), .delete(0)])])
        #expect(provider.data == [Song("b")])
    }

    @Test func aDeletedModelMayBeInsertedAgain() async {
        let provider = await jukebox.songs([Song("a")])
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        provider.append([Song("a", 1)])
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == [Song("a", 2)])
    }

    // MARK: What is not told yet

    @Test func anUpdateBeforeAChangeIsToldIsNewer() async {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a", 1, by: Singer("s", "old"))], cacheKey: nil)
        await jukebox.settle()
        jukebox.space.update(Singer("s", "new"))
        await jukebox.worked()
        provider.update(Song("a", 2, by: Singer("s", "old")), at: 0)
        await jukebox.settle()
        #expect(provider[0].plays == 2)
    }

    @Test func aChangeOfAModelThatWasReplacedMeanwhileIsToldNoMore() async {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a")], cacheKey: nil)
        await jukebox.settle()
        let changes = provider.changes()
        jukebox.space.update(Song("a", 1))
        await jukebox.worked()
        provider.update(Song("a", 2), at: 0)
        await jukebox.settle()
        #expect(changes.events.isEmpty)
        #expect(provider.plays == [2])
    }

    @Test func aChangeThatIsNotToldYetMissesARemovedModel() async {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a"), Song("b"), Song("c")], cacheKey: nil)
        await jukebox.settle()
        let changes = provider.changes()
        jukebox.space.update([Song("a", 1), Song("b", 2), Song("c", 3)])
        await jukebox.worked()
        provider.remove(at: 1)
        await jukebox.settle()
        #expect(changes.events == [.changes([.update(1), .update(0)])])
        #expect(provider.data == [Song("a", 1), Song("c", 3)])
    }

    @Test func aDeletionThatIsNotToldYetFindsAModelThatHasMoved() async {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a"), Song("b")], cacheKey: nil)
        await jukebox.settle()
        let changes = provider.changes()
        jukebox.space.delete(Song("a"))
        await jukebox.worked()
        provider.insert([Song("c")], at: 0)
        await jukebox.settle()
        #expect(changes.events == [.deleted(1)])
        #expect(provider.ids == ["c", "b"])
    }

    @Test func whatIsSaidWithAChangeIsPassedOn() async {
        let (one, other) = (await jukebox.songs([Song("a")]), await jukebox.songs([Song("a")]))
        let contexts = Heard<Int?>()
        other.onChange { _, context in contexts.note(context[Int.self]) }
        one.update(Song("a", 1), at: 0, context: ConsistencyContext(1))
        one.append([Song("a", 2)], context: ConsistencyContext(2))
        one.set([Song("a", 3)], cacheKey: nil, context: ConsistencyContext(3))
        jukebox.space.delete(Song("a"), context: ConsistencyContext(4))
        await jukebox.space.settled()
        #expect(contexts.events == [1, 2, 3, 4])
    }

    @Test func anotherTypesVersionOfAModelIsPutTogetherWithIt() async {
        let provider = await jukebox.songs([Song("a", 1, by: Singer("s"))])
        let changes = provider.changes()
        jukebox.space.update(PlayCount("a", 9), updateCache: false)
        await jukebox.space.settled()
        #expect(changes.events == [.updated(0)])
        #expect(provider[0] == Song("a", 9, by: Singer("s")))
    }

    @Test func aModelThatIsBackBeforeItsDeletionIsToldStaysInTheCache() async throws {
        let jukebox = ManualJukebox()
        let provider = CollectionDataProvider<Song>(jukebox.space)
        provider.set([Song("a", 1), Song("b", 1)], cacheKey: "hits")
        await jukebox.settle()
        jukebox.space.delete(Song("a"))
        provider.append([Song("a", 2)])
        provider.update(Song("a", 3), at: 0)
        await jukebox.settle()
        #expect(provider.data.map(\.id) == ["b", "a"])
        let cached = try await jukebox.space.cachedList("hits", of: Song.self)
        #expect(cached == provider.data)
    }
}
