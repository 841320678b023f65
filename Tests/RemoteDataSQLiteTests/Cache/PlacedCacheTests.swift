import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Collections over a table that sorts text in an order of its own, kept from launch to launch.
@Suite(.timeLimit(.minutes(2))) struct PlacedCacheTests {
    private typealias Person = CacheTests.Person

    /// A server, and a program with a store that is launched again and again.
    private struct Fixture {
        let base = MemoryTable("people")
        let folder: TemporaryFolder

        init(_ names: [String]) async throws {
            folder = try TemporaryFolder()
            try await put(names)
        }

        func put(_ names: [String], from first: Int = 0) async throws {
            let drafts = try names.enumerated().map { number, name in
                try draft(
                    "{\"objectId\":\"p\(1_000 + first + number)\",\"name\":\"\(name)\",\"age\":\(number)}"
                )
            }
            _ = try await base.commit(.upsert(drafts))
        }

        func launch<Result>(
            online: Bool = true,
            _ body: (RemoteDataCollection<Person>, FaultyTable, LocalStore) async throws -> Result
        ) async throws -> Result {
            let store = try await LocalStore(path: folder.file("cache.db"), cacheLimit: nil)
            let table = FaultyTable(CollatedTable(base))
            if !online { for call in FaultyTable.Call.allCases { table.fail(call) } }
            var options = CollectionOptions()
            options.pageSize = 5
            let people = try await RemoteDataCollection<Person>(
                table: table,
                sort: "name",
                options: options,
                cache: store
            )
            let result = try await body(people, table, store)
            await store.close()
            return result
        }

        /// The names in the order of the server.
        func expected() async throws -> [String] {
            let query = Query(sort: try SortTerm.parse("name"))
            let page = try await CollatedTable(base).page(PageRequest(query, limit: 1_000))
            return page.rows.map { "\($0.id) \($0["name"])" }
        }
    }

    private static let names = [
        "bob", "Ann", "ann", "ANN", "Zoe", "zoe", "cid", "Bob", "dan", "Eve", "eve", "fay", "Gus", "gus",
        "hal",
    ]

    private static func seen(_ people: RemoteDataCollection<Person>) async throws -> [String] {
        try await people.rows.collected().map { "\($0.id ?? "") \(Value.text($0.name))" }
    }

    @Test func theNextLaunchShowsAllThatWasReadInTheOrderOfTheServer() async throws {
        let fixture = try await Fixture(Self.names)
        let expected = try await fixture.expected()
        try await fixture.launch { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
        try await fixture.launch(online: false) { people, table, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
            #expect(people.count == expected.count)
            #expect(table.count(of: .page) == 0)
        }
    }

    @Test func whatHappensSinceIsPutInItsPlace() async throws {
        let fixture = try await Fixture(Self.names)
        try await fixture.launch { people, _, _ in _ = try await Self.seen(people) }
        try await fixture.put(["aNN", "gUS", "zoE", "bOb"], from: 100)
        _ = try await fixture.base.commit(.delete("p1003"))
        try await fixture.put(["Yan"], from: 0)
        try await fixture.launch { people, _, _ in
            _ = try await people.row(at: 0)
            let expected = try await fixture.expected()
            var seen = try await Self.seen(people)
            // What has changed comes by and by; the test's time limit is the deadline.
            while seen != expected { seen = try await Self.seen(people) }
            try await fixture.put(["hAL", "AnN"], from: 200)
            try await people.add(Person(id: "p2000", name: "dAn", age: 1))
            var changes = people.changes.makeAsyncIterator()
            while people.count < seen.count + 3 { _ = await changes.next() }
        }
        try await fixture.launch(online: false) { people, _, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
        }
    }

    @Test func aPartThatWasReadIsShownAndTheRestAskedFor() async throws {
        let fixture = try await Fixture(Self.names)
        let expected = try await fixture.expected()
        try await fixture.launch { people, _, _ in try await people.prefetch(0..<10) }
        try await fixture.launch(online: false) { people, _, _ in
            let last = try await people.row(at: 9)
            #expect("\(last.id ?? "") \(Value.text(last.name))" == expected[9])
            let error = await failure { () async throws(RemoteDataError) in try await people.row(at: 10) }
            #expect(error?.code == .unreachable)
        }
        try await fixture.launch { people, table, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
    }

    /// Another query brings a newer version, of which nobody knows where it stands.
    @Test func aRowThatAnotherQueryChangedIsNotShownWhereItWas() async throws {
        let fixture = try await Fixture(Self.names)
        try await fixture.launch { people, _, _ in _ = try await Self.seen(people) }
        try await fixture.put(["zzz"], from: 6)
        try await fixture.launch { people, table, store in
            // This one is not asked for anything, the other one reads all.
            let others = try await RemoteDataCollection<Person>(
                table: CollatedTable(fixture.base),
                cache: store
            )
            try await others.populate()
        }
        try await fixture.launch(online: false) { people, _, _ in
            var names: [String] = []
            for position in 0..<people.count {
                guard let person = try? await people.row(at: position) else { break }
                names.append(person.name)
            }
            #expect(
                !names.contains("cid") && names.firstIndex(of: "zzz").map { $0 == names.count - 1 } ?? true
            )
        }
    }

    @Test func whatIsEvictedLeavesAGap() async throws {
        let fixture = try await Fixture(Self.names)
        try await fixture.launch { people, _, store in
            _ = try await Self.seen(people)
            await store.flush()
        }
        let store = try await LocalStore(path: fixture.folder.file("cache.db"), cacheLimit: 300)
        let people = try await RemoteDataCollection<Person>(
            table: CollatedTable(fixture.base),
            sort: "name",
            cache: store
        )
        let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
        #expect(seen == expected)
        await store.close()
        try await fixture.launch { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
    }
}
