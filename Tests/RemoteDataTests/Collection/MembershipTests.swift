import RemoteData
import RemoteDataTesting
import Testing

/// Rows that come to match a clause and cease to, by what others write.
@Suite(.timeLimit(.minutes(2))) struct MembershipTests {
    private typealias People = RemoteDataCollection<Person>
    private typealias Changes = ChangeStream<CollectionChange<Person>>.Iterator

    /// The people under ten of twenty, and what happens to them.
    private func open(
        sort: String = "",
        isPopulated: Bool = true
    ) async throws -> (FaultyTable, People, Changes) {
        let table = try await makePeople(20)
        let people = try await People(
            table: table,
            where: "age < 10",
            sort: sort,
            options: .pages(of: 3, readAhead: 0)
        )
        var changes = people.changes.makeAsyncIterator()
        if isPopulated {
            try await people.populate()
            #expect(await changes.next()?.type == .dataLoaded)
        }
        return (table, people, changes)
    }

    @Test func aRowThatCeasesToMatchIsDeletedFromWhereItWas() async throws {
        var (table, people, changes) = try await open()
        try await table.updateByOthers("p00003", #"{"age":50}"#)
        let change = try #require(await changes.next())
        #expect(change.type == .deleted)
        #expect(change.ids == ["p00003"])
        #expect(change.removed == [3])
        #expect(change.inserted.isEmpty && change.updated.isEmpty && change.moved.isEmpty)
        #expect(!change.isOwn)
        #expect(people.count == 9)
        #expect(try await people.names() == (0..<10).filter { $0 != 3 }.map(Person.id))
    }

    @Test func aRowThatComesToMatchIsCreatedWhereItSorts() async throws {
        var (table, people, changes) = try await open(sort: "age desc")
        try await table.updateByOthers("p00015", #"{"age":6}"#)
        let change = try #require(await changes.next())
        #expect(change.type == .created)
        #expect(change.rows == [Person(id: "p00015", name: "p00015", age: 6)])
        #expect(change.inserted == [4])
        #expect(change.removed.isEmpty && change.updated.isEmpty && change.moved.isEmpty)
        #expect(people.count == 11)
        #expect(try await people.row(at: 4).name == "p00015")
    }

    @Test func aRowThatStaysIsUpdatedOrMoves() async throws {
        var (table, people, changes) = try await open(sort: "age")
        try await table.updateByOthers("p00003", #"{"name":"new"}"#)
        let updated = try #require(await changes.next())
        #expect(updated.type == .updated)
        #expect(updated.updated == [3])
        try await table.updateByOthers("p00003", #"{"age":-1}"#)
        let moved = try #require(await changes.next())
        #expect(moved.type == .updated)
        #expect(moved.moved == [CollectionMove(from: 3, to: 0)])
        #expect(try await people.row(at: 0).name == "new")
        #expect(people.count == 10)
    }

    @Test func whatHappensOutsideOfTheClauseIsNotTold() async throws {
        var (table, people, changes) = try await open()
        try await table.updateByOthers("p00015", #"{"age":99}"#)
        try await table.removeByOthers("p00016")
        try await table.putByOthers(#"{"objectId":"x","name":"x","age":77}"#)
        try await table.putByOthers(#"{"objectId":"y","name":"y","age":1}"#)
        let change = try #require(await changes.next())
        #expect(change.type == .created)
        #expect(change.ids == ["y"])
        #expect(people.count == 11)
    }

    @Test func rowsThatAreNotLoadedLeaveAndEnterToo() async throws {
        var (table, people, changes) = try await open(isPopulated: false)
        _ = try await people.row(at: 0)
        try await table.updateByOthers("p00007", #"{"age":50}"#)
        let left = try #require(await changes.next())
        #expect(left.type == .deleted)
        #expect(left.ids == ["p00007"])
        #expect(people.count == 9)
        try await table.updateByOthers("p00012", #"{"age":5}"#)
        let entered = try #require(await changes.next())
        #expect(entered.type == .created)
        #expect(entered.ids == ["p00012"])
        #expect(people.count == 10)
        #expect(people.loadedCount == 3)
        #expect(try await people.names() == (0..<10).filter { $0 != 7 }.map(Person.id) + ["p00012"])
    }

    @Test func aRowThatGoesAndComesBackIsThereOnce() async throws {
        var (table, people, changes) = try await open()
        for age in [50, 5, 60, 6] { try await table.updateByOthers("p00002", #"{"age":\#(age)}"#) }
        var types: [EventType?] = []
        for _ in 0..<4 { types.append(await changes.next()?.type) }
        #expect(types == [.deleted, .created, .deleted, .created])
        #expect(try await people.names() == (0..<10).map(Person.id))
        #expect(try await people.row(at: 2).age == 6)
    }

    @Test func aDeletionByClauseTakesTheRowsOfTheCollection() async throws {
        var (table, people, changes) = try await open()
        _ = try await table.base.commit(.deleteAll(try Where.parse("age > 6 and age < 15")))
        let change = try #require(await changes.next())
        #expect(change.type == .bulkDeleted)
        #expect(change.removed == [7, 8, 9])
        #expect(Set(change.ids) == ["p00007", "p00008", "p00009"])
        #expect(people.count == 7)
        #expect(try await people.names() == (0..<7).map(Person.id))
    }

    @Test func aChangeOfManyRowsByClauseMovesThemInAndOut() async throws {
        let (table, people, _) = try await open()
        let watcher = Watcher(people)
        let patch = Array(#"{"age":4}"#.utf8)[...]
        _ = try await table.base.commit(.updateAll(try Where.parse("age >= 18"), patch: patch))
        try await watcher.until(2, .created)
        let out = Array(#"{"age":40}"#.utf8)[...]
        _ = try await table.base.commit(.updateAll(try Where.parse("age < 3"), patch: out))
        try await watcher.until(3, .deleted)
        #expect(try await people.names() == (3..<10).map(Person.id) + ["p00018", "p00019"])
    }
}
