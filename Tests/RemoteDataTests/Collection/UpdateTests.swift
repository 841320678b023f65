import RemoteData
import RemoteDataTesting
import Testing

/// Changing a row, in asynchronous code.
@Suite(.timeLimit(.minutes(2))) struct UpdateTests {
    @Test func returnsTheRowAsTheTableStoredIt() async throws {
        let table = try await makePeople(5)
        let options = CollectionOptions().with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.populate()
        try await table.updateByOthers("p00002", #"{"city":"Rome"}"#)
        let stored = try await people.update(Person(id: "p00002", name: "new", age: 2))
        #expect(stored == Person(id: "p00002", name: "new", age: 2, city: "Rome"))
        #expect(try await people.row(at: 2) == stored)
        // What others may have changed unseen is not sent.
        #expect(table.mutations.map(\.patchText) == [#"{"name":"new"}"#])
    }

    @Test func aPropertyThatBecomesNilBecomesNullInTheTable() async throws {
        let table = try await makePeople(1)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.populate()
        let stored = try await people.update(Person(id: "p00000", name: "p00000"))
        #expect(stored.age == nil)
        #expect(table.mutations.map(\.patchText) == [#"{"age":null}"#])
        #expect(try await people.row(at: 0).age == nil)
    }

    @Test func aRowThatIsNotInTheTableIsNotFound() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        let error = await #expect(throws: RemoteDataError.self) {
            try await people.update(Person(id: "nobody", name: "nobody"))
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("nobody") == true)
        #expect(table.count(of: .commit) == 0)
    }

    @Test func aRowThatOthersHaveRemovedIsNotFound() async throws {
        let table = try await makePeople(3)
        let options = CollectionOptions().with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.populate()
        try await table.removeByOthers("p00001")
        let error = await #expect(throws: RemoteDataError.self) {
            try await people.update(Person(id: "p00001", name: "new"))
        }
        #expect(error?.code == .notFound)
        #expect(try await table.base.row("p00001") == nil)
    }

    @Test func aRowWithoutAnIDIsInvalidAndNothingIsAsked() async throws {
        let table = try await makePeople(3)
        let options = CollectionOptions().with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        for id in [nil, ""] {
            let error = await #expect(throws: RemoteDataError.self) {
                try await people.update(Person(id: id, name: "new"))
            }
            #expect(error?.code == .invalidRow)
        }
        #expect(table.requests.map(\.call) == [.count])
    }

    @Test func aRowThatIsNotLoadedIsReadFirst() async throws {
        let table = try await makePeople(100)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 2))
        let stored = try await people.update(Person(id: "p00077", name: "new", age: 77))
        #expect(stored.name == "new")
        #expect(table.requests.map(\.call).filter { $0 != .subscribe } == [.count, .row, .commit])
        #expect(people.count == 100)
        let row = try await people.row(at: 77)
        #expect(row == stored)
    }

    @Test func whereNoChangesComeRowsStayWhereTheyAreToo() async throws {
        let table = try await makePeople(100)
        let options = CollectionOptions.pages(of: 2).with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let stored = try await people.update(Person(id: "p00077", name: "new", age: 77))
        let row = try await people.row(at: 77)
        #expect(row == stored)
        #expect(people.count == 100)
    }

    @Test func aRowThatCeasesToMatchLeaves() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age < 5")
        let watcher = Watcher(people)
        try await people.populate()
        let stored = try await people.update(Person(id: "p00002", name: "p00002", age: 50))
        #expect(stored.age == 50)
        try await watcher.until(1, .deleted)
        #expect(people.count == 4)
        #expect(try await people.names() == [0, 1, 3, 4].map(Person.id))
    }

    @Test func aRowWhoseSortValuesChangeMoves() async throws {
        let table = try await makePeople(5)
        let people = try await RemoteDataCollection<Person>(table: table, sort: "age")
        try await people.populate()
        var changes = people.changes.makeAsyncIterator()
        try await people.update(Person(id: "p00001", name: "moved", age: 10))
        var change = try #require(await changes.next())
        while change.type == .dataLoaded { change = try #require(await changes.next()) }
        #expect(change.type == .updated)
        #expect(change.moved == [CollectionMove(from: 1, to: 4)])
        #expect(try await people.names() == ["p00000", "p00002", "p00003", "p00004", "moved"])
    }
}
