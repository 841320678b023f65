import RemoteData
import RemoteDataTesting
import Testing

/// Adding rows at a position, in asynchronous code.
@Suite(.timeLimit(.minutes(2))) struct InsertTests {
    private let two = [Person(id: "zz", name: "first"), Person(id: "zy", name: "second")]

    @Test(arguments: [true, false]) func rowsStandWhereTheyWerePutInTheOrderGiven(isLive: Bool) async throws {
        let table = try await makePeople(6)
        let options = CollectionOptions.pages(of: 2).with(isLive: isLive)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let result = try await people.insert(contentsOf: two, at: 3)
        #expect(result.stored == two)
        #expect(result.discarded.isEmpty)
        #expect(people.count == 8)
        #expect(
            try await people.names()
                == ["p00000", "p00001", "p00002", "first", "second", "p00003", "p00004", "p00005"]
        )
        #expect(try await people.row(at: 4).name == "second")
        #expect(table.mutations.map(\.createdCount) == [2])
    }

    @Test func bothEndsArePositionsAndNothingBeyondThem() async throws {
        let table = try await makePeople(2)
        let people = try await RemoteDataCollection<Person>(table: table)
        for position in [-1, 3] {
            let one = await #expect(throws: RemoteDataError.self) {
                try await people.insert(Person(name: "new"), at: position)
            }
            let many = await #expect(throws: RemoteDataError.self) {
                try await people.insert(contentsOf: two, at: position)
            }
            #expect([one?.code, many?.code] == [.outOfRange, .outOfRange])
        }
        #expect(table.count(of: .commit) == 0)
        try await people.insert(Person(id: "a", name: "end"), at: 2)
        try await people.insert(Person(id: "z", name: "start"), at: 0)
        #expect(try await people.names() == ["start", "p00000", "p00001", "end"])
    }

    @Test func withASortOrderRowsGoWhereTheySort() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            sort: "age desc",
            options: .pages(of: 3)
        )
        let stored = try await people.insert(Person(id: "x", name: "x", age: 7), at: 0)
        #expect(stored?.name == "x")
        try await people.insert(
            contentsOf: [Person(id: "y", name: "y", age: -1), Person(id: "z", name: "z", age: 20)],
            at: 5
        )
        let ages = try await people.rows.reduce(into: []) { $0.append($1.age) }
        #expect(ages == [20, 9, 8, 7, 7, 6, 5, 4, 3, 2, 1, 0, -1])
        #expect(try await people.row(at: 4).name == "x")
    }

    @Test func aRowHoldsItsPlaceAmongItsNeighboursUntilARefresh() async throws {
        let table = try await makePeople(4)
        let people = try await RemoteDataCollection<Person>(table: table)
        let watcher = Watcher(people)
        try await people.populate()
        try await people.insert(Person(id: "zzz", name: "held"), at: 2)
        try await table.removeByOthers("p00000")
        try await watcher.until(1, .deleted)
        #expect(people.loadedRow(at: 1)?.name == "held")
        try await table.putByOthers(#"{"objectId":"p00000a","name":"new"}"#)
        try await table.putByOthers(#"{"objectId":"p00004","name":"last"}"#)
        try await watcher.until(3, .created)
        let names = try await people.names()
        #expect(names == ["new", "p00001", "held", "p00002", "p00003", "last"])
        try await people.refresh()
        #expect(people.loadedCount == 0)
        #expect(try await people.names() == ["new", "p00001", "p00002", "p00003", "last", "held"])
    }

    @Test func aHeldRowIsUpdatedInItsPlaceAndRemovedFromIt() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.insert(Person(id: "zzz", name: "held"), at: 1)
        try await people.update(Person(id: "zzz", name: "changed"))
        #expect(try await people.names() == ["p00000", "changed", "p00001", "p00002"])
        #expect(try await people.remove(at: 1).name == "changed")
        #expect(try await people.names() == ["p00000", "p00001", "p00002"])
        #expect(people.count == 3)
    }

    @Test func aRowThatDoesNotMatchIsNotSent() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age < 5")
        #expect(try await people.insert(Person(name: "old", age: 9), at: 0) == nil)
        let result = try await people.insert(
            contentsOf: [
                Person(name: "old", age: 9), Person(name: "young", age: 1), Person(name: "ageless"),
            ],
            at: 1
        )
        #expect(result.stored.map(\.name) == ["young"])
        #expect(result.discarded.map(\.name) == ["old", "ageless"])
        #expect(table.mutations.map(\.createdCount) == [1])
        #expect(try await people.names() == ["p00000", "young", "p00001", "p00002"])
    }
}
