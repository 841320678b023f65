import Foundation
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(2))) struct CoverageTests {
    private func open(
        _ count: Int = 50,
        where clause: String = "",
        sort: String = "age",
        isLive: Bool = true
    ) async throws -> (FaultyTable, RemoteDataCollection<Person>) {
        let table = try await makePeople(count)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: clause,
            sort: sort,
            options: .pages(of: 10, readAhead: 0).with(isLive: isLive)
        )
        if isLive { try await people.untilLive() }
        return (table, people)
    }

    @Test func tellsTheStretchesThatAreHere() async throws {
        let (_, people) = try await open()
        #expect(people.coverage.intervals.isEmpty)
        #expect(people.coverage.gaps == [0..<50])
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 35)
        let coverage = people.coverage
        #expect(coverage.intervals.map(\.positions) == [0..<10, 30..<40])
        #expect(coverage.gaps == [10..<30, 40..<50])
        #expect(coverage.intervals.map(\.reachesStart) == [true, false])
        #expect(coverage.intervals.map(\.reachesEnd) == [false, false])
        #expect(coverage.intervals.map(\.verified) == [coverage.revision, coverage.revision])
        #expect(coverage.revision != nil)
        #expect(coverage.intervals.last?.first == Key(values: [30], id: "p00030"))
        #expect(coverage.intervals.last?.last == Key(values: [39], id: "p00039"))
        #expect(coverage.contains(Key(values: [35], id: "x")))
        #expect(coverage.contains(Key(values: [-1], id: "x")))
        #expect(!coverage.contains(Key(values: [20], id: "x")))
        #expect(!coverage.contains(Key(values: [nil], id: "x")))
        #expect(!coverage.isComplete)
        let revision = try #require(coverage.revision)
        #expect(
            coverage.description == """
                0..<10: loaded, rows p00000 to p00009, reaches the start, as of revision \(revision)
                10..<30: not loaded
                30..<40: loaded, rows p00030 to p00039, as of revision \(revision)
                40..<50: not loaded
                """
        )
        try await people.populate()
        #expect(people.coverage.isComplete)
        #expect(people.coverage.intervals.map(\.positions) == [0..<50])
        #expect(people.coverage.contains(Key(values: [nil], id: "x")))
    }

    @Test func movesOnWithTheRevisionsThatAreReached() async throws {
        let (table, people) = try await open(3)
        try await people.populate()
        let before = try #require(people.coverage.revision)
        try await table.putByOthers(#"{"objectId":"x","name":"x","age":1}"#)
        try await eventually("it has come") { people.count == 4 }
        #expect(people.coverage.revision == Revision(before.rawValue + 1))
        #expect(people.coverage.intervals.map(\.positions) == [0..<4])
    }

    @Test func whileRowsAreComparedTheyAreKnownToBeRightAsOfBefore() throws {
        var fixture = try StateFixture(rows: 10)
        try fixture.load(0)
        let before = fixture.state.applied
        #expect(fixture.state.coverage(idColumn: "objectId", isTold: true).revision == before)
        fixture.table.put(5)
        let watch = fixture.state.beginWatch()
        let begins = fixture.state.beginRepair(at: fixture.table.count, since: watch)
        #expect(begins)
        let coverage = fixture.state.coverage(idColumn: "objectId", isTold: true)
        #expect(coverage.revision == nil)
        #expect(coverage.intervals.map(\.verified) == [before])
        #expect(fixture.state.hasMore == .unknown)
    }

    @Test func aTableWithoutRevisionsVerifiesNothing() async throws {
        let base = try await makePeople(5)
        var capabilities = Capabilities.full
        capabilities.revisions = false
        capabilities.resume = false
        let table = FaultyTable(base, capabilities: capabilities)
        let people = try await RemoteDataCollection<Person>(table: table)
        // When its changes come, such a table is read anew.
        try await people.untilLive()
        try await people.populate()
        #expect(people.coverage.intervals.map(\.positions) == [0..<5])
        #expect(people.coverage.intervals.map(\.verified) == [nil])
        #expect(people.coverage.revision == nil)
        #expect(people.hasMore == .unknown)
        #expect(people.hasMore(behind: 2) == .unknown)
    }

    @Test func aFeedThatKeepsBackRowsThatLeaveVerifiesNothing() async throws {
        let base = try await makePeople(5)
        var capabilities = Capabilities.full
        capabilities.reportsLeaving = false
        let table = FaultyTable(base, capabilities: capabilities)
        let some = try await RemoteDataCollection<Person>(table: table, where: "age > 1")
        #expect(some.coverage.revision == nil)
        #expect(some.hasMore == .unknown)
        let all = try await RemoteDataCollection<Person>(table: table)
        #expect(all.coverage.revision != nil)
    }

    @Test func moreIsKnownWhileChangesCome() async throws {
        let (table, people) = try await open()
        #expect(people.hasMore == .true)
        #expect(people.hasMore(behind: 48) == .true)
        #expect(people.hasMore(behind: 49) == .false)
        try await people.populate()
        #expect(people.hasMore == .false)
        #expect(people.hasMore(behind: 10) == .true)
        table.fail(.subscribe)
        table.endFeeds()
        try await eventually("it is told") { people.state.withLock { $0.core.following == .interrupted } }
        #expect(people.hasMore == .unknown)
        #expect(people.hasMore(behind: 10) == .unknown)
    }

    @Test func withoutChangesMoreIsKnownOfOneMomentOnly() async throws {
        let (table, people) = try await open(isLive: false)
        _ = try await people.row(at: 0)
        #expect(people.hasMore == .true)
        try await table.putByOthers(#"{"objectId":"x","name":"x","age":1}"#)
        _ = try await people.row(at: 10)
        #expect(people.hasMore == .unknown)
        #expect(people.coverage.revision == nil)
    }

    @Test func loadedRowsAreFoundWithoutARequest() async throws {
        let (table, people) = try await open()
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 10)
        let requests = table.requests.count
        let some = try people.loadedRows(where: "age >= 5 and age < 15")
        #expect(some.rows.map(\.age) == Array(5..<15))
        #expect(some.isComplete)
        #expect(some.revision == people.coverage.revision)
        let others = try people.loadedRows(where: #Predicate { $0.name > "p00017" })
        #expect(others.rows.map(\.age) == [18, 19])
        #expect(!others.isComplete)
        #expect(try people.loadedRows(where: "age < 20").isComplete == false)
        #expect(try people.loadedRows(where: "").rows.count == 20)
        #expect(throws: RemoteDataError.self) { try people.loadedRows(where: "age <") }
        #expect(table.requests.count == requests)
    }
}
