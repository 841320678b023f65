import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import RemoteDataServer
import RemoteDataTesting
import Testing

/// A server that begins anew on its port: what clients knew of the one before is another history.
@Suite(.timeLimit(.minutes(2))) struct ServedEpochTests {
    private func drafts(_ count: Int, from first: Int = 0) throws -> [Draft] {
        try (first..<(first + count)).map {
            try Draft(Array("{\"objectId\":\"r\($0)\",\"n\":\($0)}".utf8)[...], idColumn: "objectId")
        }
    }

    private func fill(_ store: any TableStore, _ count: Int, from first: Int = 0) async throws {
        let table = try #require(try await store.table("rows", creating: true))
        _ = try await table.commit(.create(try drafts(count, from: first)))
    }

    private func start(_ store: any TableStore, at url: URL? = nil) async throws -> (TableServer, URL) {
        var configuration = TableServer.Configuration()
        if let port = url?.port { configuration.port = port }
        let server = TableServer(store: store, configuration: configuration)
        return (server, try await server.start())
    }

    /// Reads a feed up to the `live` of another epoch, and expects a `reset` before it.
    private func begunAnew(_ reader: FeedReader, after epoch: Epoch?) async -> Revision? {
        var isReset = false
        while let event = await reader.next() {
            switch event {
            case .reset: isReset = true
            case .live(let revision) where revision?.epoch != epoch:
                #expect(isReset, "live of another epoch comes after a reset")
                return revision
            case .live, .change, .progress, .interrupted: break
            }
        }
        return nil
    }

    @Test("A store that begins anew is another history to its clients", arguments: [0, 2, 50, 60])
    func aStoreThatBeginsAnew(rows: Int) async throws {
        let store = MemoryTableStore()
        try await fill(store, 50)
        let (first, url) = try await start(store)
        let table = try RESTServer(url).table("rows")
        let known = try #require(try await table.row("r0")?.revision)
        let count = try #require(try await table.count(nil).revision)
        #expect(known.epoch != nil && known.isOfSameHistory(as: count))
        let reader = FeedReader(try await table.subscribe(to: Query(), since: count))
        #expect(await reader.live() == count)
        await first.stop()

        let other = MemoryTableStore()
        if rows > 0 { try await fill(other, rows) }
        let (second, _) = try await start(other, at: url)
        let begin = try #require(await begunAnew(reader, after: count.epoch))
        #expect(begin.rawValue == Int64(rows))
        let now = try await table.count(nil)
        #expect(now.value == rows && now.revision == begin)
        let gone = await #expect(throws: RemoteDataError.self) {
            try await table.changes(since: count, limit: 10)
        }
        #expect(gone?.code == .gone)
        let refused = await #expect(throws: RemoteDataError.self) {
            try await table.commit(.update("r0", patch: Array(#"{"n":1}"#.utf8)[...], ifRevision: known))
        }
        #expect(refused?.code == (rows == 0 ? .notFound : .conflict))

        let written = try await table.commit(.create(try drafts(1, from: 100)))
        #expect(written.revision == begin.next)
        let changes = await reader.changes(upTo: written.revision)
        #expect(changes.map(\.id) == ["r100"])
        #expect(changes.first?.revision == written.revision)
        #expect(changes.first?.row?.revision == written.revision)
        #expect(try await table.changes(since: begin, limit: 10).changes == changes)
        await second.stop()
    }

    @Test("A backup that is put back begins a new epoch, if the store is asked to")
    func aBackupThatIsPutBack() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, backup) = (
            folder.appending(path: "tables.sqlite").path, folder.appending(path: "backup").path
        )
        let store = try await SQLiteTableStore(path: path)
        try await fill(store, 10)
        await store.close()
        try FileManager.default.copyItem(atPath: path, toPath: backup)

        let again = try await SQLiteTableStore(path: path)
        try await fill(again, 5, from: 10)
        let (first, url) = try await start(again)
        let table = try RESTServer(url).table("rows")
        let known = try #require(try await table.count(nil).revision)
        let reader = FeedReader(try await table.subscribe(to: Query(), since: known))
        #expect(await reader.live() == known)
        await first.stop()
        await again.close()

        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.copyItem(atPath: backup, toPath: path)
        let restored = try await SQLiteTableStore(path: path, beginsNewEpoch: true)
        try await fill(restored, 20, from: 100)
        let (second, _) = try await start(restored, at: url)
        let begin = try #require(await begunAnew(reader, after: known.epoch))
        #expect(begin.rawValue == 30 && begin.rawValue > known.rawValue)
        #expect(try await table.count(nil).value == 30)
        await second.stop()
        await restored.close()

        // From then on the file keeps it.
        let kept = try await SQLiteTableStore(path: path)
        #expect(try await kept.table("rows", creating: false)?.count(nil).revision == begin)
        await kept.close()
    }

    @Test("A table begins with its first row, also where it is read before")
    func aTableBeginsWithItsFirstRow() async throws {
        let stores: [any TableStore] = [MemoryTableStore(), try await SQLiteTableStore(path: ":memory:")]
        for store in stores {
            try await withServer(store) { url in
                let table = try RESTTable("\(url.absoluteString)/orders")
                #expect(try await table.count(nil).value == 0)
                #expect(try await table.page(PageRequest(Query(sort: [SortTerm("n")]))).rows == [])
                #expect(try await table.row("r0") == nil)
                let revision = try #require(try await table.count(nil).revision)
                #expect(try await table.changes(since: revision, limit: 10).changes == [])
                let rows = try await RemoteDataCollection<NumberedRow>(table: table, sort: "n")
                #expect(rows.count == 0 && rows.isEmpty)
                let (news, continuation) = AsyncStream.makeStream(of: String.self)
                rows.dataChangedHandler = { continuation.yield("\($0)") }
                _ = try await table.commit(.create(try drafts(1)))
                for await _ in news where rows.count == 1 { break }
                #expect(rows.map(\.id) == ["r0"])
            }
        }
    }
}

private struct NumberedRow: Codable, Identifiable, Sendable {
    var id: String?
    var n: Int
}
