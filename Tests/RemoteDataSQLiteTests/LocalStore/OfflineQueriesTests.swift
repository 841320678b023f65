import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A query has the same rows in the same order offline as from a server.
@Suite(.timeLimit(.minutes(5))) struct OfflineQueriesTests {
    /// Tables that have the same rows: a server's, and local ones.
    private struct Copies {
        let server: any Table
        let local: [(name: String, table: any Table)]
        let rows: [Row]
    }

    private static let names = ["rows", "other rows"]

    private func withCopies(
        seed: UInt64,
        _ body: (Copies, inout ClauseGenerator) async throws -> Void
    ) async throws {
        var generator = ClauseGenerator(seed: seed)
        let tables = MemoryTableStore()
        let server = TableServer(store: tables)
        let url = try await server.start()
        let rest = try RESTServer(url)
        let store = try await LocalStore(path: ":memory:")
        var rows: [Row] = []
        for name in Self.names.reversed() {
            for row in generator.rows(60) {
                // Some hold what no table takes, and some what the server takes no longer.
                guard let draft = try? Draft(row.json, idColumn: "objectId") else { continue }
                _ = try? await tables.table(name, creating: true)?.commit(.upsert([draft]))
            }
            rows = try await rest.table(name).page(PageRequest(Query(), limit: 1_000)).rows
            #expect(rows.count > 40)
            try await store.pinAll(rows, in: name, label: "kept")
        }
        let name = Self.names[0]
        let copies = Copies(
            server: rest.table(name),
            local: [("store", try store.table(name)), ("label", try store.table(name, label: "kept"))],
            rows: rows
        )
        try await body(copies, &generator)
        await store.close()
        await server.stop()
    }

    /// What a call answers: the rows, or why not.
    private func answer(_ table: any Table, _ request: PageRequest) async -> (rows: [Row], refusal: String?) {
        do throws(RemoteDataError) {
            return (try await table.page(request).rows.map { $0.at(nil) }, nil)
        } catch { return ([], "\(error.code)") }
    }

    private func count(_ table: any Table, _ query: Query) async -> String {
        do throws(RemoteDataError) { return "\(try await table.count(query).value)" } catch {
            return "\(error.code)"
        }
    }

    private func clause(_ generator: inout ClauseGenerator, depth: Int = 2) -> Where {
        guard generator.random.chance(3) else { return generator.clause(depth: depth) }
        let query = SubQuery(
            generator.column(),
            from: generator.random.pick(Self.names + ["none"]),
            where: depth > 0 && generator.random.chance(2) ? clause(&generator, depth: depth - 1) : nil
        )
        let operand = Where.Operand.column(generator.column())
        let condition = Where.isAmong(operand, query)
        return generator.random.chance(3) ? .not(condition) : condition
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aQueryHasTheSameRowsInTheSameOrderOfflineAsFromTheServer(seed: UInt64) async throws {
        try await withCopies(seed: seed) { copies, generator in
            var (found, refused) = (0, 0)
            for _ in 0..<80 {
                let filter = generator.random.chance(5) ? nil : clause(&generator)
                // What cannot be written down, such as a pattern that ends in its escape character, nobody can ask a server.
                if let filter, (try? Where(filter.description)) == nil { continue }
                let query = Query(filter, sort: generator.sort())
                let start: PageRequest.Start =
                    switch generator.random.number(0..<4) {
                    case 0: .after(generator.key(query.sort, of: copies.rows))
                    case 1: .before(generator.key(query.sort, of: copies.rows))
                    case 2: .offset(generator.random.number(0..<70))
                    default: .offset(0)
                    }
                let limit = generator.random.pick([1, 7, 100])
                let request = PageRequest(query, start: start, limit: limit)
                let expected = await answer(copies.server, request)
                let expectedCount = await count(copies.server, query)
                for (name, table) in copies.local {
                    let answer = await answer(table, request)
                    #expect(
                        answer.rows.map(\.id) == expected.rows.map(\.id),
                        "seed \(seed), \(name): \(request)"
                    )
                    #expect(answer.rows == expected.rows, "seed \(seed), \(name): \(request)")
                    #expect(answer.refusal == expected.refusal, "seed \(seed), \(name): \(request)")
                    #expect(await count(table, query) == expectedCount, "seed \(seed), \(name): \(query)")
                }
                found += expected.rows.count
                refused += expected.refusal == nil ? 0 : 1
            }
            // Otherwise nothing was compared.
            #expect(found > 100 && refused < 60, "\(found) rows, \(refused) refused")
        }
    }

    @Test func aCollectionOverTheStoreFollowsASubQuery() async throws {
        let store = try await LocalStore(path: ":memory:")
        let (people, posts) = (try store.table("people"), try store.table("posts"))
        _ = try await people.commit(.create([try draft(#"{"objectId":"ann","age":30}"#)]))
        _ = try await posts.commit(
            .create([try draft(#"{"objectId":"1","by":"ann"}"#), try draft(#"{"objectId":"2","by":"bob"}"#)])
        )
        let rows = try await RemoteDataCollection<Post>(
            table: posts,
            where: "by in (select objectId from people where age > 20)"
        )
        #expect(try await rows.rows.collected().map(\.objectId) == ["1"])
        var changes = rows.changes.makeAsyncIterator()
        try await rows.untilLive()
        _ = try await people.commit(.create([try draft(#"{"objectId":"bob","age":21}"#)]))
        while let change = await changes.next(), change.type != .created {}
        #expect(try await rows.rows.collected().map(\.objectId) == ["1", "2"])
        await store.close()
    }

    private struct Post: Codable, Identifiable, Sendable {
        var objectId: String?
        var by: String
        var id: String? { objectId }
    }
}
