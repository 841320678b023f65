import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataSQLite

struct SQLiteTableStoreTests {
    private func draft(_ text: String) throws -> Draft {
        try Draft(Array(text.utf8)[...], idColumn: "objectId")
    }

    private func error(_ body: () async throws -> Void) async -> RemoteDataError? {
        do { try await body() } catch { return error as? RemoteDataError }
        return nil
    }

    // MARK: Reopening

    @Test func reopeningGivesTheSameRowsRevisionsColumnsAndAnswers() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var store = try await SQLiteTableStore(path: path)
        var table = try #require(await store.table("rows", creating: true))
        let other = try #require(await store.table("other", creating: true))
        _ = try await table.commit(
            .create([draft(#"{"objectId":1,"a":{"b c":1}}"#), draft(#"{"objectId":"1"}"#)])
        )
        let answer = try await other.commit(.create([draft(#"{"x":"é"}"#)]), idempotencyKey: "k")
        _ = try await table.commit(.deleteAll(.isNull(.column("a"))))
        let rows = try await table.page(PageRequest(Query()))
        let changes = try await table.changes(since: .zero, limit: 100).changes
        await store.close()

        store = try await SQLiteTableStore(path: path)
        #expect(try await store.tableNames() == ["other", "rows"])
        #expect(try await store.table("nothing", creating: false) == nil)
        table = try #require(await store.table("rows", creating: false))
        let again = try await table.page(PageRequest(Query()))
        #expect(again.rows == rows.rows)
        #expect(again.revision == rows.revision)
        #expect(again.revision?.rawValue == 4)
        #expect(try await table.count(nil).value == 1)
        #expect(try await table.changes(since: .zero, limit: 100).changes == changes)
        #expect(changes.map(\.kind) == [.created, .created, .bulkDeleted])
        let path2 = ColumnPath(names: ["a", "b c"])
        #expect(try await table.count(.comparison(.column(path2), .equal, .literal(1))).value == 1)
        #expect(await error { _ = try await table.count(.isNull(.column("zzz"))) }?.code == .unknownColumn)
        let otherAgain = try #require(await store.table("other", creating: false))
        let repeated = try await otherAgain.commit(.create([draft(#"{"x":"é"}"#)]), idempotencyKey: "k")
        #expect(repeated == answer)
        #expect(try await otherAgain.count(nil).value == 1)
        #expect(try await otherAgain.commit(.create([draft("{}")])).revision == again.revision?.next)
    }

    @Test func aCopyOfTheFilesTakenWhileOpenHoldsEveryAnsweredWrite() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(await store.table("rows", creating: true))
        for number in 0..<50 { _ = try await table.commit(.create([draft("{\"objectId\":\(number)}")])) }
        let copy = folder.file("copy.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let recovered = try await SQLiteTableStore(path: copy)
        let rows = try #require(await recovered.table("rows", creating: false))
        #expect(try await rows.count(nil) == Count(50, revision: Revision(50, epoch: store.epoch)))
        #expect(try await rows.page(PageRequest(Query(), limit: 1_000)).rows.count == 50)
    }

    @Test func answersAreForgottenAfterADay() async throws {
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let clock = { @Sendable in time.withLock { $0 } }
        let store = try await SQLiteTableStore(path: ":memory:", now: clock)
        let table = try #require(await store.table("rows", creating: true))
        let first = try await table.commit(.create([draft("{}")]), idempotencyKey: "k")
        time.withLock { $0 += 24 * 60 * 60 - 1 }
        #expect(try await table.commit(.create([draft("{}")]), idempotencyKey: "k").ids == first.ids)
        time.withLock { $0 += 1 }
        #expect(try await table.commit(.create([draft("{}")]), idempotencyKey: "k").ids != first.ids)
        #expect(try await table.count(nil).value == 2)
    }

    /// A late copy of a refused write would overwrite what was decided since.
    @Test func aRefusalStaysTheAnswerToItsKeyAcrossARestart() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let patch = Array(#"{"n":1}"#.utf8)[...]
        func expectRefusal(_ table: any Table) async {
            let error = await #expect(throws: RemoteDataError.self) {
                try await table.commit(.update("a", patch: patch), idempotencyKey: "k")
            }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("a") == true)
        }
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft("{}")]))
        await expectRefusal(table)
        _ = try await table.commit(.create([draft(#"{"objectId":"a","n":0}"#)]))
        await expectRefusal(table)
        await store.close()

        let again = try await SQLiteTableStore(path: path)
        let rows = try #require(await again.table("rows", creating: false))
        await expectRefusal(rows)
        #expect(try await rows.row("a")?["n"] == 0)
        _ = try await rows.commit(.update("a", patch: patch), idempotencyKey: "k2")
        #expect(try await rows.row("a")?["n"] == 1)
    }

    // MARK: Failing storage

    @Test func aFullDiskChangesNothingAndSaysSo() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteTableStore(path: folder.file("a.db"))
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"a","n":1}"#)]))
        try await store.execute("PRAGMA max_page_count = 1")
        let large = String(repeating: "x", count: 100_000)
        let feed = try await table.subscribe(to: Query(), since: nil)
        let full = await error {
            _ = try await table.commit(
                .upsert([draft(#"{"objectId":"a","n":2}"#), draft("{\"n\":\"\(large)\"}")])
            )
        }
        #expect(full?.code == .storage)
        #expect(full?.message.contains("disk is full") == true)
        #expect(full?.isTransient == false)
        #expect(try await table.count(nil) == Count(1, revision: Revision(1, epoch: store.epoch)))
        #expect(try await table.row("a")?["n"] == 1)
        try await store.execute("PRAGMA max_page_count = 100000")
        let outcome = try await table.commit(.update("a", patch: Array(#"{"n":3}"#.utf8)[...]))
        #expect(outcome.revision?.rawValue == 2)
        var events: [ChangeEvent] = []
        while events.count < 2 { events += await feed.nextBatch() }
        guard case .change(let change) = events[1] else { return #expect(Bool(false), "no change") }
        #expect(change.row?["n"] == 3)
    }

    @Test func oneWriteThatFillsTheDiskDoesNotTakeOthersWithIt() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteTableStore(path: folder.file("a.db"))
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"first"}"#)]))
        try await store.execute("PRAGMA max_page_count = 40")
        let large = String(repeating: "x", count: 1_000_000)
        let drafts = try (0..<20).map { try draft("{\"objectId\":\($0),\"n\":\"\($0 == 9 ? large : "")\"}") }
        let failures = await withTaskGroup(of: Bool.self) { group in
            for draft in drafts { group.addTask { (try? await table.commit(.create([draft]))) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 1)
        #expect(try await table.count(nil).value == 20)
        #expect(try await table.row(9) == nil)
    }

    @Test func aRefusedWriteAmongManyTakesNoneWithIt() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        let table = try #require(await store.table("rows", creating: true))
        let drafts = try (0..<200).map { try draft("{\"objectId\":\($0 / 2)}") }
        let refused = await withTaskGroup(of: Bool.self) { group in
            for draft in drafts { group.addTask { (try? await table.commit(.create([draft]))) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 100)
        #expect(try await table.count(nil) == Count(100, revision: Revision(100, epoch: store.epoch)))
    }

    @Test func aWriteThatIsRefusedHalfwayAmongManyLeavesNothingBehind() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"known"}"#)]))
        let writes = try (0..<200).map { number in
            let new = try draft("{\"objectId\":\(number)}")
            return number % 2 == 0 ? [new] : [new, try draft(#"{"objectId":"known"}"#)]
        }
        let refused = await withTaskGroup(of: Bool.self) { group in
            for rows in writes { group.addTask { (try? await table.commit(.create(rows))) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 100)
        #expect(try await table.count(nil) == Count(101, revision: Revision(101, epoch: store.epoch)))
        #expect(try await table.row(1) == nil)
        let changes = try await table.changes(since: .zero, limit: 1_000).changes
        #expect(changes.map(\.revision) == (1...101).map { Revision($0, epoch: store.epoch) })
    }

    @Test func whatComesWhileAChangeIsMadeIsCommittedWithItAndByWhatIsDeclaredThen() async throws {
        let core = try await StoreCore.open(
            StorePlan(
                path: ":memory:",
                idColumn: "objectId",
                logCapacity: (10, 0),
                readers: 1,
                patience: .seconds(1),
                now: { Date() }
            )
        )
        let second = try await core.writer.commit { (transaction) throws(RemoteDataError) in
            transaction.outboxNews.hasWork = true
            core.writer.rules.withLock { $0["t"].isHeldWhole = true }
            return Task.immediate {
                try await core.writer.commit { (transaction) throws(RemoteDataError) in
                    (transaction.outboxNews.hasWork, transaction.rules["t"].isHeldWhole)
                }
            }
        }
        let (isSameTransaction, isHeldWhole) = try await second.value
        #expect(isSameTransaction)
        #expect(isHeldWhole)
        await core.close()
    }

    @Test func whatIsNoDatabaseIsRefused() async throws {
        let folder = try TemporaryFolder()
        let garbage = folder.file("garbage.db")
        try Data(repeating: 0x41, count: 10_000).write(to: URL(filePath: garbage))
        let notADatabase = await error { _ = try await SQLiteTableStore(path: garbage) }
        #expect(notADatabase?.code == .storage)
        #expect(notADatabase?.message.contains("is not a database") == true)
        let foreign = folder.file("foreign.db")
        try Connection(path: foreign, isReader: false).execute("CREATE TABLE theirs (a)")
        let otherProgram = await error { _ = try await SQLiteTableStore(path: foreign) }
        #expect(otherProgram?.message.contains("another program") == true)
        let noFolder = await error { _ = try await SQLiteTableStore(path: folder.file("no/such/folder.db")) }
        #expect(noFolder?.code == .storage)
        #expect(noFolder?.message.contains("cannot be opened") == true)
    }

    @Test func aDamagedFileIsAStorageError() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create((0..<2_000).map { try draft("{\"objectId\":\($0)}") }))
        await store.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        for index in bytes.indices where index > 40_000 { bytes[index] = 0xFF }
        try bytes.write(to: URL(filePath: path))
        let damaged = await error {
            let store = try await SQLiteTableStore(path: path)
            let table = try #require(await store.table("rows", creating: true))
            for offset in [0, 1_000] {
                _ = try await table.page(PageRequest(Query(), start: .offset(offset), limit: 1_000))
            }
        }
        #expect(damaged?.code == .storage)
    }

    /// The superuser may write anywhere, so there the folder's permissions say nothing.
    @Test(.enabled(if: geteuid() != 0)) func aReadOnlyFolderIsAStorageError() async throws {
        let folder = try TemporaryFolder()
        let locked = folder.file("locked")
        try FileManager.default.createDirectory(
            atPath: locked,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o500]
        )
        #expect(await error { _ = try await SQLiteTableStore(path: locked + "/a.db") }?.code == .storage)
    }

    @Test func aReadOnlyDatabaseRefusesWritesAndStillReads() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteTableStore(path: folder.file("a.db"))
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"a"}"#)]))
        try await store.execute("PRAGMA query_only = 1")
        let refused = await error { _ = try await table.commit(.delete("a")) }
        #expect(refused?.code == .storage)
        #expect(try await table.row("a")?.id == "a")
        try await store.execute("PRAGMA query_only = 0")
        #expect(try await table.commit(.delete("a")).count == 1)
    }

    // MARK: Other processes

    @Test func aFileHeldByAnotherProcessIsAStorageErrorAfterAWhile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await SQLiteTableStore(path: path, patience: .milliseconds(20))
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"a"}"#)]))
        let other = try Connection(path: path, isReader: false)
        try other.run("BEGIN IMMEDIATE")
        let drafts = try (0..<10).map { try draft("{\"objectId\":\($0)}") }
        let codes = await withTaskGroup(of: RemoteDataError.Code?.self) { group in
            for draft in drafts {
                group.addTask { await error { _ = try await table.commit(.create([draft])) }?.code }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .storage, count: 10))
        #expect(try await table.row("a")?.id == "a")
        try other.run("ROLLBACK")
        #expect(try await table.commit(.create(drafts)).count == 10)
    }

    @Test func anotherProcesssWritesAreSeenAndResetSubscriptions() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let mine = try await SQLiteTableStore(path: path)
        let theirs = try await SQLiteTableStore(path: path)
        let table = try #require(await mine.table("rows", creating: true))
        _ = try await table.commit(.create([draft(#"{"objectId":"a"}"#)]))
        let same = try #require(await theirs.table("rows", creating: false))
        let feed = try await table.subscribe(to: Query(), since: nil)
        #expect(try await same.commit(.create([draft(#"{"objectId":"b","new":1}"#)])).revision?.rawValue == 2)
        #expect(try await table.count(nil).value == 2)
        #expect(try await table.count(.comparison(.column("new"), .equal, .literal(1))).value == 1)
        #expect(try await table.commit(.create([draft(#"{"objectId":"c"}"#)])).revision?.rawValue == 3)
        var words: [String] = []
        while words.count < 4 {
            for event in await feed.nextBatch() {
                switch event {
                case .live(let revision): words.append("live \(revision?.rawValue ?? 0)")
                case .reset: words.append("reset")
                case .change(let change): words.append("\(change.kind) \(change.revision?.rawValue ?? 0)")
                case .progress, .interrupted: break
                }
            }
        }
        #expect(words == ["live 1", "reset", "live 2", "created 3"])
    }

    // MARK: Ending

    @Test func aClosedStoreEndsSubscriptionsAndRefusesCalls() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteTableStore(path: folder.file("a.db"))
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft("{}")]))
        let feed = try await table.subscribe(to: Query(), since: nil)
        await store.close()
        await store.close()
        var events = 0
        for await _ in feed { events += 1 }
        #expect(events == 1)
        #expect(await error { _ = try await table.count(nil) }?.code == .storage)
        #expect(await error { _ = try await table.commit(.create([draft("{}")])) }?.code == .storage)
        #expect(await error { _ = try await table.subscribe(to: Query(), since: nil) }?.code == .storage)
    }

    @Test func aCancelledReadIsNotRun() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        let table = try #require(await store.table("rows", creating: true))
        _ = try await table.commit(.create([draft("{}")]))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await error { _ = try await table.page(PageRequest(Query())) }?.code
        }
        #expect(await task.value == .cancelled)
        #expect(try await table.count(nil).value == 1)
    }

    @Test func statementsReleaseWhatFunctionsAreGiven() throws {
        let connection = try Connection(path: ":memory:", isReader: false)
        weak var seen: PointerBox<LikeMatcher>?
        do {
            let box = PointerBox(LikeMatcher(Where.LikePattern("a%")))
            seen = box
            for text in ["abc", "xyz"] {
                let fits = try connection.first("SELECT id_like(?, ?)", [.pattern(box), .text(text)]) {
                    $0.integer(0)
                }
                #expect(fits == (text == "abc" ? 1 : 0))
            }
        }
        #expect(seen == nil)
    }
}
