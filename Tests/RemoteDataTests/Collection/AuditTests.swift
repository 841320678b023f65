import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(2))) struct AuditTests {
    private func open(
        _ table: any Table,
        where clause: String = "",
        sort: String = "age",
        clock: (any Clock<Duration>)? = nil,
        isLive: Bool = true
    ) async throws -> RemoteDataCollection<Person> {
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: clause,
            sort: sort,
            options: .pages(of: 10, readAhead: 0).with(clock: clock, isLive: isLive)
        )
        if isLive { try await people.untilLive() }
        return people
    }

    @Test func whatIsAsTheTableHasItHasNoDrift() async throws {
        let table = try await makePeople(45)
        let people = try await open(table)
        try await people.populate()
        let requests = table.requests.count
        let audit = try await people.audit()
        #expect(audit.compared == 45)
        #expect(audit.drift == 0)
        #expect(audit.isSettled)
        #expect(audit.description == "45 rows compared: no drift")
        #expect(table.requests.count == requests + 5)
        let part = try await people.audit(sample: 12, seed: 1)
        #expect(part.compared == 20 || part.compared == 15)
        #expect(try await people.audit(sample: 12, seed: 1) == part)
        #expect(try await onThread { try blocking { try people.audit() } } == audit)
    }

    @Test func onlyWhatIsHereIsCompared() async throws {
        let table = try await makePeople(100)
        let people = try await open(table)
        #expect(try await people.audit().compared == 0)
        #expect(try await people.audit().drift == 0)
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 35)
        _ = try await people.row(at: 95)
        let before = people.coverage
        let audit = try await people.audit()
        // The first rows behind gaps are not.
        #expect(audit.compared == 28)
        #expect(audit.drift == 0)
        #expect(people.coverage == before)
    }

    @Test func whatChangesMeanwhileIsNoDrift() async throws {
        let table = try await makePeople(60)
        let people = try await open(table, where: "age < 50")
        try await people.populate()
        for seed in 0..<10 as Range<UInt64> {
            let writer = Task {
                var random = SeededGenerator(seed: seed)
                for _ in 0..<100 {
                    let number = random.number(0..<80)
                    if random.chance(3) {
                        try? await table.removeByOthers(Person.id(number))
                    } else {
                        try await table.putByOthers(
                            #"{"objectId":"\#(Person.id(number))","name":"n\#(random.number(0..<9))","age":\#(random.number(0..<60))}"#
                        )
                    }
                    await Task.yield()
                }
            }
            let audit = try await people.audit(seed: seed)
            try await writer.value
            #expect(audit.wrong.isEmpty, "\(audit) \(audit.wrong) with seed \(seed)")
            #expect(audit.isSettled)
        }
    }

    @Test func whatIsAppliedWhileAPageIsUnderWayIsNoDrift() async throws {
        let table = try await makePeople(8)
        let people = try await open(table)
        try await people.populate()
        table.hold(.page)
        async let audited = people.audit()
        await table.waitForHeld()
        try await table.removeByOthers("p00003")
        try await table.putByOthers(#"{"objectId":"new","name":"new","age":5}"#)
        try await table.updateByOthers("p00006", #"{"age":1}"#)
        let last = try await table.base.count(nil).revision
        try await eventually("they have come") { people.coverage.revision == last }
        table.letAllGo()
        let audit = try await audited
        #expect(audit.wrong.isEmpty)
        #expect(audit.compared == 8)
        #expect(audit.isSettled)
    }

    @Test func aPageThatIsNewerThanTheChangesWaitsForThem() async throws {
        let table = try await makePeople(8)
        let people = try await open(table)
        try await people.populate()
        table.holdEvents()
        try await table.removeByOthers("p00003")
        try await table.putByOthers(#"{"objectId":"new","name":"new","age":5}"#)
        table.hold(.page)
        async let audited = people.audit()
        await table.waitForHeld()
        table.letAllGo()
        try await eventually("it waits") { people.state.withLock { !$0.revisionWaiters.isEmpty } }
        table.letAllEventsGo()
        let audit = try await audited
        #expect(audit.wrong.isEmpty)
        #expect(audit.compared == 8)
        #expect(audit.isSettled)
    }

    @Test func whatTheTableChangedWithoutAWordIsTheDrift() async throws {
        let table = try await makePeople(40)
        let clock = ManualClock()
        let people = try await open(table, clock: clock)
        try await people.populate()
        table.loseEvents()
        try await table.removeByOthers("p00003")
        try await table.removeByOthers("p00025")
        try await table.putByOthers(#"{"objectId":"new","name":"new","age":17}"#)
        try await table.updateByOthers("p00010", #"{"name":"other"}"#)
        // This one sorts on another page now.
        try await table.updateByOthers("p00030", #"{"age":2}"#)
        let before = people.coverage
        async let audited = people.audit()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let audit = try await audited
        #expect(audit.missing == ["new"])
        #expect(audit.extra == ["p00003", "p00025"])
        #expect(audit.differing == ["p00010", "p00030"])
        #expect(audit.compared == 41)
        #expect(audit.drift == 5.0 / 41)
        #expect(!audit.isSettled)
        #expect(people.coverage == before)
        #expect(people.count == 40)
        #expect(
            audit.description.hasPrefix(
                "41 rows compared: 1 missing, 2 too many, 2 different, a drift of 0.12"
            )
        )
    }

    @Test func aTableThatAnswersWronglyAtOneRevisionDriftsForSure() async throws {
        let table = try await makePeople(20)
        let people = try await open(table, sort: "")
        try await people.populate()
        table.alterPages { page, _ in
            Page(rows: page.rows.filter { $0.id != "p00004" && $0.id != "p00019" }, revision: page.revision)
        }
        let audit = try await people.audit()
        #expect(audit.extra == ["p00004", "p00019"])
        #expect(audit.compared == 20)
        #expect(audit.drift == 0.1)
        #expect(audit.isSettled)
        table.alterPages { page, _ in Page(rows: page.rows.reversed(), revision: page.revision) }
        await #expect(throws: RemoteDataError.self) { try await people.audit() }
    }

    @Test func aCollectionThatFollowsNothingDriftsAwayFromTheTable() async throws {
        let table = try await makePeople(20)
        let people = try await open(table, isLive: false)
        try await people.populate()
        #expect(try await people.audit().isSettled)
        try await table.removeByOthers("p00003")
        let audit = try await people.audit()
        #expect(audit.extra == ["p00003"])
        #expect(!audit.isSettled)
    }

    @Test func withoutRevisionsItSaysSo() async throws {
        let base = try await makePeople(20)
        var capabilities = Capabilities.full
        capabilities.revisions = false
        capabilities.resume = false
        let people = try await open(FaultyTable(base, capabilities: capabilities))
        try await people.populate()
        let audit = try await people.audit()
        #expect(audit.compared == 20)
        #expect(audit.drift == 0)
        #expect(!audit.isSettled)
        #expect(audit.description == "20 rows compared: no drift; changes under way may be among them")
    }

    @Test func aTableThatCannotBeAskedIsAnError() async throws {
        let table = try await makePeople(5)
        let people = try await open(table)
        try await people.populate()
        table.fail(.page)
        await #expect(throws: RemoteDataError.self) { try await people.audit() }
        #expect(people.state.withLock { $0.core.log.isEmpty && !$0.core.keepsLog })
    }
}
