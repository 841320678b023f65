import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What a table tells a collection reaches all who hold the row or a model of it.
@Suite struct SharedRowTests {
    @Test func anEventReachesProviders() async throws {
        let town = try await Town()
        let people = try await town.collection()
        let ada = await town.provider(Town.three[0])
        try await town.update("a", #"{"age":37}"#)
        try await eventually("the provider hears") { ada.data?.age == 37 }
        #expect(people.count == 3)
    }

    @Test func anOwnWriteReachesProviders() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        try await people.update(Neighbor("a", "Ada", 38))
        await town.space.settled()
        #expect(ada.data?.age == 38)
    }

    @Test func aProviderThatWaitsGetsARowThatIsAdded() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let dee = DataProvider<Neighbor>(town.space)
        dee.modelID = ModelID("d", of: "neighbor")
        await town.space.settled()
        try await people.add(Neighbor("d", "Dee", 5))
        await town.space.settled()
        #expect(dee.data == Neighbor("d", "Dee", 5))
    }

    @Test func aDeletionAtTheTableReachesProviders() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        let ada = await town.provider(Town.three[0])
        _ = try await town.table.base.commit(.delete("a"))
        try await eventually("the provider hears") { ada.data == nil }
        try await people.until(["Bo", "Cy"])
    }

    @Test func aRowThatIsGivenAnotherIDKeepsItsHolders() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        let list = CollectionDataProvider<Neighbor>(town.space)
        list.set(Town.three, cacheKey: nil)
        let changes = EventLog<ListChange>()
        list.onChange { change, _ in changes.note(change) }
        let letter = DataProvider<Letter>(town.space)
        letter.set(Letter("1", "Hello", by: Town.three[0]))
        await town.space.settled()
        let share = try #require(people.share)
        func rename(_ former: RowID, _ neighbor: Neighbor) throws -> Change {
            let row = try neighbor.draft.row(id: .text(neighbor.id), idColumn: "id")
            return Change(revision: nil, kind: .updated, row: row, formerID: former)
        }
        share.publish([try rename("a", Neighbor("m", "Ada", 36)), try rename("m", Neighbor("z", "Ada", 36))])
        await town.space.settled()
        #expect(ada.data == Neighbor("z", "Ada", 36))
        #expect(ada.modelID == ModelID("z", of: "neighbor"))
        #expect(list.data.map(\.id) == ["z", "b", "c"])
        #expect(changes.events == [.changes([.update(0)])])
        #expect(letter.data?.author.id == "z")
        town.space.update(Neighbor("z", "Zoe", 36))
        await town.space.settled()
        #expect(ada.data?.name == "Zoe")
        #expect(letter.data?.author.name == "Zoe")
    }

    @Test func aDeletionThatIsTheFirstThatIsHeardReachesProviders() async throws {
        let town = try await Town()
        let people = try await town.collection()
        let ada = await town.provider(Town.three[0])
        _ = try await town.table.base.commit(.delete("a"))
        try await eventually("the provider hears") { ada.data == nil }
        withExtendedLifetime(people) {}
    }

    @Test func aDeletionByClauseReachesProvidersOfWhatMatches() async throws {
        let town = try await Town()
        let people = try await town.collection()
        try await people.load()
        let (ada, bo) = (await town.provider(Town.three[0]), await town.provider(Town.three[1]))
        _ = try await town.table.base.commit(.deleteAll(try Where.parse("age > 30")))
        try await eventually("the provider hears") { ada.data == nil }
        #expect(bo.data == Town.three[1])
        try await people.until(["Bo"])
    }

    @Test func aRowThatLeavesTheClauseIsReadForThoseWhoHoldIt() async throws {
        let town = try await Town()
        let grown = try await town.collection(where: "age > 30")
        try await grown.load()
        let ada = await town.provider(Town.three[0])
        try await town.update("a", #"{"age":7}"#)
        try await eventually("the provider hears") { ada.data?.age == 7 }
        try await grown.until(["Cy"])
    }

    @Test func aPageTellsWhatNobodyHeardOf() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        try await town.update("a", #"{"age":39}"#)
        try await people.load()
        await town.space.settled()
        #expect(ada.data?.age == 39)
    }

    @Test func whatWasMissedIsReadAgain() async throws {
        let town = try await Town()
        // It holds no row, so that only the provider's is looked for.
        let people = try await town.collection(where: "age > 100")
        let adults = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        try await adults.load()
        town.table.loseEvents()
        try await town.update("a", #"{"age":40}"#)
        town.table.send(.reset)
        try await eventually("the provider hears") { ada.data?.age == 40 }
        _ = try await town.table.base.commit(.delete("a"))
        town.table.send(.reset)
        try await eventually("the provider hears") { ada.data == nil }
        withExtendedLifetime(people) {}
    }

    @Test func aPageThatIsNewerThanTheLastEventIsTold() async throws {
        let town = try await Town()
        let people = try await town.collection(isLive: false)
        let ada = await town.provider(Town.three[0])
        let share = try #require(people.share)
        func row(_ age: Int, _ revision: Int64) throws -> Row {
            try Neighbor("a", "Ada", age).draft.row(id: "a", idColumn: "id").at(Revision(revision))
        }
        let askedAt = share.now
        share.publish([Change(revision: Revision(1_005), kind: .updated, row: try row(5, 1_005))])
        await town.space.settled()
        share.publishRead([try row(4, 1_004)], askedAt: askedAt)
        await town.space.settled()
        #expect(ada.data?.age == 5)
        share.publishRead([try row(6, 1_006)], askedAt: askedAt)
        await town.space.settled()
        #expect(ada.data?.age == 6)
    }

    @Test func anOlderAnswerDoesNotBringBackWhatWas() async throws {
        let town = try await Town()
        let shared = town.space.sharedTable("town")
        let source = ObjectIdentifier(shared)
        func note(_ revision: Int64, at time: UInt64) -> Int {
            let change = Change(revision: Revision(revision), kind: .updated, id: "a")
            return shared.note([change], from: source, at: time, toldUntil: 0).count
        }
        #expect(note(5, at: 1) == 1)
        #expect(note(5, at: 2) == 0)
        #expect(note(4, at: 3) == 0)
        #expect(note(6, at: 4) == 1)
    }

    @Test func rowsAreForgottenWhenThereAreManyNewer() async throws {
        let shared = SharedTable("town")
        for number in 0..<20_000 {
            let change = Change(revision: nil, kind: .updated, id: .integer(Int64(number)))
            let time = UInt64(number)
            _ = shared.note([change], from: nil, at: time, toldUntil: time)
        }
        #expect(!shared.hasWord(of: .integer(0)))
        #expect(shared.hasWord(of: .integer(19_999)))
    }

    @Test func aFollowedTableNeedsNoCollection() async throws {
        let town = try await Town()
        let following = town.space.follow(town.table, as: Neighbor.self)
        let ada = await town.provider(Town.three[0])
        try await eventually("the provider hears") {
            try await town.update("a", #"{"age":41}"#)
            return ada.data?.age == 41
        }
        withExtendedLifetime(following) {}
    }

    @Test func aTableIsFollowedNoLongerThanItIsWanted() async throws {
        let town = try await Town()
        let other = town.space.follow(town.table, as: Neighbor.self)
        var following: TableFollowing? = town.space.follow(town.table, as: Neighbor.self)
        try await eventually("both follow") { town.table.requests.count { $0.call == .subscribe } == 2 }
        other.cancel()
        following = nil
        #expect(following == nil)
        let ada = await town.provider(Town.three[0])
        try await eventually("the feeds have ended") { town.table.feedCount == 0 }
        try await town.update("a", #"{"age":42}"#)
        await town.space.settled()
        #expect(ada.data?.age == 36)
    }

    @Test func whatNobodyTakesIsNotKeptWithoutEnd() async throws {
        let queue = ManualQueue()
        let town = try await Town(delivery: queue.delivery)
        let following = town.space.follow(town.table, as: Neighbor.self)
        let people = try await town.collection(isLive: false)
        try await people.load()
        try await eventually("it is followed") { town.table.feedCount == 1 }
        let shared = town.space.sharedTable("town")
        for number in 0..<12_000 { try await town.update("a", #"{"age":\#(number)}"#) }
        try await eventually("it has heard of all") { shared.hasMissed }
        #expect(town.space.consistency.waitingCounts.tellings < 2_000)
        try await eventually("all is told") {
            queue.runAll()
            return people.loadedRow(at: 0)?.age == 11_999
        }
        withExtendedLifetime(following) {}
    }

    /// What others say behind an event that changes nothing, while the delivery queue has not got to that.
    @Test func whatIsSaidBehindAnEventHasItsTurnWithIt() async throws {
        let (queue, town) = (ManualQueue(), try await Town())
        let people = try await town.collection(delivery: queue.delivery)
        _ = try await people.row(at: 0)
        try await eventually("it is live") { people.state.withLock { $0.core.pendingCount == 1 } }
        let ada = await town.provider(Town.three[0])
        ada.set(Neighbor("a", "Ada", 37))
        try await eventually("it has heard of all") { people.state.withLock { $0.hints.count == 2 } }
        queue.runAll()
        #expect(people.loadedRow(at: 0)?.age == 37)
    }

    /// What a town's table tells its space; what fails is tried again at once.
    private func share(of town: Town, deadline: Duration) -> TableShare<Neighbor> {
        TableShare(
            town.space,
            town.table,
            isWhole: true,
            codec: ElementCodec(idColumn: "id", dates: .epochMilliseconds),
            deadline: deadline,
            surroundings: Surroundings(chance: { 0 })
        )
    }

    @Test func readingAgainHasADeadline() async throws {
        let town = try await Town()
        let ada = await town.provider(Town.three[0])
        let delegate = RecordingDelegate()
        town.space.consistency.delegate = delegate
        let share = share(of: town, deadline: .milliseconds(1))
        share.publishRead(
            [try Neighbor("b", "Bo", 20).draft.row(id: "b", idColumn: "id")],
            askedAt: share.now
        )
        town.table.hold(.page)
        share.publish([ChangeEvent.reset])
        try await eventually("it is given up") { delegate.errors.events.map(\.code) == [.timedOut] }
        town.table.letAllGo()
        #expect(ada.data == Town.three[0])
    }

    @Test("Held rows whose read fails after missed changes are read again until the table answers")
    func failedReadIsRepeated() async throws {
        let town = try await Town()
        let ada = await town.provider(Town.three[0])
        let delegate = RecordingDelegate()
        town.space.consistency.delegate = delegate
        let share = share(of: town, deadline: .seconds(30))
        share.publishRead([try Town.three[0].draft.row(id: "a", idColumn: "id")], askedAt: share.now)
        try await town.update("a", #"{"age":40}"#)
        town.table.fail(.page, times: 3)
        share.publish([ChangeEvent.reset])
        try await eventually("it is read in the end") { ada.data?.age == 40 }
        #expect(delegate.errors.events.count == 1)
        try await town.update("a", #"{"age":41}"#)
        share.publish([ChangeEvent.reset])
        try await eventually("another reset is heeded") { ada.data?.age == 41 }
    }

    @Test func whatIsKeptIsToldInAsManyTurnsAsAreAskedFor() {
        let shared = SharedTable("town")
        let heard = EventLog<Int>()
        let member = shared.join { news in
            switch news {
            case .changes(let changes, _, _, _): heard.note(changes.count)
            case .missed: heard.note(-1)
            case .models: heard.note(0)
            }
        }
        func keep(_ count: Int, hasOwnTurn: Bool = false) -> Bool {
            let changes = (0..<count).map { Change(revision: nil, kind: .updated, id: .integer(Int64($0))) }
            let news = SharedTable.News.changes(changes, isWhole: true, source: nil, time: 1)
            return shared.keep(news, hasOwnTurn: hasOwnTurn, except: nil)
        }
        #expect([keep(1), keep(2), keep(3, hasOwnTurn: true), keep(4)] == [true, false, true, false])
        shared.tellKept()
        #expect(heard.events == [1, 2])
        shared.tellKept()
        #expect(heard.events == [1, 2, 3, 4])
        #expect([keep(5), keep(6, hasOwnTurn: true), keep(10_000), keep(7)] == [true, true, false, false])
        for _ in 0..<2 { shared.tellKept() }
        #expect(heard.events == [1, 2, 3, 4, -1, 7])
        #expect(keep(8))
        shared.leave(member)
    }

    @Test("All who miss something while others look have it looked for afterwards, each once")
    func looksOfMany() {
        let shared = SharedTable("town")
        let tables = [SharedTable("a"), SharedTable("b"), SharedTable("c")]
        let looks = Mutex<[Int]>([])
        func asks(_ number: Int) -> Bool {
            shared.beginLooking(ObjectIdentifier(tables[number])) { looks.withLock { $0.append(number) } }
        }
        #expect(asks(0))
        for number in [1, 2, 1, 2] { #expect(!asks(number)) }
        #expect(looks.withLock(\.self) == [])
        shared.endLooking()
        #expect(Set(looks.withLock(\.self)) == [1, 2] && looks.withLock(\.count) == 2)
        #expect(asks(0))
        shared.endLooking()
        #expect(looks.withLock(\.count) == 2)
    }
}
