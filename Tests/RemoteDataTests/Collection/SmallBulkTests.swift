import RemoteData
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct SmallBulkTests {
    private struct Person: Codable, Identifiable, Equatable { var id: String?; var name: String }

    private func people(_ base: any Table, atOnce size: Int) async throws -> RemoteDataCollection<Person> {
        var capabilities = Capabilities.full
        capabilities.maximumBulkSize = size
        return try await RemoteDataCollection(table: LimitedTable(base, to: capabilities))
    }

    private func persons(_ count: Int) -> [Person] {
        (0..<count).map { Person(id: "p\($0)", name: "\($0)") }
    }

    @Test(arguments: [1, 2, 5, 7]) func rowsAreAddedAsManyAtOnceAsTheTableTakes(size: Int) async throws {
        let table = MemoryTable("people")
        let people = try await people(table, atOnce: size)
        let result = try await people.add(contentsOf: persons(5))
        #expect(result.stored == persons(5))
        #expect(people.count == 5)
        #expect(try await table.count(nil).value == 5)
    }

    @Test func insertedRowsStandOneBehindAnother() async throws {
        let people = try await people(MemoryTable("people"), atOnce: 2)
        try await people.add(contentsOf: persons(3))
        let more = (0..<5).map { Person(id: "a\($0)", name: "more") }
        try await people.insert(contentsOf: more, at: 1)
        #expect(people.snapshot().loaded.map(\.id) == ["p0", "a0", "a1", "a2", "a3", "a4", "p1", "p2"])
    }

    @Test func whatIsRefusedLeavesThePartsInFrontOfIt() async throws {
        let table = MemoryTable("people")
        _ = try await table.commit(
            .create([Draft(Array(#"{"objectId":"p3"}"#.utf8)[...], idColumn: "objectId")])
        )
        let people = try await people(table, atOnce: 2)
        let error = await #expect(throws: RemoteDataError.self) {
            try await people.add(contentsOf: persons(5))
        }
        #expect(error?.code == .alreadyExists)
        #expect(error?.message.hasPrefix("2 of 5 rows were added before this: ") == true)
        #expect(try await table.count(nil).value == 3)
        #expect(people.count == 3)
    }
}
