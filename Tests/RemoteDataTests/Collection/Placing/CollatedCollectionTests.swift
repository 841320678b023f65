import RemoteDataTesting
import Testing

@testable import RemoteData

/// Collections over a table that sorts text in an order of its own.
@Suite(.timeLimit(.minutes(2))) struct CollatedCollectionTests {
    private typealias People = RemoteDataCollection<Person>

    /// People with these names and ages from 0 on, sorted without regard of case.
    private func table(_ names: [String]) async throws -> FaultyTable {
        let base = MemoryTable("people")
        let drafts = try names.enumerated().map { number, name in
            try draft(#"{"objectId":"\#(Person.id(number))","name":"\#(name)","age":\#(number)}"#)
        }
        _ = try await base.commit(.create(drafts))
        return FaultyTable(CollatedTable(base))
    }

    /// A collection by name that is live and loaded, and has told so.
    private func openAndLoad(_ table: FaultyTable) async throws -> (People, Watcher) {
        let people = try await People(table: table, sort: "name")
        let watcher = Watcher(people)
        try await people.populate()
        try await people.untilLive()
        try await watcher.until(1, .dataLoaded)
        return (people, watcher)
    }

    private func names(_ people: People) -> [String?] { people.snapshot().map { $0?.name } }

    /// The next change of a type.
    private func next(
        _ type: EventType,
        _ changes: inout ChangeStream<CollectionChange<Person>>.Iterator
    ) async -> CollectionChange<Person>? {
        while let change = await changes.next() { if change.type == type { return change } }
        return nil
    }

    @Test func rowsComeInTheTablesOrder() async throws {
        let people = try await People(
            table: table(["b", "C", "A", "d", "B"]),
            sort: "name",
            options: .pages(of: 2)
        )
        #expect(try await people.names() == ["A", "b", "B", "C", "d"])
        #expect(try await people.row(at: 3).name == "C")
    }

    @Test func aRowThatComesIsPlacedByItsTwoNeighbours() async throws {
        let table = try await table(["Anna", "bea", "Carl", "dora"])
        let people = try await People(table: table, sort: "name")
        try await people.populate()
        try await people.untilLive()
        let before = table.requests.count
        var changes = people.changes.makeAsyncIterator()
        try await table.putByOthers(#"{"objectId":"x","name":"BERT"}"#)
        #expect(await next(.created, &changes)?.inserted == [2])
        #expect(names(people) == ["Anna", "bea", "BERT", "Carl", "dora"])
        #expect(table.requests.count == before + 2)
        try await table.updateByOthers("x", #"{"name":"aaron"}"#)
        #expect(await next(.updated, &changes)?.moved == [CollectionMove(from: 2, to: 0)])
        #expect(names(people) == ["aaron", "Anna", "bea", "Carl", "dora"])
        #expect(table.requests.count == before + 4)
    }

    @Test func aRowThatStaysWhereItIsNeedsNoQuestion() async throws {
        let table = try await table(["Anna", "bea", "Carl"])
        let people = try await People(table: table, sort: "name")
        try await people.populate()
        try await people.untilLive()
        let before = table.requests.count
        var changes = people.changes.makeAsyncIterator()
        try await table.updateByOthers(Person.id(1), #"{"city":"Ulm"}"#)
        #expect(await next(.updated, &changes)?.updated == [1])
        try await table.removeByOthers(Person.id(0))
        #expect(await next(.deleted, &changes)?.removed == [0])
        #expect(table.requests.count == before)
    }

    @Test func numbersNeedNoQuestion() async throws {
        let base = MemoryTable("people")
        _ = try await base.commit(
            .create(try (0..<10).map { try draft(#"{"objectId":\#($0),"name":"n","age":\#($0 * 10)}"#) })
        )
        let table = FaultyTable(CollatedTable(base))
        let people = try await RemoteDataCollection<Numbered>(table: table, sort: "age")
        try await people.populate()
        try await people.untilLive()
        let before = table.requests.count
        var changes = people.changes.makeAsyncIterator()
        try await table.putByOthers(#"{"objectId":77,"name":"n","age":35}"#)
        while let change = await changes.next() {
            guard change.type == .created else { continue }
            #expect(change.inserted == [4])
            break
        }
        #expect(table.requests.count == before)
    }

    @Test func manyRowsAtOnceAreReadAnew() async throws {
        let table = try await table((0..<50).map { "n\($0)" })
        let (people, watcher) = try await openAndLoad(table)
        let before = table.count(of: .page)
        table.hold(.page)
        table.holdEvents()
        _ = try await table.base.commit(
            .create(try (0..<500).map { try draft(#"{"objectId":"x\#($0)","name":"N\#($0)"}"#) })
        )
        try await eventually("all changes are on their way") { table.heldEventCount >= 500 }
        // What comes while one is being placed is taken together.
        table.letEventsGo(1)
        await table.waitForHeld(1)
        table.letAllEventsGo()
        table.letAllGo()
        try await watcher.until(2, .dataLoaded)
        #expect(table.count(of: .page) <= before + 2 + 2 * PlacingTable.questionLimit)
        #expect(try await people.names().count == 550)
    }

    @Test func aTableThatDoesNotAnswerLeavesEverythingToBeReadAnew() async throws {
        let table = try await table(["Anna", "bea", "Carl"])
        let (people, watcher) = try await openAndLoad(table)
        table.fail(.page, times: 1)
        try await table.putByOthers(#"{"objectId":"x","name":"BERT"}"#)
        try await watcher.until(2, .dataLoaded)
        #expect(try await people.names() == ["Anna", "bea", "BERT", "Carl"])
    }

    @Test func thatChangesAreBackIsNotLostWithThoseThatCannotBePlaced() async throws {
        let table = try await table(["Anna", "Carl"])
        let query = Query(nil, sort: [SortTerm("name")])
        let placing = PlacingTable(table, query: query, options: CollectionOptions())
        _ = try await placing.page(PageRequest(query, limit: 10))
        let feed = try await placing.subscribe(to: query, since: nil)
        func change(_ name: String) throws -> ChangeEvent {
            let json = Array(#"{"objectId":"\#(name)","name":"\#(name)"}"#.utf8)
            let row = Row(id: .text(name), json: json[...])
            return .change(Change(revision: nil, kind: .created, id: row.id, row: row))
        }
        // What comes while one is being placed is taken together.
        table.hold(.page)
        table.send(try change("BERT"))
        await table.waitForHeld(2)
        table.fail(.page)
        for event in [try change("DORA"), .interrupted(.lost), .live(nil)] { table.send(event) }
        table.letAllGo()
        var events: [ChangeEvent] = []
        var reader = feed.makeAsyncIterator()
        while events.dropLast().allSatisfy({ if case .reset = $0 { false } else { true } }) {
            events.append(try #require(await reader.next()))
        }
        guard case .live = events.last else { Issue.record("\(events)"); return }
    }

    @Test(arguments: [true, false]) func anOwnWriteIsPlacedByTheTable(isLive: Bool) async throws {
        let table = try await table(["Anna", "bea", "Carl", "dora"])
        let options = CollectionOptions.pages(of: 10).with(isLive: isLive)
        let people = try await People(table: table, sort: "name", options: options)
        try await people.populate()
        if isLive { try await people.untilLive() }
        let added = try #require(try await people.add(Person(name: "BERT")))
        #expect(names(people) == ["Anna", "bea", "BERT", "Carl", "dora"])
        var changed = added
        changed.name = "CESAR"
        _ = try await people.update(changed)
        #expect(names(people) == ["Anna", "bea", "Carl", "CESAR", "dora"])
    }

    /// Others write all the time, rows are read here and there, and in the end everything is as the table has it.
    @Test(arguments: 0..<10) func whateverHappensItEndsAsTheTable(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let letters = "aAbBcCdDeE"
        func name(_ generator: inout SeededGenerator) -> String {
            String((0..<generator.number(1..<4)).map { _ in Array(letters)[generator.number(0..<10)] })
        }
        let table = try await table((0..<40).map { _ in name(&generator) })
        let options = CollectionOptions.pages(of: generator.number(2..<9), readAhead: 0)
        let sort = ["name", "name desc", "", "name, age desc"][seed % 4]
        let people = try await People(table: table, sort: sort, options: options)
        try await people.untilLive()
        for _ in 0..<150 {
            let id = Person.id(generator.number(0..<60))
            switch generator.number(0..<6) {
            case 0: _ = try? await table.removeByOthers(id)
            case 1, 2:
                let name = name(&generator)
                try await table.putByOthers(#"{"objectId":"\#(id)","name":"\#(name)","age":1}"#)
            case 3: _ = try? await table.updateByOthers(id, #"{"age":\#(generator.number(0..<9))}"#)
            case 4: _ = try? await people.row(at: generator.number(0..<max(1, people.count)))
            default: await Task.yield()
            }
        }
        let all = try await table.base.page(PageRequest(people.query, limit: 1_000))
        let expected: [String?] = all.rows.map(\.id.description)
        try await eventually("the rows are those of the table") {
            try await people.populate()
            return people.snapshot().map { $0?.id } == expected
        }
    }
}

private struct Numbered: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var age: Int
}
