import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import RemoteDataServer
import Testing

/// Large rows that are written offline, before the server has their table.
@Suite(.timeLimit(.minutes(2))) struct LargeFirstRowsTests {
    private func draft(_ id: String, bytes: Int) throws -> Draft {
        let text = String(repeating: "x", count: bytes)
        return try Draft(Array(#"{"objectId":"\#(id)","text":"\#(text)"}"#.utf8)[...], idColumn: "objectId")
    }

    @Test(
        "Rows that are too large for one request are made one by one, and one that is too large is refused",
        arguments: [16 << 20, 64 << 10]
    )
    func largeFirstRows(limit: Int) async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.bodyBytes = limit
        try await withServer(MemoryTableStore(), configuration) { url in
            let store = try await LocalStore(path: ":memory:")
            let remote = try RESTServer(url).table("notes")
            let notes = try await SyncedTable("notes", in: store, remote: remote)
            store.outbox.pause()
            let drafts = try ["a", "b"].map { try draft($0, bytes: limit / 16 * 9) }
            let writes = try await notes.write(.create(drafts))
            let large = try await notes.write(.create([try draft("c", bytes: limit / 16 * 17)]))
            store.outbox.resume()
            try await writes.acknowledged
            let error = await #expect(throws: RemoteDataError.self) { try await large.acknowledged }
            #expect(error?.code == .tooLarge)
            #expect(try await remote.count(Query()).value == 2)
            #expect(try await notes.count(Query()).value == 2)
            await store.close()
        }
    }
}
