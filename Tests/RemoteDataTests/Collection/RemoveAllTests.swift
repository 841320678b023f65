import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// Removing many rows, in asynchronous code.
@Suite(.timeLimit(.minutes(2))) struct RemoveAllTests {
    @Test func removesTheRowsOfTheClauseAndNoOthersInOneRequest() async throws {
        let table = try await makePeople(20)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: "age >= 15",
            options: .pages(of: 2)
        )
        let watcher = Watcher(people)
        _ = try await people.row(at: 3)
        #expect(try await people.removeAll() == 5)
        try await watcher.until(1, .bulkDeleted)
        #expect(people.isEmpty)
        #expect(people.loadedCount == 0)
        #expect(try await people.names() == [])
        #expect(table.mutations.map(\.isDeleteAll) == [true])
        #expect(try await table.base.count(nil).value == 15)
    }

    @Test(arguments: [true, false]) func withoutAClauseTheTableIsEmptied(isLive: Bool) async throws {
        let table = try await makePeople(7)
        let options = CollectionOptions.pages(of: 3).with(isLive: isLive)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        #expect(try await people.removeAll() == 7)
        #expect(people.isEmpty)
        #expect(try await people.names() == [])
        #expect(try await table.base.count(nil).value == 0)
        try await people.add(Person(id: "a", name: "new"))
        #expect(try await people.names() == ["new"])
    }

    @Test(arguments: [true, false]) func aFurtherClauseRemovesItsRowsLoadedOrNot(isLive: Bool) async throws {
        let table = try await makePeople(30)
        let options = CollectionOptions.pages(of: 4).with(isLive: isLive)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: "age >= 10",
            options: options
        )
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 19)
        #expect(try await people.removeAll(where: "age < 12 or age = 20 or age > 28") == 4)
        #expect(try await people.names() == (12..<29).filter { $0 != 20 }.map(Person.id))
        #expect(people.count == 16)
        #expect(try await table.base.count(nil).value == 26)
    }

    @Test func aPredicateRemovesTheRowsOfTheCollectionForWhichItHolds() async throws {
        let table = try await makePeople(30)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age >= 10")
        try await people.populate()
        let (low, name) = (25, "p00012")
        let removed = try await people.removeAll(
            where: #Predicate<Person> { $0.name == name || ($0.age ?? 0) > low || $0.id == "p00003" }
        )
        #expect(removed == 5)
        #expect(try await people.names() == (10...25).filter { $0 != 12 }.map(Person.id))
        #expect(try await table.base.row("p00003") != nil)
    }

    @Test func nothingHappensWhereNothingMatches() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        let watcher = Watcher(people)
        try await people.populate()
        #expect(try await people.removeAll(where: "age > 100") == 0)
        try await people.add(Person(id: "x", name: "x"))
        try await watcher.until(1, .created)
        #expect(people.count == 4)
        #expect(try await people.names() == ["p00000", "p00001", "p00002", "x"])
    }

    @Test("A blank clause removes nothing", arguments: ["", " ", "\t\n", "\u{A0}\u{2028}"])
    func blankClause(text: String) async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        let error = await #expect(throws: RemoteDataError.self) { try await people.removeAll(where: text) }
        #expect(error?.code == .invalidClause)
        #expect(error?.message.contains("removeAll()") == true)
        #expect(table.count(of: .commit) == 0)
    }

    @Test func aClauseThatCannotBeReadSendsNothing() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        let error = await #expect(throws: RemoteDataError.self) { try await people.removeAll(where: "age >") }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == 5)
        #expect(table.count(of: .commit) == 0)
    }

    @Test func aClauseTheTableRefusesRemovesNothing() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        let error = await #expect(throws: RemoteDataError.self) {
            try await people.removeAll(where: "agee > 1")
        }
        #expect(error?.code == .unknownColumn)
        #expect(try await people.names() == ["p00000", "p00001", "p00002"])
    }
}
