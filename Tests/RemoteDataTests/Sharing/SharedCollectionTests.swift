import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What is said of models, and written by others, shows in collections.
@Suite struct SharedCollectionTests {
    // MARK: By models

    @Test(arguments: [true, false]) func aModelThatIsSetElsewhereShowsInItsRow(isLive: Bool) async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: isLive)
        try await people.load()
        let ada = await town.provider(Neighbor("a", "Eve", 36, note: "new"))
        try await people.until(["Eve", "Bo", "Cy"])
        ada.set(Neighbor("a", "Eva", 36))
        try await people.until(["Eva", "Bo", "Cy"])
        #expect(people.loadedRow(at: 0)?.note == nil)
    }

    @Test func theSortAndTheClauseAreLookedAtAgain() async throws {
        let town = try await Town()
        let grown = try await town.collection(where: "age > 30", sort: "name")
        try await grown.load()
        try await grown.until(["Ada", "Cy"])
        town.space.update(Neighbor("a", "Zoe", 36))
        try await grown.until(["Cy", "Zoe"])
        town.space.update(Neighbor("a", "Zoe", 3))
        try await grown.until(["Cy"])
        town.space.update(Neighbor("b", "Bo", 60))
        try await grown.until(["Bo", "Cy"])
    }

    @Test func aModelThatIsDeletedElsewhereGoes() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        town.space.delete(Neighbor("b", "", 0))
        try await people.until(["Ada", "Cy"])
    }

    @Test func theTableHasTheLastWord() async throws {
        let town = try await Town()
        let people = try await town.collection(sort: "name")
        try await people.load()
        let ada = await town.provider(Neighbor("a", "Zoe", 36))
        try await people.until(["Bo", "Cy", "Zoe"])
        try await town.update("a", #"{"name":"Abe"}"#)
        try await people.until(["Abe", "Bo", "Cy"])
        try await eventually("the provider hears") { ada.data?.name == "Abe" }
    }

    @Test func whatWasSetBeforeTheTableSpokeDoesNotShowAfterwards() async throws {
        let queue = ManualQueue()
        let town = try await Town(delivery: queue.delivery)
        let people = try await town.collection()
        try await people.load()
        let ada = DataProvider<Neighbor>(town.space)
        ada.set(Neighbor("a", "Eve", 36))
        try await town.update("a", #"{"name":"Abe"}"#)
        try await people.until(["Abe", "Bo", "Cy"])
        try await eventually("the provider hears") {
            queue.runAll()
            return ada.data?.name == "Abe"
        }
        #expect(people.loadedNames == ["Abe", "Bo", "Cy"])
    }

    @Test func whatTheTableSaidBeforeDoesNotHideAModelThatIsSetAfterwards() async throws {
        let town = try await Town()
        let queue = ManualQueue()
        let people = try await town.collection(delivery: queue.delivery)
        async let loads: Void = people.load()
        try await eventually("it is live, and all is here") {
            queue.runAll()
            return people.state.withLock { $0.core.isLive && $0.core.loadedCount == 3 }
        }
        try await loads
        try await town.update("a", #"{"name":"Abe"}"#)
        try await eventually("the event is here") { people.state.withLock { $0.core.pendingCount > 0 } }
        town.space.update(Neighbor("a", "Eve", 36))
        await town.space.settled()
        try await eventually("both are applied") {
            queue.runAll()
            return people.state.withLock { $0.core.pendingCount == 0 && $0.hints.isEmpty }
        }
        #expect(people.loadedNames == ["Eve", "Bo", "Cy"])
    }

    @Test func whatIsSaidWhileAPageIsUnderWayIsNewerThanThePage() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        town.table.hold(.page)
        async let loads: Void = people.load()
        await town.table.waitForHeld()
        ada.set(Neighbor("a", "Eve", 36))
        town.space.update(Neighbor("b", "Bea", 20))
        await town.space.settled()
        town.table.letAllGo()
        try await loads
        try await people.until(["Eve", "Bea", "Cy"])
        #expect(ada.data?.name == "Eve")
    }

    @Test func whatIsSaidTwiceWhilePagesAreUnderWayIsShownOnce() async throws {
        let town = try await Town((0..<40).map { Neighbor("\(100 + $0)", "Nobody", $0) })
        let queue = ManualQueue()
        var options = CollectionOptions().with(isLive: false).with(delivery: queue.delivery)
        (options.space, options.pageSize) = (town.space, 10)
        let people = try await RemoteDataCollection<Neighbor>(
            table: town.table,
            sort: "age",
            options: options
        )
        async let first: Void = people.prefetch(0..<10)
        try await eventually("the first page is here") {
            queue.runAll()
            return people.loadedRow(at: 9) != nil
        }
        try await first
        town.table.hold(.page)
        async let second: Void = people.prefetch(10..<20)
        async let third: Void = people.prefetch(20..<30)
        await town.table.waitForHeld(2)
        let changes = EventLog<EventType>()
        people.dataChangedHandler = { changes.note($0) }
        for name in ["One", "Two", "Three"] { town.space.update(Neighbor("100", name, 0)) }
        try await eventually("it is shown") {
            queue.runAll()
            return people.loadedRow(at: 0)?.name == "Three"
        }
        let count = changes.events.count
        #expect(people.state.withLock { $0.saidMeanwhile.count } <= 3)
        town.table.letAllGo()
        try await eventually("all is looked at again") {
            queue.runAll()
            return people.state.withLock { state in
                state.core.fetches.isEmpty && state.saidMeanwhile.isEmpty && state.hints.isEmpty
            }
        }
        (_, _) = try await (second, third)
        #expect(people.loadedRow(at: 0)?.name == "Three")
        #expect(changes.events.filter { $0 == .updated }.count == count)
    }

    @Test func whatIsRepeatedComesBeforeWhatWaitsAndIsNotRepeatedAgain() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        town.table.hold(.page)
        async let loads: Void = people.load()
        await town.table.waitForHeld()
        func said(_ time: UInt64) -> SaidModels {
            SaidModels(news: [ModelID("z", of: "song"): .deleted], time: time, isOfRows: true)
        }
        let (times, repeated) = people.state.withLock { state in
            let fetches = Array(state.core.fetches.values)
            for time in 1...2 { state.remember(said(UInt64(time))) }
            state.hints = [WaitingHint(content: .models(said(3)), behind: .max)]
            state.repeatSaid(fetches)
            defer { (state.hints, state.saidMeanwhile) = ([], []) }
            let all = state.hints.compactMap { if case .models(let said) = $0.content { said } else { nil } }
            return (all.map(\.time), all.filter(\.isRepeat))
        }
        #expect(times == [2, 3])
        people.apply(try #require(repeated.first))
        #expect(people.state.withLock { $0.saidMeanwhile.isEmpty })
        people.apply(said(4))
        #expect(people.state.withLock { $0.saidMeanwhile.count } == 1)
        town.table.letAllGo()
        try await loads
    }

    @Test func aPageThatIsReadBeforeItsEventDoesNotKeepOthersFromHearingIt() async throws {
        let town = try await Town()
        let people = try await town.collection()
        let others = try await town.collection(isLive: false)
        try await others.load()
        town.table.holdEvents()
        try await town.update("a", #"{"name":"Abe"}"#)
        async let loads: Void = people.load()
        try await eventually("the page is here") {
            people.state.withLock { $0.core.loadedCount == 3 || !$0.core.waiting.isEmpty }
        }
        town.table.letAllEventsGo()
        try await loads
        try await others.until(["Abe", "Bo", "Cy"])
    }

    @Test func whatSeveralTypesSayAtOnceIsPutTogether() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        town.space.consistency.update([Neighbor("a", "Ada", 40), NamePlate(id: "a", name: "Eve")])
        try await people.until(["Eve", "Bo", "Cy"])
        #expect(people.loadedRow(at: 0)?.age == 40)
    }

    @Test func whatAnotherTypeSaysIsPutIntoTheRow() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        town.space.update(NamePlate(id: "c", name: "Cyd"))
        try await people.until(["Ada", "Bo", "Cyd"])
        #expect(people.loadedRow(at: 2)?.age == 50)
    }

    @Test func modelsOfOtherKindsAreNotRows() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        town.space.delete(Song("a"))
        town.space.update(Song("b", 1))
        await town.space.settled()
        #expect(people.loadedNames == ["Ada", "Bo", "Cy"])
    }

    @Test func whatIsSaidOfRowsThatAreNotHereChangesNothing() async throws {
        let town = try await Town()
        let people = try await town.collection()
        town.space.update(Neighbor("b", "Bea", 20))
        town.space.update(Neighbor("d", "Dee", 20))
        town.space.delete(Neighbor("c", "", 0))
        await town.space.settled()
        #expect(people.count == 3)
        try await people.load()
        #expect(people.loadedNames == ["Ada", "Bo", "Cy"])
    }

    @Test func moreThanCanWaitIsReadFromTheTable() async throws {
        let town = try await Town()
        let queue = ManualQueue()
        let people = try await town.collection(delivery: queue.delivery)
        for number in 0..<10_001 { town.space.update(Neighbor("a", "\(number)", 1)) }
        await town.space.settled()
        #expect(people.state.withLock { $0.hints.count } <= 10_000)
        #expect(people.state.withLock { $0.core.needsResync })
    }

    // MARK: By other collections

    @Test func aWriteReachesCollectionsThatFollowNothing() async throws {
        let town = try await Town()
        let people = try await town.collection(sort: "name", isLive: false)
        let grown = try await town.collection(where: "age > 30", sort: "name", isLive: false)
        for all in [people, grown] { try await all.load() }
        try await people.update(Neighbor("a", "Zoe", 36))
        try await grown.until(["Cy", "Zoe"])
        try await people.add(Neighbor("d", "Dee", 31))
        try await grown.until(["Cy", "Dee", "Zoe"])
        try await people.update(Neighbor("d", "Dee", 1))
        try await grown.until(["Cy", "Zoe"])
        try await people.remove(Neighbor("c", "", 0))
        try await grown.until(["Zoe"])
        try await grown.removeAll()
        try await people.until(["Bo", "Dee"])
    }

    @Test func anEventReachesCollectionsThatFollowNothing() async throws {
        let town = try await Town()
        let followed = try await town.collection()
        let people = try await town.collection(sort: "name", isLive: false)
        try await people.load()
        _ = try await town.table.base.commit(.create([try Neighbor("d", "Bob", 1).draft]))
        try await people.until(["Ada", "Bo", "Bob", "Cy"])
        withExtendedLifetime(followed) {}
    }

    @Test func rowsThatAreNoModelsAreSharedAsWell() async throws {
        struct Plain: Codable, Identifiable {
            var id: String
            var name: String
        }
        let town = try await Town()
        var options = CollectionOptions().with(isLive: false)
        options.space = town.space
        let (one, other) = (
            try await RemoteDataCollection<Plain>(table: town.table, options: options),
            try await town.collection(isLive: false)
        )
        try await other.load()
        try await one.update(Plain(id: "a", name: "Abe"))
        try await other.until(["Abe", "Bo", "Cy"])
    }

    @Test func anotherTableWithTheNameIsTakenByItsRows() async throws {
        let (town, replica) = (try await Town(), try await Town())
        let people = try await town.collection(sort: "name")
        try await people.load()
        var options = CollectionOptions()
        options.space = town.space
        let copy = try await RemoteDataCollection<Neighbor>(table: replica.table, options: options)
        try await copy.load()
        try await copy.update(Neighbor("a", "Zoe", 36))
        try await people.until(["Bo", "Cy", "Zoe"])
        try await copy.remove(Neighbor("b", "", 0))
        try await people.until(["Cy", "Zoe"])
    }

    @Test func aCollectionThatIsGoneIsNotTold() async throws {
        let town = try await Town()
        var people: RemoteDataCollection<Neighbor>? = try await town.collection()
        weak let weak = people
        people = nil
        try await eventually("nobody holds it") { weak == nil }
        town.space.update(Neighbor("a", "Eve", 1))
        await town.space.settled()
        #expect(people == nil)
    }
}
