import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// The faces for code that may block: writing.
@Suite(.timeLimit(.minutes(2))) struct BlockingWritingTests {
    private typealias People = RemoteDataCollection<Person>

    @Test func addReturnsWhatTheServerStored() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let stored = try #require(try await onThread { try people.add(Person(name: "new", age: 1)) })
        let id = try #require(stored.id)
        #expect(stored == Person(id: id, name: "new", age: 1))
        #expect(try await table.base.row(.text(id)) != nil)
        #expect(people.count == 4)
        #expect(try await people.names().sorted() == ["new", "p00000", "p00001", "p00002"])
    }

    @Test func addDiscardsARowThatDoesNotMatchBeforeAnythingIsSent() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table, where: "age < 3")
        #expect(try await onThread { try people.add(Person(name: "old", age: 90)) } == nil)
        #expect(try await onThread { try people.insert(Person(name: "old", age: 90), at: 0) } == nil)
        #expect(table.count(of: .commit) == 0)
        #expect(people.count == 3)
    }

    @Test(arguments: [false, true]) func manyRowsTravelAsOneRequest(isInserted: Bool) async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table, where: "age < 250")
        let new = (0..<300).map { (number: Int) in Person(name: "n\(number)", age: number) }
        let result = try await onThread {
            isInserted ? try people.insert(contentsOf: new, at: 1) : try people.add(contentsOf: new)
        }
        #expect(result.stored.map(\.name) == (0..<250).map { "n\($0)" })
        #expect(result.stored.allSatisfy { $0.id?.isEmpty == false })
        #expect(result.discarded == Array(new[250...]))
        #expect(table.mutations.map(\.createdCount) == [250])
        #expect(people.count == 253)
        #expect(try await people.names().count == 253)
    }

    @Test func nothingIsSentWhenNoRowOfManyMatches() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table, where: "age < 3")
        let old = [Person(name: "a", age: 7), Person(name: "b")]
        let added = try await onThread { try people.add(contentsOf: old) }
        let inserted = try await onThread { try people.insert(contentsOf: old, at: 0) }
        #expect(added.stored == [] && inserted.stored == [])
        #expect(added.discarded == old && inserted.discarded == old)
        #expect(table.count(of: .commit) == 0)
    }

    @Test func insertPutsRowsAtTheirPosition() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let one = try await onThread { try people.insert(Person(id: "z", name: "one"), at: 1) }
        #expect(one == Person(id: "z", name: "one"))
        let two = [Person(id: "y", name: "two"), Person(id: "a", name: "three")]
        let result = try await onThread { try people.insert(contentsOf: two, at: 3) }
        #expect(result.stored == two)
        #expect(try await people.names() == ["p00000", "one", "p00001", "two", "three", "p00002"])
    }

    @Test func updateReturnsWhatTheServerStored() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table, options: CollectionOptions().with(isLive: false))
        try await people.populate()
        try await table.updateByOthers("p00001", #"{"city":"Oslo"}"#)
        let stored = try await onThread { try people.update(Person(id: "p00001", name: "new", age: 1)) }
        #expect(stored == Person(id: "p00001", name: "new", age: 1, city: "Oslo"))
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.update(Person(id: "nobody", name: "nobody")) }
        }
        #expect(error?.code == .notFound)
    }

    @Test func removeTellsWhetherARowWasThere() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        #expect(try await onThread { try people.remove(Person(number: 1)) })
        #expect(try await onThread { try people.remove(Person(number: 1)) } == false)
        #expect(try await onThread { try people.remove(at: 1) } == Person(number: 2))
        #expect(try await people.names() == ["p00000"])
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.remove(Person(name: "nobody")) }
        }
        #expect(error?.code == .invalidRow)
    }

    @Test func removeAllTellsHowManyRowsThereWere() async throws {
        let table = try await makePeople(30)
        let people = try await People(table: table, where: "age >= 10", options: .pages(of: 4))
        #expect(try await onThread { try people.removeAll(where: "age = 5 or age = 15 or age = 16") } == 2)
        let least = 25
        #expect(
            try await onThread { try people.removeAll(where: #Predicate { ($0.age ?? 0) >= least }) } == 5
        )
        #expect(people.count == 13)
        #expect(try await onThread { try people.removeAll() } == 13)
        #expect(people.isEmpty)
        #expect(table.mutations.map(\.isDeleteAll) == [true, true, true])
        #expect(try await table.base.count(nil).value == 10)
    }

    @Test func aPredicateOrClauseThatCannotBeReadSendsNothing() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let byText = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.removeAll(where: "age = 1 b") }
        }
        #expect(byText?.position == 8)
        let byPredicate = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.removeAll(where: #Predicate { $0.name.count > 3 }) }
        }
        #expect(byPredicate?.code == .invalidClause)
        #expect(table.count(of: .commit) == 0)
    }
}
