import RemoteData
import RemoteDataTesting
import Testing

/// A row that is not what the element type expects, among others that are.
@Suite(.timeLimit(.minutes(2))) struct UndecodableRowTests {
    private typealias People = RemoteDataCollection<Person>

    /// Five people, the one in the middle with a number for a name.
    private func makeTable() async throws -> FaultyTable {
        let table = try await makePeople(5)
        try await table.putByOthers(#"{"objectId":"p00002","name":31415,"age":2}"#)
        return table
    }

    @Test(arguments: [1, 2, 3, 10]) func aLoopLeavesItOutAndTheErrorHandlerNamesIt(pageSize: Int) async throws
    {
        let people = try await People(table: makeTable(), options: .pages(of: pageSize))
        let watcher = Watcher(people)
        #expect(try await onThread { people.map(\.age) } == [0, 1, 3, 4])
        #expect(people.iterationError?.code == .invalidRow)
        #expect(people.iterationError?.message.contains("p00002") == true)
        #expect(people.isLoaded)
        #expect(people.count == 5)
        try await watcher.until("an error") { $0.contains { if case .failed = $0 { true } else { false } } }
        let error = try #require(watcher.errors.first)
        #expect(error.code == .invalidRow)
        #expect(error.message.contains("p00002"))
        #expect(error.message.contains("name"))
        #expect(!error.description.contains("31415"))
    }

    @Test(arguments: [1, 2, 3, 10]) func anIterationReportsItOnce(pageSize: Int) async throws {
        let table = try await makeTable()
        let people = try await People(table: table, options: .pages(of: pageSize))
        let watcher = Watcher(people)
        #expect(try await onThread { people.map(\.age) } == [0, 1, 3, 4])
        table.fail(.count, with: .denied)
        await #expect(throws: RemoteDataError.self) { try await people.refresh() }
        try await watcher.until("the last error") {
            $0.contains { if case .failed(let error) = $0 { error.code == .forbidden } else { false } }
        }
        #expect(watcher.errors.map(\.code) == [.invalidRow, .forbidden])
    }

    @Test func readingItByPositionThrowsAndItsNeighboursAreThere() async throws {
        let people = try await People(table: makeTable())
        let error = await #expect(throws: RemoteDataError.self) { try await people.row(at: 2) }
        #expect(error?.code == .invalidRow)
        #expect(error?.message.contains("p00002") == true)
        #expect(error?.message.contains("name") == true)
        #expect(try await people.row(at: 1) == Person(number: 1))
        #expect(try await people.row(at: 3) == Person(number: 3))
        #expect(people.loadedRow(at: 2) == nil)
        #expect(people.loadedRow(at: 3)?.age == 3)
        #expect(people.snapshot().map { $0?.age } == [0, 1, nil, 3, 4])
        #expect(try await onThread { people[3].age } == 3)
    }

    @Test("An asynchronous loop leaves it out as well, and throws after the last row")
    func asynchronousLoop() async throws {
        let people = try await People(table: makeTable(), options: .pages(of: 2))
        var rows = people.rows.makeAsyncIterator()
        var ages: [Int?] = []
        for _ in 0..<4 { ages.append(try await rows.next()?.age) }
        #expect(ages == [0, 1, 3, 4])
        let error = await #expect(throws: RemoteDataError.self) { _ = try await rows.next() }
        #expect(error?.code == .invalidRow)
        #expect(error?.message.contains("p00002") == true)
        #expect(try await rows.next() == nil)
    }

    @Test func itIsReadOnceOthersHaveRepairedIt() async throws {
        let table = try await makeTable()
        let people = try await People(table: table)
        let watcher = Watcher(people)
        try await people.populate()
        #expect(try await onThread { people.map(\.age) } == [0, 1, 3, 4])
        try await table.updateByOthers("p00002", #"{"name":"right"}"#)
        try await watcher.until(1, .updated)
        #expect(try await people.row(at: 2) == Person(id: "p00002", name: "right", age: 2))
        #expect(try await onThread { people.map(\.age) } == [0, 1, 2, 3, 4])
        #expect(people.iterationError == nil)
    }

    @Test func itMayBeRepairedAndRemovedThroughTheCollection() async throws {
        let people = try await People(table: makeTable())
        try await people.populate()
        try await people.update(Person(id: "p00002", name: "right", age: 2))
        #expect(try await people.row(at: 2).name == "right")
        let others = try await People(table: makeTable())
        #expect(try await others.remove(Person(id: "p00002", name: "")))
        #expect(try await others.names() == [0, 1, 3, 4].map(Person.id))
    }

    @Test func aChangeThatBringsOneTellsItsPositionWithoutARow() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        var changes = people.changes.makeAsyncIterator()
        try await people.populate()
        #expect(await changes.next()?.type == .dataLoaded)
        try await table.putByOthers(#"{"objectId":"p00001a","name":7}"#)
        let change = try #require(await changes.next())
        #expect(change.type == .created)
        #expect(change.rows.isEmpty)
        #expect(change.ids == ["p00001a"])
        #expect(change.inserted == [2])
        #expect(people.count == 4)
        #expect(try await people.row(at: 3).age == 2)
    }
}
