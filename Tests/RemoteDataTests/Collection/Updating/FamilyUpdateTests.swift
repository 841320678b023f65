import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// Updates with elements that another of the collections narrowed from one another gave out.
@Suite(.timeLimit(.minutes(2))) struct FamilyUpdateTests {
    private typealias People = RemoteDataCollection<Person>

    /// Who gives out the element and who updates: positions in a family of a collection, one narrowed from
    /// it, one narrowed from that, and a sibling of it.
    struct Pair: Sendable, CustomTestStringConvertible {
        let (giver, writer): (Int, Int)

        static let all = [0, 1, 2, 3].flatMap { giver in
            [0, 1, 2, 3].filter { $0 != giver }.map { Pair(giver: giver, writer: $0) }
        }

        var testDescription: String { "\(giver) gives, \(writer) updates" }
    }

    private func openFamily() async throws -> (FaultyTable, [People]) {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let narrowed = try await people.narrowed(where: "name > 'a'")
        let family = [
            people, narrowed, try await narrowed.narrowed(where: "name > 'b'"),
            try await people.narrowed(where: "name < 'z'", sort: "age desc"),
        ]
        for member in family { try await member.untilLive() }
        return (table, family)
    }

    private func person(_ people: People?) async throws -> Person {
        try #require(try await people?.rows.first { $0.id == Person.id(1) })
    }

    @Test("A stale element of a relative is refused, and both versions are shown", arguments: Pair.all)
    func staleElementOfRelative(pair: Pair) async throws {
        let (table, family) = try await openFamily()
        var person = try await person(family[pair.giver])
        let watcher = Watcher(family[pair.giver])
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        person.name = "secret"
        let error = await #expect(throws: RemoteDataError.self) {
            try await family[pair.writer].update(person)
        }
        #expect(error?.code == .conflict)
        #expect(table.mutations.isEmpty)
        let conflict = try #require(error?.conflict)
        #expect(try conflict.base.map { try family[0].element(from: $0) } == Person(number: 1))
        #expect(try conflict.theirs.map { try family[0].element(from: $0) }?.age == 4242)
    }

    @Test("A stale element of a relative that has ended is refused", arguments: [true, false])
    func staleElementOfEndedRelative(endsBefore: Bool) async throws {
        let (table, all) = try await openFamily()
        let people = all[0]
        var family = Array(all[1...])
        var person = try await person(family.first)
        let watcher = Watcher(people)
        if endsBefore { family = [] }
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        family = []
        person.name = "new"
        let error = await #expect(throws: RemoteDataError.self) { try await people.update(person) }
        #expect(error?.code == .conflict)
    }

    @Test("A change of an element that a relative gave out is sent alone, also where that is newer")
    func newerElementOfRelative() async throws {
        let table = try await makePeople(3)
        var options = CollectionOptions()
        options.isLive = false
        let people = try await People(table: table, options: options)
        try await people.populate()
        let narrowed = try await people.narrowed(where: "name > 'a'", options: CollectionOptions())
        try await narrowed.untilLive()
        try await narrowed.populate()
        let watcher = Watcher(narrowed)
        try await table.updateByOthers(Person.id(1), #"{"age":4242}"#)
        try await watcher.until(1, .updated)
        var person = try await person(narrowed)
        person.name = "new"
        try await people.update(person)
        #expect(table.mutations.map(\.patchText) == [#"{"name":"new"}"#])
    }
}
