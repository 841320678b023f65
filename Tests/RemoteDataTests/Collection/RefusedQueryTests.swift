import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// Clauses, sort orders and predicates that a collection cannot be opened with.
@Suite(.timeLimit(.minutes(2))) struct RefusedQueryTests {
    private typealias People = RemoteDataCollection<Person>

    @Test(arguments: [
        ("age =", "", 5), ("age = 1 b", "", 8), ("a == 5", "", 2), ("name = 'x", "", 7),
        ("age > 1 and", "", 11),
        ("age > 1", "lower(name)", 0), ("", "name nulls sideways", 11), ("", "age desc name", 9),
    ])
    func whatCannotBeReadIsRefusedWithItsPosition(clause: String, sort: String, position: Int) async throws {
        let table = try await makePeople(3)
        let error = await #expect(throws: RemoteDataError.self) {
            try await People(table: table, where: clause, sort: sort)
        }
        let blocking = await #expect(throws: RemoteDataError.self) {
            try await onThread { try People(table: table, where: clause, sort: sort) }
        }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == position)
        #expect(blocking?.code == .invalidClause)
        #expect(blocking?.position == position)
        #expect(table.requests.isEmpty)
    }

    @Test func aColumnTheTableDoesNotHaveIsNamedWithTheNearest() async throws {
        let table = try await makePeople(3)
        let error = await #expect(throws: RemoteDataError.self) {
            try await People(table: table, where: "agee > 1")
        }
        #expect(error?.code == .unknownColumn)
        #expect(error?.message.contains("agee") == true)
        #expect(error?.message.contains("did you mean age?") == true)
        let blocking = await #expect(throws: RemoteDataError.self) {
            try await onThread { try People(table: table, where: "naem = 'a'") }
        }
        #expect(blocking?.code == .unknownColumn)
        let byPredicate = await #expect(throws: RemoteDataError.self) {
            try await People(table: table, where: #Predicate { $0.city == "Rome" })
        }
        #expect(byPredicate?.code == .unknownColumn)
        #expect(byPredicate?.message.contains("city") == true)
    }

    @Test func aSortColumnTheTableDoesNotHaveIsRefusedWhenOpening() async throws {
        let table = try await makePeople(3)
        let error = await #expect(throws: RemoteDataError.self) {
            try await People(table: table, where: "age > 0", sort: "naem")
        }
        #expect(error?.code == .unknownColumn)
    }

    @Test func anEmptyTableTakesAnyColumn() async throws {
        let table = try await makePeople(0)
        let people = try await People(table: table, where: "city = 'Rome'", sort: "street")
        #expect(try await people.names() == [])
        #expect(try await people.add(Person(name: "new", city: "Rome"))?.name == "new")
        #expect(people.count == 1)
    }

    @Test func aPredicateThatIsNoClauseIsRefusedBeforeAnythingIsAsked() async throws {
        let table = try await makePeople(3)
        let error = await #expect(throws: RemoteDataError.self) {
            try await People(table: table, where: #Predicate { $0.name.count > 3 })
        }
        #expect(error?.code == .invalidClause)
        let blocking = await #expect(throws: RemoteDataError.self) {
            try await onThread { try People(table: table, where: #Predicate { $0.name.count > 3 }) }
        }
        #expect(blocking?.code == .invalidClause)
        #expect(table.requests.isEmpty)
    }

    @Test func whatTheTableRefusesIsThrown() async throws {
        let table = try await makePeople(3)
        table.fail(.count, with: .denied)
        let error = await #expect(throws: RemoteDataError.self) { try await People(table: table) }
        #expect(error?.code == .forbidden)
        let blocking = await #expect(throws: RemoteDataError.self) {
            try await onThread { try People(table: table) }
        }
        #expect(blocking?.code == .forbidden)
    }
}
