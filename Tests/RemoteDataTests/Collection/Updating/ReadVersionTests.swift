import RemoteData
import RemoteDataTesting
import Testing

/// Which versions of rows count as read, by whatever way callers get elements of them.
@Suite(.timeLimit(.minutes(2))) struct ReadVersionTests {
    private typealias People = RemoteDataCollection<Person>

    private func open(
        _ count: Int = 3,
        where clause: String = "",
        isLive: Bool = true
    ) async throws -> (FaultyTable, RemoteDataCollection<Person>) {
        let table = try await makePeople(count)
        let options = CollectionOptions().with(isLive: isLive)
        let people = try await People(table: table, where: clause, options: options)
        if isLive { try await people.untilLive() }
        try await people.populate()
        return (table, people)
    }

    @discardableResult
    private func expectConflict(
        _ people: RemoteDataCollection<Person>,
        _ person: Person
    ) async -> RemoteDataError? {
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
        return error
    }

    @Test("A property without a value is not left over either")
    func propertyWithoutAValue() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"city":"Bonn"}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        await expectConflict(people, person)
        #expect(table.mutations.isEmpty)
    }

    @Test("A row that leaves the clause and enters it again is another version")
    func rowThatEntersAgain() async throws {
        let (table, people) = try await open(where: "age < 100")
        let watcher = Watcher(people)
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242,"city":"Bonn"}"#)
        try await watcher.until(1, .deleted)
        person.name = "new"
        await expectConflict(people, person)
        try await table.updateByOthers(Person.id(1), #"{"age":1}"#)
        try await watcher.until(1, .created)
        await expectConflict(people, person)
    }

    @Test("The row that a conflict shows counts as read")
    func rowOfAConflict() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":38}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        let theirs = try #require(await expectConflict(people, person)?.conflict?.theirs)
        var newer = try people.element(from: theirs)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(2, .updated)
        newer.name = "newer"
        await expectConflict(people, newer)
    }

    @Test("A snapshot that is read after a change gives the version from before")
    func snapshotReadLater() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        let snapshot = people.snapshot()
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        var person = try #require(snapshot[1])
        person.name = "new"
        await expectConflict(people, person)
    }

    @Test("An element of a change stays known among very many changes")
    func elementOfAnOldChange() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        var changes = people.changes(buffering: .buffer(10_000)).makeAsyncIterator()
        try await table.updateByOthers(Person.id(1), #"{"age":38}"#)
        var change = await changes.next()
        // Loading may be delivered first.
        while change != nil, change?.type != .updated { change = await changes.next() }
        var person = try #require(change?.rows.first)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        for age in 0..<4_200 { try await table.updateByOthers(Person.id(2), #"{"age":\#(age + 10)}"#) }
        try await watcher.until("the last change") { _ in people.loadedRow(at: 2)?.age == 4_209 }
        person.name = "new"
        await expectConflict(people, person)
        person.age = 4242
        #expect(try await people.update(person).name == "new")
    }

    @Test("What others wrote before an own update stays known after very many of these")
    func elementsOfOwnUpdates() async throws {
        let (table, people) = try await open(4_200, isLive: false)
        var all: [Person] = []
        for try await person in people.rows { all.append(person) }
        try await table.updateByOthers(Person.id(0), #"{"age":4242}"#)
        for position in all.indices {
            all[position].city = "Rome"
            try await people.update(all[position])
        }
        all[0].name = "new"
        await expectConflict(people, all[0])
        all[1].name = "new"
        all[1].city = nil
        #expect(try await people.update(all[1]) == all[1])
    }

    @Test("What an update from the original of another collection left is known")
    func originalOfAnotherCollection() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        let original = Person(id: Person.id(1), name: Person.id(1), age: 38)
        var person = original
        person.city = "Bonn"
        #expect(try await people.update(person, from: original).age == 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(2, .updated)
        person.name = "new"
        await expectConflict(people, person)
    }

    @Test("A row that its collection removed and another made anew is another version")
    func rowMadeAnew() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        var person = try await people.remove(at: 1)
        try await table.putByOthers(#"{"objectId":"p00001","name":"p00001","age":4242}"#)
        try await watcher.until(1, .created)
        person.name = "new"
        await expectConflict(people, person)
    }
}
