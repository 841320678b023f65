import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

private struct Person: Codable, Identifiable, Sendable, Hashable {
    var id: String?
    var name: String?
    var age: Int?
}

/// Collections over tables of Kinto, while others write.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(3))) struct KintoCollectionTests {
    private static let names = ["Ann", "ann", "Zoë", "Bob", "\u{E4}", "", "Émile", "b"]

    private static func json(_ random: inout SeededGenerator) -> String {
        var members: [String] = []
        if random.number(0..<5) > 0 { members.append(#""name":"\#(random.pick(names))""#) }
        if random.number(0..<5) > 0 { members.append(#""age":\#(random.number(0..<30))"#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test(arguments: Kinto.Place.all, ["name, age", "age desc nulls first", "name desc nulls first, age"])
    func everybodyEndsWithTheServersRows(place: Kinto.Place, sort: String) async throws {
        let kinto = try await Kinto(in: place)
        let table = try await kinto.table("t")
        var random = SeededGenerator(seed: 9)
        for number in 0..<40 { try await kinto.put("r\(number)", Self.json(&random), in: "t") }
        var options = CollectionOptions()
        options.pageSize = 7
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: "age > 9 or name = 'Ann'",
            sort: sort,
            options: options
        )
        try await people.populate()
        var changes = people.changes.makeAsyncIterator()
        for _ in 0..<60 {
            let id = "r\(random.number(0..<50))"
            if random.number(0..<4) == 0 {
                _ = try? await kinto.call("DELETE", "/buckets/\(Kinto.bucket)/collections/t/records/\(id)")
            } else {
                try await kinto.put(id, Self.json(&random), in: "t")
            }
        }
        let own = try await people.add(Person(id: "own", name: "Own", age: 15))
        #expect(own?.name == "Own")
        try await kinto.put("last", #"{"name":"Last","age":20}"#, in: "t")
        let query = try Query(Where("age > 9 or name = 'Ann'"), sort: SortTerm.parse(sort))
        let rows = try await table.page(PageRequest(query, limit: 1_000)).rows.map(\.id.description)
        #expect(rows.count > 20)
        // In an order that cannot be reproduced, so many changes at once have everything read anew.
        try await people.populate()
        while people.snapshot().map({ $0?.id }) != rows, await changes.next() != nil {
            try await people.populate()
        }
        #expect(people.snapshot().map { $0?.id } == rows)
        #expect(people.count == rows.count)
    }

    /// Nothing of this needs an account's own bucket to be made first.
    @Test func anAccountsOwnBucketIsThereByItself() async throws {
        let kinto = try await Kinto()
        let account = KintoAuthentication(Kinto.name, password: Kinto.password)
        let server = try KintoServer(
            kinto.process.url,
            as: account,
            storage: .memory,
            pollInterval: .milliseconds(500)
        )
        let people = try await RemoteDataCollection<Person>(table: server.table("people"))
        #expect(people.count == 0)
        var changes = people.changes.makeAsyncIterator()
        let ann = try await people.add(Person(id: nil, name: "Ann", age: nil))
        #expect(ann?.id?.count == 36)
        while let change = await changes.next(), change.ids.isEmpty {}
        #expect(people.snapshot().map { $0?.name } == ["Ann"])
    }
}
