import RemoteData
import RemoteDataTesting
import Testing

/// Writing where others have written meanwhile, unseen.
@Suite(.timeLimit(.minutes(2))) struct StaleRowTests {
    private func open(_ table: FaultyTable, where clause: String = "") async throws -> RemoteDataCollection<
        Person
    > {
        let options = CollectionOptions.pages(of: 10).with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, where: clause, options: options)
        try await people.populate()
        return people
    }

    @Test func anUpdateThatChangesNothingWritesNothingOver() async throws {
        let table = try await makePeople(3)
        let people = try await open(table)
        let person = try await people.row(at: 1)
        try await table.updateByOthers(Person.id(1), #"{"city":"Bonn","name":"other"}"#)
        // Nothing differs from the row as it is known here.
        let stored = try await people.update(person)
        #expect(stored == Person(id: Person.id(1), name: "other", age: 1, city: "Bonn"))
        #expect(try await people.row(at: 1) == stored)
    }

    @Test func removingARowThatIsGoneSaysSo() async throws {
        let table = try await makePeople(3)
        let people = try await open(table)
        try await table.removeByOthers(Person.id(1))
        let error = await #expect(throws: RemoteDataError.self) { try await people.remove(at: 1) }
        #expect(error?.code == .notFound)
        #expect(people.map(\.age) == [0, 2])
    }

    @Test func aRowWithoutAnIDIsSentWhateverTheClauseSaysOfIDs() async throws {
        let table = try await makePeople(3)
        let people = try await open(table, where: "objectId <> 'p00001'")
        #expect(try await people.add(Person(name: "new"))?.name == "new")
        #expect(people.count == 3)
        #expect(try await people.add(Person(id: "p00001", name: "new")) == nil)
    }
}
