import RemoteData
import RemoteDataTesting
import Testing

/// Updates of rows that were given out and are not loaded any more, or were loaded anew.
@Suite(.timeLimit(.minutes(2))) struct ForgottenRowTests {
    private typealias People = RemoteDataCollection<Person>

    private func expectConflict(_ people: RemoteDataCollection<Person>, _ person: Person) async {
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("A row forgotten by a limit is remembered", arguments: [true, false], [600, 6_000, 20_000])
    func rowBeyondTheLimit(isLive: Bool, count: Int) async throws {
        let table = try await makePeople(count)
        var options = CollectionOptions.pages(of: 100).with(isLive: isLive)
        options.cacheLimit = 100
        let people = try await People(table: table, options: options)
        if isLive { try await people.untilLive() }
        let (first, second) = (try await people.row(at: 0), try await people.row(at: 1))
        for try await _ in people.rows {}
        try await table.updateByOthers(Person.id(0), #"{"age":4242}"#)
        var changed = first
        changed.name = "new"
        await expectConflict(people, changed)
        #expect(try await people.update(changed, from: first).age == 4242)
        // Of one that has not changed, everything can be changed.
        changed = second
        changed.name = "new"
        #expect(try await people.update(changed).name == "new")
        changed.age = 7
        #expect(try await people.update(changed).age == 7)
    }

    @Test("A row forgotten by reading everything anew is remembered", arguments: [true, false])
    func refreshedRow(isLive: Bool) async throws {
        let table = try await makePeople(300)
        let people = try await People(table: table, options: .pages(of: 100).with(isLive: isLive))
        if isLive { try await people.untilLive() }
        var stale = try await people.row(at: 0)
        try await table.updateByOthers(Person.id(0), #"{"age":4242}"#)
        try await people.refresh()
        stale.name = "new"
        await expectConflict(people, stale)
        try await people.populate()
        await expectConflict(people, stale)
        var fresh = try await people.row(at: 0)
        fresh.name = "new"
        #expect(try await people.update(fresh).age == 4242)
    }

    @Test("Without changes an update sends only what its caller changed")
    func withoutChanges() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table, options: CollectionOptions().with(isLive: false))
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        person.name = "new"
        let stored = try await people.update(person)
        #expect(stored == Person(id: Person.id(1), name: "new", age: 4242))
        #expect(table.mutations.map(\.patchText) == [#"{"name":"new"}"#])
        // What another wrote, and the answer showed, is not undone.
        person.city = "Bonn"
        #expect(
            try await people.update(person) == Person(id: Person.id(1), name: "new", age: 4242, city: "Bonn")
        )
        #expect(table.mutations.last?.patchText == #"{"city":"Bonn"}"#)
        // The same element again changes nothing.
        #expect(try await people.update(person).age == 4242)
    }

    @Test("An element that was made by its caller is sent where it differs from the row")
    func elementOfTheCaller() async throws {
        let table = try await makePeople(100)
        let people = try await People(table: table, options: .pages(of: 10))
        try await table.updateByOthers(Person.id(5), #"{"age":4242}"#)
        let stored = try await people.update(Person(id: Person.id(5), name: "new", age: 5))
        #expect(stored.age == 5 && stored.name == "new")
    }

    @Test("Of a row that changed very often, columns that have not changed are sent")
    func versionsThatAreDropped() async throws {
        let table = try await makePeople(2)
        let people = try await People(table: table)
        try await people.untilLive()
        try await people.populate()
        let watcher = Watcher(people)
        var first = try await people.row(at: 0)
        let second = try await people.row(at: 1)
        for age in 0..<5_000 {
            try await table.updateByOthers(Person.id(1), #"{"age":\#(age + 10)}"#)
            try await watcher.until(age + 1, .updated)
            _ = try await people.row(at: 1)
        }
        var stale = second
        stale.name = "new"
        await expectConflict(people, stale)
        var fresh = try await people.row(at: 1)
        fresh.name = "new"
        #expect(try await people.update(fresh).age == 5_009)
        fresh.age = -1
        await expectConflict(people, fresh)
        let newest = try await people.row(at: 1)
        #expect(try await people.update(fresh, from: newest).age == -1)
        first.age = -1
        #expect(try await people.update(first).age == -1)
    }
}
