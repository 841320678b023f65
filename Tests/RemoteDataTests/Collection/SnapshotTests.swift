import RemoteData
import RemoteDataTesting
import Testing

/// A collection as it was at one moment.
@Suite(.timeLimit(.minutes(2))) struct SnapshotTests {
    @Test func staysAsItWasWhateverHappensLater() async throws {
        let table = try await makePeople(9)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: .pages(of: 3, readAhead: 0)
        )
        let watcher = Watcher(people)
        _ = try await people.row(at: 4)
        let snapshot = people.snapshot()
        let expected = [nil, nil, nil, 3, 4, 5, nil, nil, nil].map { $0.map { Person(number: $0) } }
        #expect(Array(snapshot) == expected)
        try await people.populate()
        try await people.update(Person(id: "p00004", name: "changed", age: 4))
        try await people.remove(Person(number: 3))
        try await table.removeByOthers("p00005")
        try await watcher.until(2, .deleted)
        try await people.insert(Person(name: "held"), at: 0)
        try await people.refresh()
        try await people.removeAll()
        #expect(people.isEmpty)
        #expect(snapshot.count == 9)
        #expect(Array(snapshot) == expected)
        #expect(snapshot.loaded == (3...5).map { Person(number: $0) })
    }

    @Test func asksForNothing() async throws {
        let table = try await makePeople(20)
        let options = CollectionOptions.pages(of: 5).with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        _ = try await people.row(at: 7)
        let before = table.requests.count
        let snapshot = people.snapshot()
        #expect((0..<20).compactMap { snapshot[$0]?.age } == Array(5..<10))
        #expect(table.requests.count == before)
        #expect(people.loadedCount == 5)
    }

    @Test func heldRowsAreInTheirPlaces() async throws {
        let table = try await makePeople(4)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 2))
        try await people.populate()
        try await people.insert(
            contentsOf: [Person(name: "one"), Person(name: "two")],
            at: 1
        )
        try await people.insert(Person(name: "end"), at: 6)
        let names = people.snapshot().map { $0?.name }
        #expect(names == ["p00000", "one", "two", "p00001", "p00002", "p00003", "end"])
    }

    @Test func anEmptyCollectionHasAnEmptyOne() async throws {
        let table = try await makePeople(0)
        let people = try await RemoteDataCollection<Person>(table: table)
        let snapshot = people.snapshot()
        try await people.add(Person(name: "new"))
        #expect(snapshot.isEmpty)
        #expect(snapshot.loaded == [])
        #expect(people.count == 1)
    }
}
