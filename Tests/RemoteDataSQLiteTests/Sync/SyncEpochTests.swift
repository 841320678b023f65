import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A server that has begun anew: what a store noted by its old revisions says nothing about it.
@Suite(.timeLimit(.minutes(1))) struct SyncEpochTests {
    private static let epochs = (Epoch(rawValue: 0xA), Epoch(rawValue: 0xB))

    private static func lists(_ count: Int, _ name: String) -> [List] {
        (0..<count).map { List(id: "l\($0)", name: name) }
    }

    /// A server's table with rows, after so many other writes.
    private func server(_ epoch: Epoch?, _ lists: [List], after writes: Int) async throws -> MemoryTable {
        let table = MemoryTable("lists", epoch: epoch)
        let extra = try SyncFixture.draft(List(id: "extra", name: "x"))
        for _ in 0..<writes { _ = try await table.commit(.upsert([extra])) }
        if writes > 0 { _ = try await table.commit(.delete("extra")) }
        _ = try await table.commit(.create(lists.map { try SyncFixture.draft($0) }))
        return table
    }

    @Test(
        "A store follows a server that has begun anew, with lower and with higher revisions",
        arguments: [0, 3, 100],
        [true, false]
    )
    func aStoreFollowsANewHistory(writes: Int, resumes: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lists.db")
        var can = Capabilities.full
        can.resume = resumes
        let old = try await server(Self.epochs.0, Self.lists(30, "old"), after: 10)
        do {
            let fixture = try await SyncFixture(path: path, remote: old, capabilities: can)
            try await fixture.lists.pull()
            #expect(try await SyncFixture.lists(fixture.lists).count == 30)
            await fixture.store.close()
        }
        let new = try await server(Self.epochs.1, Self.lists(20, "new"), after: writes)
        let fixture = try await SyncFixture(path: path, remote: new, capabilities: can)
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == SyncFixture.lists(new))

        // An edit of a row of the new history is no conflict.
        _ = try await fixture.lists.commit(.update("l3", patch: Array(#"{"note":"mine"}"#.utf8)[...]))
        try await fixture.drained()
        #expect(try await new.row("l3")?["note"] == "mine")
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == SyncFixture.lists(new))
        await fixture.store.close()
    }

    @Test("Marks of another epoch are dropped in all tables of the file")
    func marksOfAnotherEpochAreDropped() async throws {
        let old = try await server(Self.epochs.0, Self.lists(5, "old"), after: 10)
        let fixture = try await SyncFixture(remote: old)
        try await fixture.lists.pull()
        let marks: @Sendable (Connection) throws(RemoteDataError) -> [Int64] = {
            (connection) throws(RemoteDataError) in
            var counts: [Int64] = []
            for sql in [
                "SELECT count(*) FROM t1 WHERE serverRevision <> 0",
                "SELECT count(*) FROM pulls WHERE revision NOT NULL AND isWhole = 1",
            ] { counts.append(try connection.first(sql) { $0.integer(0) } ?? -1) }
            return counts
        }
        #expect(try await fixture.store.core.read(marks) == [5, 1])
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            #expect(try transaction.enter(Revision(16, epoch: Self.epochs.0), of: "lists") == false)
            #expect(try transaction.enter(.zero, of: "lists") == false)
            #expect(try transaction.enter(nil, of: "lists") == false)
        }
        #expect(try await fixture.store.core.read(marks) == [5, 1])
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            #expect(try transaction.enter(Revision(1, epoch: Self.epochs.1), of: "lists"))
        }
        #expect(try await fixture.store.core.read(marks) == [0, 0])
        #expect(try await SyncFixture.lists(fixture.lists).count == 5)
        await fixture.store.close()
    }
}
