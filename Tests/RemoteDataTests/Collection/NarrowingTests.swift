import Foundation
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(2))) struct NarrowingTests {
    private func open(
        _ table: any Table,
        where clause: String = "",
        sort: String = "age",
        isLive: Bool = true
    ) async throws -> RemoteDataCollection<Person> {
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: clause,
            sort: sort,
            options: .pages(of: 10, readAhead: 0).with(isLive: isLive)
        )
        if isLive { try await people.untilLive() }
        return people
    }

    /// How many requests for rows or counts a table was sent.
    private func reads(_ table: FaultyTable) -> Int {
        table.requests.count { $0.call == .count || $0.call == .page }
    }

    @Test func whatIsAllHereIsOpenedWithoutARequest() async throws {
        let table = try await makePeople(30)
        let people = try await open(table, where: "age > 10")
        try await people.populate()
        let before = reads(table)
        let older = try await people.narrowed(where: "age > 20", sort: "name desc")
        #expect(older.isLoaded)
        #expect(older.whereClause == "age > 20")
        try await older.untilLive()
        #expect(try await older.names() == (21..<30).reversed().map { Person.id($0) })
        let text = try await people.narrowed(where: "name < 'p00015'")
        #expect(text.whereClause == "age > 10 AND name < 'p00015'")
        try await text.untilLive()
        #expect(try await text.names() == (11..<15).map { Person.id($0) })
        let same = try await people.narrowed(where: #Predicate { $0.age == 12 })
        try await same.untilLive()
        #expect(try await same.names() == ["p00012"])
        #expect(reads(table) == before)
    }

    @Test func aStretchThatIsHereIsEnough() async throws {
        let table = try await makePeople(50)
        let people = try await open(table, sort: "age desc")
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 25)
        let before = reads(table)
        let oldest = try await people.narrowed(where: "age > 40")
        let middle = try await people.narrowed(where: "age < 29 and age > 20 or age = 45")
        try await oldest.untilLive()
        try await middle.untilLive()
        #expect(try await oldest.names() == (41..<50).reversed().map { Person.id($0) })
        #expect(try await middle.names() == ([45] + (21..<29).reversed()).map { Person.id($0) })
        #expect(reads(table) == before)
        let beyond = try await people.narrowed(where: "age >= 40")
        #expect(reads(table) == before + 1)
        #expect(beyond.count == 10)
    }

    @Test func theBlockingFaceAsksNothingEither() async throws {
        let table = try await makePeople(5)
        let people = try await open(table)
        try await people.populate()
        let before = reads(table)
        let names = try await onThread {
            try blocking {
                (
                    try people.narrowed(where: "age > 2").snapshot().loaded.map(\.name),
                    try people.narrowed(where: #Predicate { $0.age == 1 }).snapshot().loaded.map(\.name)
                )
            }
        }
        #expect(names.0 == ["p00003", "p00004"])
        #expect(names.1 == ["p00001"])
        #expect(reads(table) == before)
        #expect(throws: RemoteDataError.self) { try blocking { try people.narrowed(where: "age >") } }
    }

    @Test func changesSinceComeThoughThisCollectionHasNotReachedThem() async throws {
        let table = try await makePeople(10)
        let people = try await open(table)
        try await people.populate()
        table.holdEvents()
        try await table.putByOthers(#"{"objectId":"new","name":"new","age":8}"#)
        try await table.removeByOthers("p00009")
        try await table.updateByOthers("p00007", #"{"age":1}"#)
        let older = try await people.narrowed(where: "age > 5")
        #expect(older.snapshot().loaded.map(\.name) == ["p00006", "p00007", "p00008", "p00009"])
        table.letAllEventsGo()
        try await eventually("all have come") { older.loadedCount == 3 && !older.contains { $0.age == 9 } }
        #expect(try await older.names() == ["p00006", "new", "p00008"])
    }

    @Test func livesOnWithoutTheOtherCollection() async throws {
        let table = try await makePeople(10)
        var people: RemoteDataCollection<Person>? = try await open(table)
        try await people?.populate()
        let older = try #require(try await people?.narrowed(where: "age > 5"))
        people = nil
        try await older.untilLive()
        try await table.putByOthers(#"{"objectId":"new","name":"new","age":70}"#)
        try await eventually("it has come") { older.count == 5 }
        try await older.update(Person(id: "new", name: "newer", age: 71))
        #expect(try await older.names().last == "newer")
    }

    @Test func staysRightWhileOthersWrite() async throws {
        let table = try await makePeople(60)
        let people = try await open(table, where: "age < 50")
        try await people.populate()
        for seed in 0..<12 as Range<UInt64> {
            let before = reads(table)
            let writer = Task {
                var random = SeededGenerator(seed: seed)
                for _ in 0..<60 {
                    let number = random.number(0..<80)
                    if random.chance(3) {
                        try? await table.removeByOthers(Person.id(number))
                    } else {
                        let age = random.number(0..<60)
                        try await table.putByOthers(
                            #"{"objectId":"\#(Person.id(number))","name":"n","age":\#(age)}"#
                        )
                    }
                    await Task.yield()
                }
            }
            let young = try await people.narrowed(where: "age < 25", sort: "age desc, name")
            #expect(reads(table) == before)
            try await writer.value
            let page = try await table.base.page(PageRequest(young.query, limit: 1_000))
            try await eventually("it has followed") {
                young.state.withLock { $0.core.applied } == page.revision
            }
            #expect(try young.loadedRows(where: "").rows.map(\.id) == page.rows.map { $0.id.description })
            #expect(young.coverage.isComplete)
        }
    }

    @Test func aTableThatCannotResumeIsAsked() async throws {
        let base = try await makePeople(5)
        var capabilities = Capabilities.full
        capabilities.resume = false
        let table = FaultyTable(base, capabilities: capabilities)
        let people = try await open(table)
        try await people.populate()
        let before = reads(table)
        let older = try await people.narrowed(where: "age > 2")
        #expect(reads(table) == before + 1)
        #expect(!older.isLoaded)
        // What follows no changes needs not resume.
        let still = try await people.narrowed(
            where: "age > 2",
            options: CollectionOptions().with(isLive: false)
        )
        #expect(try await still.names() == ["p00003", "p00004"])
        #expect(reads(table) == before + 1)
    }

    @Test func whatIsInDoubtIsAskedFor() async throws {
        let table = try await makePeople(5)
        let people = try await open(table, sort: "")
        try await people.populate()
        try await people.insert(Person(id: "held", name: "held", age: 4), at: 0)
        let before = reads(table)
        _ = try await people.narrowed(where: "age > 2")
        #expect(reads(table) == before + 1)

        var capabilities = Capabilities.full
        capabilities.binaryOrder = false
        let other = FaultyTable(table.base, capabilities: capabilities)
        let rows = try await open(other)
        try await rows.populate()
        let reads = reads(other)
        _ = try await rows.narrowed(where: "age > 2")
        #expect(self.reads(other) == reads + 1)
    }

    @Test func aCollectionThatFollowsNothingIsNarrowedAsOfItsMoment() async throws {
        let table = try await makePeople(5)
        let people = try await open(table, isLive: false)
        try await people.populate()
        try await table.removeByOthers("p00003")
        let before = reads(table)
        let older = try await people.narrowed(where: "age > 2")
        #expect(try await older.names() == ["p00003", "p00004"])
        #expect(reads(table) == before)
        // One that follows goes on from that moment.
        let live = try await people.narrowed(
            where: "age > 2",
            options: CollectionOptions().with(isLive: true)
        )
        try await eventually("it has followed") { live.count == 1 }
        #expect(reads(table) == before)
    }
}
