import RemoteData
import RemoteDataTesting
import Testing

/// Changes that were missed for good: a feed says so, and the collection is read anew.
@Suite(.timeLimit(.minutes(2))) struct ResetTests {
    private typealias People = RemoteDataCollection<Person>

    /// A table whose log holds three changes, and a collection of it that has been cut off.
    private func openAndCutOff(
        sort: String = ""
    ) async throws -> (FaultyTable, People, Watcher, ManualClock) {
        let base = MemoryTable("people", logCapacity: 3)
        try await makePeople(10, in: base)
        let table = FaultyTable(base)
        let clock = ManualClock()
        let people = try await People(table: table, sort: sort, options: .pages(of: 4).with(clock: clock))
        let watcher = Watcher(people)
        try await people.populate()
        try await people.untilLive()
        try await watcher.until(1, .dataLoaded)
        table.fail(.subscribe)
        table.endFeeds()
        await clock.waitForSleepers()
        return (table, people, watcher, clock)
    }

    /// More changes than the log holds.
    private func writeMuch(in table: FaultyTable) async throws {
        for number in 2..<6 { try await table.removeByOthers(Person.id(number)) }
        try await table.updateByOthers("p00008", #"{"name":"changed","age":-1}"#)
        try await table.putByOthers(#"{"objectId":"p00000a","name":"new","age":0}"#)
    }

    private let expected = ["p00000", "new", "p00001", "p00006", "p00007", "changed", "p00009"]

    @Test func aLogThatDoesNotReachBackLeadsToDataLoadedAndTheRightRows() async throws {
        let (table, people, watcher, clock) = try await openAndCutOff()
        try await writeMuch(in: table)
        table.heal()
        clock.advance(by: .seconds(60))
        try await watcher.until(2, .dataLoaded)
        #expect(people.count == 7)
        try await people.untilLive()
        #expect(try await people.names() == expected)
        // Once when it was opened, once because of the gap, and once for the first iteration since.
        #expect(table.count(of: .count) == 3)
        let repaired: [EventType] = [.created, .updated, .deleted, .deleted, .deleted, .deleted]
        #expect(watcher.changes == [.dataLoaded] + repaired + [.dataLoaded])
    }

    @Test func rowsHeldAtAPositionStayThere() async throws {
        let base = MemoryTable("people", logCapacity: 3)
        try await makePeople(10, in: base)
        let table = FaultyTable(base)
        let clock = ManualClock()
        let people = try await People(table: table, options: .pages(of: 4).with(clock: clock))
        let watcher = Watcher(people)
        try await people.untilLive()
        for (position, id) in [(1, "y1"), (4, "y2"), (6, "y3")] {
            try await people.insert(Person(id: id, name: id), at: position)
        }
        table.fail(.subscribe)
        table.endFeeds()
        await clock.waitForSleepers()
        try await writeMuch(in: table)
        try await table.removeByOthers("y2")
        try await table.updateByOthers("y3", #"{"name":"renamed"}"#)
        table.heal()
        clock.advance(by: .seconds(60))
        try await watcher.until(1, .dataLoaded)
        try await people.untilLive()
        try await eventually("the count is right") { people.count == 9 }
        let names = ["p00000", "y1", "new", "p00001", "p00006", "renamed", "p00007", "changed", "p00009"]
        #expect(try await people.names() == names)
        // The order of the table itself, where they were not put.
        try await people.refresh()
        #expect(
            try await people.names()
                == ["p00000", "new", "p00001", "p00006", "p00007", "changed", "p00009", "y1", "renamed"]
        )
    }

    @Test func whatHappensAfterwardsIsToldAgain() async throws {
        let (table, people, watcher, clock) = try await openAndCutOff(sort: "age desc")
        try await writeMuch(in: table)
        table.heal()
        clock.advance(by: .seconds(60))
        try await watcher.until(2, .dataLoaded)
        try await people.untilLive()
        try await people.populate()
        try await table.putByOthers(#"{"objectId":"z","name":"later","age":8}"#)
        try await people.add(Person(id: "y", name: "mine", age: 7))
        try await watcher.until(2, .created)
        let names = ["p00009", "later", "p00007", "mine", "p00006", "p00001", "p00000", "new", "changed"]
        #expect(try await people.names() == names)
    }

    @Test func countingAnewIsTriedAgainUntilItSucceeds() async throws {
        let (table, people, watcher, clock) = try await openAndCutOff()
        try await writeMuch(in: table)
        table.heal()
        table.fail(.count, with: .busy(for: .seconds(5)), times: 2)
        clock.advance(by: .seconds(60))
        for _ in 0..<2 {
            try await eventually("the next attempt is waited for") { clock.sleepers.contains(.seconds(5)) }
            clock.advance(by: .seconds(5))
        }
        try await watcher.until(2, .dataLoaded)
        #expect(try await people.names() == expected)
        #expect(watcher.errors.count { $0.code == .unavailable } == 2)
    }

    @Test func anIterationUnderWayYieldsNoRowTwiceAndNoneLess() async throws {
        let (table, people, watcher, clock) = try await openAndCutOff()
        var rows = people.rows.makeAsyncIterator()
        var names: [String] = []
        for _ in 0..<2 { names.append(try #require(try await rows.next()).name) }
        try await writeMuch(in: table)
        table.heal()
        clock.advance(by: .seconds(60))
        try await watcher.until(2, .dataLoaded)
        while let person = try await rows.next() { names.append(person.name) }
        #expect(names.count == Set(names).count)
        let throughout = ["p00000", "p00001", "p00006", "p00007", "p00009"]
        #expect(names.filter { throughout.contains($0) } == throughout)
    }

    @Test func aGapThatATableTellsOfItselfIsRepaired() async throws {
        let table = try await makePeople(6)
        let people = try await People(table: table, options: .pages(of: 2))
        let watcher = Watcher(people)
        try await people.untilLive()
        try await people.populate()
        try await watcher.until(1, .dataLoaded)
        table.loseEvents()
        try await table.removeByOthers("p00001")
        try await table.putByOthers(#"{"objectId":"a","name":"new"}"#)
        table.letAllEventsGo()
        table.send(.reset)
        try await watcher.until(2, .dataLoaded)
        #expect(try await people.names() == ["new", "p00000", "p00002", "p00003", "p00004", "p00005"])
        #expect(people.count == 6)
    }
}
