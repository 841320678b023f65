import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// Updates from elements that are older than their rows.
@Suite(.timeLimit(.minutes(2))) struct LostUpdateTests {
    private typealias People = RemoteDataCollection<Person>

    /// How a caller gets an element.
    enum Reading: CaseIterable, Sendable {
        case position, loadedRow, iteration, subscripting, snapshot, clause, slice

        func person(_ people: RemoteDataCollection<Person>) async throws -> Person? {
            switch self {
            case .position: try await people.row(at: 1)
            case .loadedRow: people.loadedRow(at: 1)
            case .iteration: try await people.rows.first { $0.age == 1 }
            case .subscripting: try await onThread { people[1] }
            case .snapshot: people.snapshot()[1]
            case .clause: try people.loadedRows(where: "age = 1").rows.first
            case .slice: try await onThread { people[1..<2].first }
            }
        }
    }

    /// Three people who are loaded, and a listener for their changes.
    private func open(sort: String = "") async throws -> (FaultyTable, RemoteDataCollection<Person>, Watcher)
    {
        let table = try await makePeople(3)
        let people = try await People(table: table, sort: sort)
        try await people.untilLive()
        try await people.populate()
        return (table, people, Watcher(people))
    }

    private func stored(_ table: FaultyTable, _ number: Int = 1) async throws -> String? {
        try await table.base.row(.text(Person.id(number)))?.text
    }

    @Test("A stale element is refused, and both versions are shown", arguments: Reading.allCases)
    func staleElementIsRefused(reading: Reading) async throws {
        let (table, people, watcher) = try await open()
        var person = try #require(try await reading.person(people))
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        let before = try await stored(table)
        person.name = "secret"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
        #expect(try await stored(table) == before)
        #expect(table.mutations.isEmpty)
        let conflict = try #require(error?.conflict)
        #expect(conflict.table == "people")
        #expect(try conflict.base.map { try people.element(from: $0) } == Person(number: 1))
        #expect(try conflict.mine.map { try people.element(from: $0) } == person)
        #expect(try conflict.theirs.map { try people.element(from: $0) }?.age == 4242)
        let text = "\(error.map { "\($0) \(String(reflecting: $0))" } ?? "")"
        #expect(text.contains("age") && text.contains("update(_:from:)"))
        #expect(!text.contains("4242") && !text.contains("secret"))
    }

    @Test("A row that moves by its change is remembered as well")
    func movingRowIsRemembered() async throws {
        let (table, people, watcher) = try await open(sort: "age")
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("An update from the original sends exactly what differs")
    func updateFromTheOriginal() async throws {
        let (table, people, watcher) = try await open()
        let person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        var changed = person
        changed.name = "new"
        let stored = try await people.update(changed, from: person)
        #expect(stored == Person(id: Person.id(1), name: "new", age: 4242))
        #expect(table.mutations.map(\.patchText) == [#"{"name":"new"}"#])
        // What another changed can be changed back so.
        var back = stored
        back.age = 1
        #expect(try await people.update(back, from: stored).age == 1)
    }

    @Test("An update from a row with another id is refused")
    func originalOfAnotherRow() async throws {
        let (table, people, _) = try await open()
        let error = await #expect(throws: RemoteDataError.self) {
            try await people.update(Person(number: 1), from: Person(number: 2))
        }
        #expect(error?.code == .invalidRow)
        #expect(table.mutations.isEmpty)
    }

    @Test("An element of the newest version is sent, whatever others wrote before")
    func newestVersionIsSent() async throws {
        let (table, people, watcher) = try await open()
        _ = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        var person = try await people.row(at: 1)
        person.name = "new"
        #expect(try await people.update(person).age == 4242)
        person.age = 7
        #expect(try await people.update(person).age == 7)
        #expect(table.mutations.map(\.patchText) == [#"{"name":"new"}"#, #"{"age":7}"#])
    }

    @Test("What the caller and another changed alike hides nothing else")
    func sameChangeTwice() async throws {
        let (table, people, watcher) = try await open()
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242,"name":"new"}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("A row that was removed and made anew is another version")
    func rowMadeAnew() async throws {
        let (table, people, watcher) = try await open()
        var person = try await people.row(at: 1)
        try await table.removeByOthers(Person.id(1))
        try await table.putByOthers(#"{"objectId":"p00001","name":"p00001","age":4242}"#)
        try await watcher.until(1, .created)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("A row held at a position is remembered as well")
    func heldRowIsRemembered() async throws {
        let (table, people, watcher) = try await open()
        let inserted = try await people.insert(Person(id: "a", name: "a", age: 1), at: 2)
        var person = try #require(inserted)
        try await table.updateByOthers("a", #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("An element that came with a change is remembered")
    func elementOfAChange() async throws {
        let (table, people, watcher) = try await open()
        var changes = people.changes.makeAsyncIterator()
        try await table.updateByOthers(Person.id(1), #"{"age":38}"#)
        var change = await changes.next()
        // Loading may be delivered first.
        while change != nil, change?.type != .updated { change = await changes.next() }
        var person = try #require(change?.rows.first)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(2, .updated)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("What an update returned of a row that is not loaded is remembered")
    func returnedElementOfAnUnloadedRow() async throws {
        let table = try await makePeople(100)
        let people = try await People(table: table, options: .pages(of: 2))
        var person = try await people.update(Person(id: Person.id(77), name: "new", age: 77))
        try await table.updateByOthers(Person.id(77), #"{"age":4242}"#)
        person.name = "newer"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("A row that does not decode any more is not overwritten by an older one")
    func rowThatDoesNotDecode() async throws {
        let (table, people, watcher) = try await open()
        var person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":"many"}"#)
        try await watcher.until(1, .updated)
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
        #expect(try await stored(table)?.contains("many") == true)
    }

    @Test("The blocking update refuses a stale element too")
    func blockingUpdateRefuses() async throws {
        let (table, people, watcher) = try await open()
        let person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        var changed = person
        changed.name = "new"
        let stale = changed
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.update(stale) }
        }
        #expect(error?.code == .conflict)
        #expect(try await onThread { try people.update(stale, from: person) }.age == 4242)
    }
}
