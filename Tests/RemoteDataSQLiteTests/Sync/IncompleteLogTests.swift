import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What a server's log of changes does not have: imported rows, removals without a trace, changed rights.
@Suite(.timeLimit(.minutes(1))) struct IncompleteLogTests {
    /// A table whose log leaves out some rows.
    private struct SilentTable: ForwardingTable {
        let base = MemoryTable("lists")
        var wrapped: any Table { base }

        func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
            let batch = try await base.changes(since: revision, limit: limit)
            return ChangeBatch(
                changes: batch.changes.filter { $0.id != "silent" },
                revision: batch.revision,
                isComplete: batch.isComplete
            )
        }
    }

    private static let some = (0..<10).map { List(id: "\($0)", name: "list \($0)") }

    private func write(_ id: String, to fixture: SyncFixture) async throws {
        let list = try SyncFixture.draft(List(id: id, name: "new"))
        _ = try await fixture.remoteLists.base.commit(.create([list]))
    }

    private func wait(for count: Int, _ fixture: SyncFixture) async throws {
        while try await fixture.lists.count(nil).value != count {
            if let next = fixture.clock.sleepers.first, next <= .seconds(30) {
                fixture.clock.advance(by: next)
            }
            await Task.yield()
        }
    }

    @Test("Polls find by the number of rows what the log lacks")
    func polls() async throws {
        var polled = Capabilities.full
        (polled.liveChanges, polled.everyChange) = (false, false)
        let table = SilentTable()
        let fixture = try await SyncFixture(
            remote: table,
            rows: Self.some,
            rate: .normal,
            capabilities: polled
        )
        try await wait(for: 10, fixture)
        try await write("silent", to: fixture)
        try await wait(for: 11, fixture)
        _ = try await table.base.commit(.delete("silent"))
        try await wait(for: 10, fixture)
        // What the log has is not read another way.
        let pages = fixture.remoteLists.count(of: .page)
        try await write("loud", to: fixture)
        try await wait(for: 11, fixture)
        try await write("louder", to: fixture)
        try await wait(for: 12, fixture)
        #expect(fixture.remoteLists.count(of: .page) == pages)
    }

    @Test("A reset is followed by a read of every row")
    func reset() async throws {
        let fixture = try await SyncFixture(remote: SilentTable(), rows: Self.some, rate: .normal)
        try await wait(for: 10, fixture)
        while !fixture.lists.hasSynced { await Task.yield() }
        fixture.remoteLists.loseEvents()
        try await write("silent", to: fixture)
        fixture.remoteLists.send(.reset)
        try await wait(for: 11, fixture)
    }

    @Test("A reset that nothing was read after counts in the next launch")
    func resetBeforeARestart() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lists.db")
        let first = try await SyncFixture(path: path, remote: SilentTable(), rows: Self.some, rate: .normal)
        try await wait(for: 10, first)
        while !first.lists.hasSynced { await Task.yield() }
        first.remoteLists.loseEvents()
        try await write("silent", to: first)
        for call in [FaultyTable.Call.page, .count] { first.remoteLists.fail(call) }
        first.remoteLists.send(.reset)
        while first.lists.pullError == nil { await Task.yield() }
        await first.store.close()
        let second = try await SyncFixture(path: path, rate: .normal, server: first)
        try await wait(for: 11, second)
    }
}
