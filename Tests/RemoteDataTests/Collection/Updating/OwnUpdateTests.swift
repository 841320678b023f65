import RemoteData
import RemoteDataTesting
import Testing

/// Updates of rows that only their own collection has changed.
@Suite(.timeLimit(.minutes(2))) struct OwnUpdateTests {
    private func open() async throws -> (FaultyTable, RemoteDataCollection<Person>) {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.untilLive()
        try await people.populate()
        return (table, people)
    }

    @Test("A second copy does not undo what the first one changed")
    func secondCopyIsRefused() async throws {
        let (table, people) = try await open()
        var (one, other) = (try await people.row(at: 1), try await people.row(at: 1))
        one.age = 4242
        try await people.update(one)
        other.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(other) }
        #expect(error?.code == .conflict)
        #expect(table.mutations.count == 1)
    }

    @Test("A third copy does not undo what the first ones changed", arguments: [true, false])
    func thirdCopyIsRefused(isAgeFirst: Bool) async throws {
        let (table, people) = try await open()
        var third = try await people.row(at: 1)
        for isAge in [isAgeFirst, !isAgeFirst] {
            var person = try await people.row(at: 1)
            if isAge { person.age = 4242 } else { person.name = "new" }
            try await people.update(person)
        }
        third.name = "newer"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(third) }
        #expect(error?.code == .conflict)
        #expect(table.mutations.count == 2)
    }

    @Test("An own change can be changed back, again and again")
    func changingBack() async throws {
        let (table, people) = try await open()
        var person = try await people.row(at: 1)
        for age in [2, 1, 2, 1, nil, 1] {
            person.age = age
            person = try await people.update(person)
            #expect(person.age == age)
        }
        #expect(table.mutations.count == 6)
    }

    @Test("An own change can be changed back together with what always changes with it")
    func changingBackWithACompanion() async throws {
        let (_, people) = try await open()
        var person = try await people.row(at: 1)
        for round in 0..<6 {
            person.age = round % 2
            person.city = "visit \(round)"
            person = try await people.update(person)
            #expect(person.age == round % 2 && person.city == "visit \(round)")
        }
    }

    @Test("The same element can be changed and updated again and again")
    func goingOnWithTheSameElement() async throws {
        let table = FaultyTable(NumberingTable())
        try await makePeople(3, in: table)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.untilLive()
        var person = try await people.row(at: 1)
        for round in 1...5 {
            person.age = 10 + round % 2
            #expect(try await people.update(person).city == "\(2 * round - 1)")
            try await people.update(person)
        }
        let patches = Set(table.mutations.compactMap(\.patchText))
        #expect(patches == ["{}", #"{"age":10}"#, #"{"age":11}"#])
    }

    @Test("An own change can be changed back after others changed something else")
    func changingBackAmongOthers() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        var person = try await people.row(at: 1)
        person.age = 2
        try await people.update(person)
        try await table.updateByOthers(Person.id(1), #"{"city":"Bonn"}"#)
        try await watcher.until(2, .updated)
        person = try await people.row(at: 1)
        person.age = 1
        let stored = try await people.update(person)
        #expect(stored == Person(id: Person.id(1), name: Person.id(1), age: 1, city: "Bonn"))
    }

    @Test("What another changed is changed back by an update from the original alone")
    func changingBackOfOthers() async throws {
        let (table, people) = try await open()
        let watcher = Watcher(people)
        _ = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"age":2}"#)
        try await watcher.until(1, .updated)
        let newer = try await people.row(at: 1)
        var back = newer
        back.age = 1
        let (stale, original) = (back, newer)
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(stale) }
        #expect(error?.code == .conflict)
        #expect(try await people.update(stale, from: original).age == 1)
    }

    @Test("A pass that changes every row, over and over, is never refused")
    func passesOverEveryRow() async throws {
        let table = try await makePeople(300)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.populate()
        for round in 0..<15 {
            for try await var person in people.rows {
                person.city = round % 2 == 0 ? "Rome" : nil
                try await people.update(person)
            }
        }
        #expect(table.mutations.count == 4_500)
    }
}

/// A table that writes into a column of a row how often rows were changed.
private final class NumberingTable: ForwardingTable {
    private let base = MemoryTable("people")
    private let changes = Counter()

    var wrapped: any Table { base }

    func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        guard case .update(let id, let patch, let condition) = mutation else {
            return try await base.commit(mutation, idempotencyKey: idempotencyKey)
        }
        changes.add()
        let number = Array(#"{"city":"\#(changes.value)"}"#.utf8)[...]
        let numbered = try JSONObject.merging(number, into: patch)
        return try await base.commit(
            .update(id, patch: numbered, ifRevision: condition),
            idempotencyKey: idempotencyKey
        )
    }
}
