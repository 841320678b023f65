import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// The epoch of a file: made with it, kept by it, and another one where that is asked for.
@Suite struct StoreEpochTests {
    private func draft(_ text: String) throws -> Draft {
        try Draft(Array(text.utf8)[...], idColumn: "objectId")
    }

    private func epoch(of path: String, new beginsNewEpoch: Bool = false) async throws -> Epoch? {
        let store = try await SQLiteTableStore(path: path, beginsNewEpoch: beginsNewEpoch)
        let epoch = store.epoch
        await store.close()
        return epoch
    }

    @Test("A file keeps its epoch until it is to begin a new one")
    func aFileKeepsItsEpoch() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let first = try #require(try await epoch(of: path))
        #expect(try await epoch(of: path) == first)
        let second = try #require(try await epoch(of: path, new: true))
        #expect(second != first)
        #expect(try await epoch(of: path) == second)
        #expect(try await epoch(of: folder.file("b.db")) != second)
    }

    @Test("A store in memory has an epoch of its own each time")
    func aStoreInMemoryHasItsOwn() async throws {
        let epochs = [try await epoch(of: ":memory:"), try await epoch(of: ":memory:")]
        #expect(epochs[0] != nil && epochs[1] != nil && epochs[0] != epochs[1])
    }

    @Test("A file of an earlier version gets an epoch and keeps it")
    func anEarlierFileGetsAnEpoch() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(try await store.table("t", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":1}"#)]))
        try await store.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql =
                replace(replace(replace(sql, 'epoch', 'other'), 'request', 'other'), 'logBase', 'another')
                WHERE name IN ('store', 'tables', 'outcomes');
            PRAGMA writable_schema = OFF;
            PRAGMA user_version = 2
            """
        )
        await store.close()
        let again = try await SQLiteTableStore(path: path)
        let epoch = try #require(again.epoch)
        let known = try #require(try await again.table("t", creating: false))
        #expect(try await known.row(1)?.revision == Revision(1, epoch: epoch))
        // Its log is not that of now.
        let changes = try await known.changes(since: Revision(1, epoch: epoch), limit: 10)
        #expect(changes.isComplete && changes.changes.isEmpty)
        let before = try? await known.changes(since: Revision(0, epoch: epoch), limit: 10)
        #expect(before == nil)
        await again.close()
        #expect(try await self.epoch(of: path) == epoch)
    }

    @Test("Every revision of a store has its epoch")
    func whatAStoreTellsHasItsEpoch() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(try await store.table("t", creating: true))
        let first = Revision(0, epoch: store.epoch)
        #expect(try await table.count(nil).revision == first)
        #expect(try await table.page(PageRequest(Query())).revision == first)
        #expect(try await table.changes(since: .zero, limit: 1).revision == first)
        let feed = EventList(try await table.subscribe(to: Query(), since: .zero))
        #expect(await feed.next() == "live \(first)")
        let rows = try (0..<2).map { try draft("{\"objectId\":\($0)}") }
        let outcome = try await table.commit(.create(rows), idempotencyKey: "k")
        #expect(outcome.revision == first.next.next)
        #expect(outcome.rows.map(\.revision) == [first.next, first.next.next])
        _ = try await table.commit(.update(0, patch: Array(#"{"n":1}"#.utf8)[...]))
        _ = try await table.commit(.deleteAll(.isNull(.column("n"))))
        #expect(await feed.next() == "created 0 \(first.next) \(first.next)")
        let batch = try await table.changes(since: first, limit: 10)
        let all = (1...4).map { Revision($0, epoch: store.epoch) as Revision? }
        #expect(batch.changes.map(\.revision) == all && batch.revision == all[3])
        #expect(try await table.page(PageRequest(Query())).rows.map(\.revision) == [all[2]])
        await store.close()

        let restored = try await SQLiteTableStore(path: path, beginsNewEpoch: true)
        let same = try #require(try await restored.table("t", creating: false))
        let repeated = try await same.commit(.create(rows), idempotencyKey: "k")
        // The answer was kept with the rows, and its revisions are those of the file.
        #expect(repeated.revision == Revision(2, epoch: restored.epoch))
        #expect(repeated.rows.map(\.revision).allSatisfy { $0?.epoch == restored.epoch })
        #expect(
            try await same.changes(since: .zero, limit: 10).changes.map(\.revision?.rawValue) == [1, 2, 3, 4]
        )
        await restored.close()
    }

    @Test("A table that has not changed since resumes, however short the log of all tables is")
    func anUnchangedTableResumes() async throws {
        let store = try await SQLiteTableStore(path: ":memory:", logCapacity: 3)
        let quiet = try #require(try await store.table("quiet", creating: true))
        let none = try #require(try await store.table("none", creating: true))
        let busy = try #require(try await store.table("busy", creating: true))
        let last = try #require(try await quiet.commit(.create([draft(#"{"objectId":1}"#)])).revision)
        let start = try #require(try await none.count(nil).revision)
        for number in 0..<9 { _ = try await busy.commit(.create([draft("{\"objectId\":\(number)}")])) }
        for (table, revision) in [(quiet, last), (none, start)] {
            #expect(try await table.changes(since: revision, limit: 10).changes == [])
            let feed = EventList(try await table.subscribe(to: Query(), since: revision))
            #expect(await feed.next() == "live \(revision)")
        }
        let feed = EventList(try await busy.subscribe(to: Query(), since: last))
        #expect(await feed.next() == "reset")
        // What has changed since is not known any more.
        let before = EventList(try await quiet.subscribe(to: Query(), since: start))
        #expect(await before.next() == "reset")
        await store.close()
    }
}

/// The events of a feed in words.
private final class EventList {
    private var events: ChangeFeed.Iterator

    init(_ feed: ChangeFeed) { events = feed.makeAsyncIterator() }

    func next() async -> String {
        switch await events.next() {
        case .live(let revision)?: "live \(revision.map(\.description) ?? "-")"
        case .change(let change)?:
            "\(change.kind) \(change.id.map(\.description) ?? "-")"
                + [change.revision, change.row?.revision].compactMap(\.self).map { " \($0)" }.joined()
        case .progress(let revision)?: "progress \(revision)"
        case .reset?: "reset"
        case .interrupted?: "interrupted"
        case nil: "end"
        }
    }
}
