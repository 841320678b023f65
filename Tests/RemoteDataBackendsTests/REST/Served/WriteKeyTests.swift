import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import Testing

/// Changes tell by its idempotency key which write made them, wherever the table is.
@Suite(.timeLimit(.minutes(2))) struct WriteKeyTests {
    private func check(_ table: any Table) async throws {
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        let start = try #require(await reader.live())
        let rows = try ["a", "b"].map { id in
            try Draft(Array("{\"objectId\":\"\(id)\",\"age\":1}".utf8)[...], idColumn: "objectId")
        }
        let patch = Array("{\"age\":2}".utf8)[...]
        _ = try await table.commit(.create(rows), idempotencyKey: "created")
        _ = try await table.commit(.update("a", patch: patch), idempotencyKey: "updated")
        _ = try await table.commit(.delete("a"), idempotencyKey: "deleted")
        let last = try await table.commit(.deleteAll(nil), idempotencyKey: "bulk")
        let keys = ["created", "created", "updated", "deleted", "bulk"]
        #expect(await reader.changes(upTo: last.revision).map(\.idempotencyKey) == keys)
        let batch = try await table.changes(since: start, limit: 10)
        #expect(batch.changes.map(\.idempotencyKey) == keys)
        let late = FeedReader(try await table.subscribe(to: Query(), since: start))
        #expect(await late.changes(upTo: last.revision).map(\.idempotencyKey) == keys)
    }

    @Test func inMemory() async throws { try await check(MemoryTable("people")) }

    @Test func inSQLite() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        try await check(try #require(try await store.table("people", creating: true)))
    }

    @Test func onAServer() async throws {
        try await withServer { url in
            try await check(try RESTServer(url, configuration: .lenient).table("people"))
        }
    }

    @Test func aWriteWithoutAKeyTellsNone() async throws {
        let table = MemoryTable("people")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        let row = try Draft(Array("{}".utf8)[...], idColumn: "objectId")
        let outcome = try await table.commit(.create([row]))
        #expect(await reader.changes(upTo: outcome.revision).map(\.idempotencyKey) == [nil])
    }
}
