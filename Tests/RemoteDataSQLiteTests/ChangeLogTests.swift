import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// The change log in a file, whose entries hold what changed.
struct ChangeLogTests {
    private func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    // MARK: Entries

    /// An object of a few members, each of them there or not, in any order.
    private func object(_ random: inout SeededGenerator) -> ArraySlice<UInt8> {
        var members: [String] = []
        for name in ["a", "b", "\u{E9}", "e\u{301}", "d e", "f"].shuffled(using: &random)
        where !random.chance(4) {
            members.append(
                "\"\(name)\":\(random.pick(["1", "2", "\"long text\"", "[1,{\"a\":null}]", "{}"]))"
            )
        }
        return Array("{\(members.joined(separator: ","))}".utf8)[...]
    }

    @Test("A row before a change is made of the one behind it")
    func rowBefore() {
        var random = SeededGenerator(seed: 1)
        var shorter = 0
        let count = Campaign.size(quick: 3_000)
        for _ in 0..<count {
            let (before, after) = (object(&random), object(&random))
            let text = RowDelta.text(from: after, to: before)
            #expect(RowDelta.row(text, after: after) == before)
            #expect(text.count <= before.count)
            if text.count < before.count { shorter += 1 }
        }
        #expect(shorter > count / 20)
    }

    @Test(
        "A member that changed is all that is kept",
        arguments: [
            (#"{"n":1,"s":"xxxxxxxxxxxxxxxx"}"#, #"{"n":2,"s":"xxxxxxxxxxxxxxxx"}"#, #"[{"n":1},[1,1]]"#),
            (#"{"n":1,"s":"xxxxxxxxxxxxxxxx"}"#, #"{"n":1,"s":"xxxxxxxxxxxxxxxx","t":0}"#, "[[0,2]]"),
            (#"{"n":1,"s":"xxxxxxxxxxxxxxxx"}"#, #"{"s":"xxxxxxxxxxxxxxxx"}"#, #"[{"n":1},[0,1]]"#),
            // What is shorter whole is whole.
            (#"{"n":1}"#, #"{"n":2}"#, #"{"n":1}"#),
            // Two members of one name.
            (
                #"{"n":1,"n":1,"s":"xxxxxxxxxxxxxxxxxx"}"#, #"{"n":1,"s":"xxxxxxxxxxxxxxxxxx"}"#,
                "[[0,1],[0,2]]"
            ),
        ]
    )
    func member(before: String, after: String, text: String) {
        let found = RowDelta.text(from: Array(after.utf8)[...], to: Array(before.utf8)[...])
        #expect(String(decoding: found, as: UTF8.self) == text)
    }

    @Test(
        "Text that is no such entry makes no row",
        arguments: ["[[0,3]]", "[[-1,1]]", "[7]", "[[0]]", "[", "[[0,9e9]]"]
    )
    func damaged(text: String) {
        #expect(RowDelta.row(Array(text.utf8)[...], after: Array(#"{"a":1}"#.utf8)[...]) == nil)
    }

    // MARK: Histories

    private func write(_ step: Int, _ random: inout SeededGenerator) throws -> Mutation {
        let id = RowID.integer(Int64(random.number(0..<8)))
        let row = try draft(
            #"{"objectId":\#(id),"n":\#(random.number(0..<9)),"m":\#(step),"s":"always the same"}"#
        )
        let patch = Array(#"{"n":\#(random.number(0..<9))}"#.utf8)[...]
        let filter = try Where("n < \(random.number(0..<6))")
        return switch random.number(0..<12) {
        case 0...2: .create([row])
        case 3, 4: .upsert([row])
        case 5...7: .update(id, patch: patch, ifRevision: nil)
        case 8: .updateAll(filter, patch: patch)
        case 9: .deleteAll(random.chance(3) ? nil : filter)
        default: .delete(id, ifRevision: nil)
        }
    }

    /// What a subscription to some rows that begins behind a revision is sent, up to the row "end".
    private func sent(_ table: any Table, since revision: Revision) async throws -> [String] {
        let query = Query(try Where("n > 3 OR objectId = 'end'"), sort: try SortTerm.parse("m"))
        var changes: [String] = []
        for await event in try await table.subscribe(to: query, since: revision) {
            guard case .change(let change) = event else {
                if case .reset = event { changes.append("reset") }
                continue
            }
            let row = change.row.map { String(decoding: $0.json, as: UTF8.self) } ?? "-"
            let key = change.previousKey.map { "\($0)" } ?? "-"
            changes.append("\(change.revision?.rawValue ?? 0) \(change.kind) \(change.left) \(row) \(key)")
            if change.id == "end" { break }
        }
        return changes
    }

    @Test(
        "The log of a file says what that of a table in memory does",
        arguments: 0..<UInt64(Campaign.size(quick: 40))
    )
    func sameAsInMemory(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try await SQLiteTableStore(path: ":memory:")
        let table = try #require(try await store.table("t", creating: true))
        let model = MemoryTable("t", epoch: store.epoch)
        for step in 0..<random.number(5..<60) {
            let mutation = try write(step, &random)
            let (outcome, expected) = (try? await table.commit(mutation), try? await model.commit(mutation))
            #expect(outcome == expected)
        }
        let end = try draft(#"{"objectId":"end","n":9,"m":0}"#)
        let newest = try #require(try await model.commit(.create([end])).revision)
        _ = try await table.commit(.create([end]))
        for revision in 0..<newest.rawValue {
            let since = Revision(revision, epoch: store.epoch)
            for limit in [1, 3, 100] {
                let batch = try await table.changes(since: since, limit: limit)
                let expected = try await model.changes(since: since, limit: limit)
                try #require(batch.changes == expected.changes, "since \(revision), at most \(limit)")
                #expect(batch.revision == expected.revision)
                #expect(batch.isComplete == expected.isComplete)
            }
            try #require(
                try await sent(table, since: since) == sent(model, since: since),
                "since \(revision)"
            )
        }
    }

    // MARK: Bounds

    @Test("Small changes of a large row take little room")
    func largeRow() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(try await store.table("t", creating: true))
        let text = String(repeating: "x", count: 500_000)
        _ = try await table.commit(.create([draft(#"{"objectId":1,"n":0,"s":"\#(text)","t":0}"#)]))
        for number in 1...30 {
            let patch = Array(#"{"n":\#(number),"t":\#(number)}"#.utf8)[...]
            _ = try await table.commit(.update(1, patch: patch, ifRevision: nil))
        }
        let changes = try await table.changes(since: Revision(0, epoch: store.epoch), limit: 100)
        // An answer has so many bytes of rows at most.
        #expect(!changes.isComplete)
        #expect(changes.changes.count == 17)
        let last = try await table.changes(since: Revision(30, epoch: store.epoch), limit: 100)
        #expect(last.isComplete)
        #expect(last.changes.first?.row?.json.count == 500_035)
        // The file is complete once the store is closed.
        await store.close()
        #expect(try Data(contentsOf: URL(filePath: path)).count < 2_000_000)
    }

    @Test("Only so many bytes of changes are kept")
    func bytes() async throws {
        let store = try await SQLiteTableStore(path: ":memory:", logBytes: 100_000)
        let table = try #require(try await store.table("t", creating: true))
        for number in 1...30 {
            let text = String(repeating: "x", count: 10_000)
            let row = try draft(#"{"objectId":1,"s":"\#(number) \#(text)"}"#)
            _ = try await table.commit(.upsert([row]))
        }
        func changes(since revision: Int64) async -> Int? {
            try? await table.changes(since: Revision(revision, epoch: store.epoch), limit: 100).changes.count
        }
        #expect(await changes(since: 20) == nil)
        #expect(await changes(since: 21) == 9)
        // A change that is itself too large leaves nothing.
        let large = String(repeating: "y", count: 200_000)
        _ = try await table.commit(.upsert([draft(#"{"objectId":1,"s":"\#(large)"}"#)]))
        _ = try await table.commit(.delete(1, ifRevision: nil))
        #expect(await changes(since: 31) == nil)
        #expect(await changes(since: 32) == 0)
    }

    @Test("Clauses, ids and keys count as bytes of the log too")
    func otherBytes() async throws {
        let store = try await SQLiteTableStore(path: ":memory:", logBytes: 100_000)
        let table = try #require(try await store.table("t", creating: true))
        func changes(since revision: Int64) async -> Int? {
            try? await table.changes(since: Revision(revision, epoch: store.epoch), limit: 100).changes.count
        }
        _ = try await table.commit(.create((0..<20).map { try draft(#"{"objectId":\#($0)}"#) }))
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<10 {
            _ = try await table.commit(.deleteAll(Where("objectId = \(number) OR objectId = '\(text)'")))
        }
        #expect(await changes(since: 25) == nil)
        #expect(await changes(since: 26) == 4)
        _ = try await table.commit(.create([draft(#"{"objectId":"\#(text)","n":0}"#)]))
        for number in 0..<10 {
            let patch = Array(#"{"n":\#(number)}"#.utf8)[...]
            _ = try await table.commit(.updateAll(Where("n >= 0"), patch: patch))
        }
        #expect(await changes(since: 36) == nil)
        #expect(await changes(since: 37) == 4)
    }

    @Test("A removal whose clause could not be read again is refused", arguments: [true, false])
    func clauses(isFile: Bool) async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        let table: any Table =
            isFile ? try #require(try await store.table("t", creating: true)) : MemoryTable("t")
        _ = try await table.commit(.create([draft(#"{"objectId":1}"#)]))
        var filter = try Where("objectId = 1")
        for _ in 0..<300 { filter = .not(.not(filter)) }
        let error = await #expect(throws: RemoteDataError.self) { try await table.commit(.deleteAll(filter)) }
        #expect(error?.code == .tooLarge)
        #expect(try await table.count(nil).value == 1)
    }

    // MARK: Others who write

    @Test("What was written without a log is not taken for nothing", arguments: [true, false])
    func withoutALog(isBeside: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var store = try await SQLiteTableStore(path: path)
        let first = try #require(try await store.table("t", creating: true))
        _ = try await first.commit(.create([draft(#"{"objectId":1}"#)]))
        if !isBeside { await store.close() }
        let other = try await SQLiteTableStore(path: path, logCapacity: 0)
        let silent = try #require(try await other.table("t", creating: true))
        for number in 2...9 { _ = try await silent.commit(.create([draft(#"{"objectId":\#(number)}"#)])) }
        if !isBeside {
            await other.close()
            store = try await SQLiteTableStore(path: path)
        }
        let table = try #require(try await store.table("t", creating: true))
        let since = Revision(1, epoch: store.epoch)
        let batch = try? await table.changes(since: since, limit: 100)
        #expect(batch == nil)
        var events = try await table.subscribe(to: Query(), since: since).makeAsyncIterator()
        guard case .reset = await events.next() else { return #expect(Bool(false), "There is no reset.") }
        // Later changes are in the log.
        _ = try await table.commit(.create([draft(#"{"objectId":10}"#)]))
        let last = Revision(9, epoch: store.epoch)
        #expect(try await table.changes(since: last, limit: 100).changes.map(\.id) == [10])
    }

    @Test("A log that another process has shortened is a gap")
    func shortened() async throws {
        let folder = try TemporaryFolder()
        let stores = [
            try await SQLiteTableStore(path: folder.file("a.db"), logCapacity: 10),
            try await SQLiteTableStore(path: folder.file("a.db"), logCapacity: 10),
        ]
        let table = try #require(try await stores[0].table("a", creating: true))
        for number in 0..<5 { _ = try await table.commit(.create([draft(#"{"objectId":\#(number)}"#)])) }
        let other = try #require(try await stores[1].table("b", creating: true))
        for number in 0..<12 { _ = try await other.commit(.create([draft(#"{"objectId":\#(number)}"#)])) }
        let since = Revision(2, epoch: stores[0].epoch)
        var events = try await table.subscribe(to: Query(), since: since).makeAsyncIterator()
        guard case .reset = await events.next() else { return #expect(Bool(false), "There is no reset.") }
    }

    // MARK: Many rows

    @Test("A removal of more rows than are noted is a gap for readers from before it")
    func manyRemoved() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        let table = try #require(try await store.table("t", creating: true))
        let rows = try (0..<10_001).map { try draft(#"{"objectId":\#($0)}"#) }
        _ = try await table.commit(.create(rows))
        _ = try await table.commit(.deleteAll(nil))
        func changes(since revision: Int64) async -> Int? {
            try? await table.changes(since: Revision(revision, epoch: store.epoch), limit: 5).changes.count
        }
        #expect(await changes(since: 100) == nil)
        #expect(await changes(since: 10_001) == 1)
        _ = try await table.commit(.create(Array(rows.prefix(10))))
        #expect(await changes(since: 10_001) == 5)
    }
}
