import Foundation
import RemoteData
import RemoteDataTesting
import Testing

private struct Traveller: Codable, Identifiable, Sendable {
    struct Home: Codable, Sendable {
        var town: String
        enum CodingKeys: String, CodingKey { case town = "city_name" }
    }

    var id: String?
    var fullName: String
    var nickname: String?
    var age: Int
    var home: Home

    enum CodingKeys: String, CodingKey {
        case id, nickname, age, home
        case fullName = "full_name"
    }
}

/// Collections that are opened with a predicate, and the clause they tell.
@Suite(.timeLimit(.minutes(2))) struct PredicateCollectionTests {
    private typealias Travellers = RemoteDataCollection<Traveller>

    private func makeTable() async throws -> MemoryTable {
        let table = MemoryTable("travellers")
        let rows = [
            #"{"objectId":"a","full_name":"Ann","nickname":"A","age":30,"home":{"city_name":"Rome"}}"#,
            #"{"objectId":"b","full_name":"Bob","nickname":null,"age":20,"home":{"city_name":"Oslo"}}"#,
            #"{"objectId":"c","full_name":"Cid","age":40,"home":{"city_name":"Rome"}}"#,
            #"{"objectId":"d","full_name":"Dan","nickname":"","age":50,"home":{"city_name":"Bonn"}}"#,
        ]
        _ = try await table.commit(.create(rows.map { try draft($0) }))
        return table
    }

    private func ids(_ travellers: Travellers) async throws -> String {
        try await travellers.rows.reduce(into: "") { $0 += $1.id ?? "-" }
    }

    @Test("An element's id is the table's id column in text, too")
    func idInText() async throws {
        let table = try await makeTable()
        for clause in ["id IN ('b', 'd')", "objectId IN ('b', 'd')"] {
            let travellers = try await Travellers(table: table, where: clause, sort: "id DESC")
            #expect(try await ids(travellers) == "db")
            #expect(travellers.whereClause == "objectId IN ('b', 'd')")
            let narrow = try await travellers.narrowed(where: "id > 'b'", sort: "id")
            #expect(try await ids(narrow) == "d")
            #expect(try travellers.loadedRows(where: "id = 'b'").rows.count == 1)
        }
        let all = try await Travellers(table: table)
        #expect(try await all.removeAll(where: "id = 'a'") == 1)
    }

    @Test("Elements that name the table's id column have a column id of their own")
    func ownID() async throws {
        struct Named: Codable, Identifiable, Sendable {
            var key: String
            var id: String { key }
            enum CodingKeys: String, CodingKey { case key = "objectId" }
        }
        let error = await #expect(throws: RemoteDataError.self) {
            try await RemoteDataCollection<Named>(table: makeTable(), where: "id = 'a'")
        }
        #expect(error?.message == "There is no column id in travellers; ids are in objectId.")
    }

    @Test func capturedValuesAreCompared() async throws {
        let (least, town) = (25, "Rome")
        let travellers = try await Travellers(
            table: makeTable(),
            where: #Predicate { $0.age > least && $0.home.town == town }
        )
        #expect(travellers.count == 2)
        #expect(try await ids(travellers) == "ac")
    }

    @Test func propertiesGoByTheirCodingKeys() async throws {
        let travellers = try await Travellers(table: makeTable(), where: #Predicate { $0.fullName == "Bob" })
        #expect(try await ids(travellers) == "b")
        #expect(travellers.whereClause == "full_name = 'Bob'")
        let byTown = try await Travellers(table: makeTable(), where: #Predicate { $0.home.town == "Bonn" })
        #expect(try await ids(byTown) == "d")
    }

    @Test func theIDIsTheIDColumnOfTheTable() async throws {
        let travellers = try await Travellers(table: makeTable(), where: #Predicate { $0.id == "c" })
        #expect(try await ids(travellers) == "c")
        #expect(travellers.whereClause == "objectId = 'c'")
    }

    @Test func nilIsWhatIsNullOrNotThere() async throws {
        let without = try await Travellers(table: makeTable(), where: #Predicate { $0.nickname == nil })
        #expect(try await ids(without) == "bc")
        let with = try await Travellers(table: makeTable(), where: #Predicate { $0.nickname != nil })
        #expect(try await ids(with) == "ad")
        let wanted: String? = nil
        let captured = try await Travellers(table: makeTable(), where: #Predicate { $0.nickname == wanted })
        #expect(try await ids(captured) == "bc")
    }

    @Test func theSortOrderGoesByColumns() async throws {
        let travellers = try await Travellers(
            table: makeTable(),
            where: #Predicate { $0.age < 50 },
            sort: "home.city_name desc, age desc"
        )
        #expect(try await ids(travellers) == "cab")
    }

    @Test func theBlockingFaceOpensTheSame() async throws {
        let table = try await makeTable()
        let found = try await onThread {
            let least = 35
            let travellers = try Travellers(
                table: table,
                where: #Predicate { $0.age >= least },
                sort: "age desc"
            )
            return travellers.map(\.fullName)
        }
        #expect(found == ["Dan", "Cid"])
    }

    @Test func rowsOfOthersComeInAsThePredicateSays() async throws {
        let table = try await makeTable()
        let travellers = try await Travellers(table: table, where: #Predicate { $0.age < 25 })
        let watcher = Watcher(travellers)
        let rows = [
            #"{"objectId":"e","full_name":"Eve","age":60,"home":{"city_name":"Rome"}}"#,
            #"{"objectId":"f","full_name":"Fay","age":10,"home":{"city_name":"Rome"}}"#,
        ]
        _ = try await table.commit(.create(rows.map { try draft($0) }))
        try await watcher.until(1, .created)
        #expect(try await ids(travellers) == "bf")
    }

    @Test func theClauseIsToldAsTextThatOpensTheSame() async throws {
        let table = try await makePeople(30)
        let all = try await RemoteDataCollection<Person>(table: table)
        #expect(all.whereClause == "")
        let some = try await RemoteDataCollection<Person>(table: table, where: " age>20 and name like 'p%' ")
        #expect(some.whereClause == "age > 20 AND name LIKE 'p%'")
        let again = try await RemoteDataCollection<Person>(table: table, where: some.whereClause)
        #expect(again.query == some.query)
        #expect(again.count == 9)
    }
}
