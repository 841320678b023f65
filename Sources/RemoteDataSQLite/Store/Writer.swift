import Foundation
import RemoteData
import Synchronization

/// A write that waits for its turn.
struct PendingWrite: Sendable {
    let table: TableState
    let mutation: Mutation
    let rows: [Row]
    let key: String?
    let answer: @Sendable (Result<Outcome, RemoteDataError>) -> Void
}

/// The one connection that writes.
///
/// Writes that wait at the same time are committed together: one transaction, and so one wait for the disk,
/// with a savepoint for each so that one that is refused takes none of the others with it.
final class Writer: Sendable {
    private static let batchLimit = 256
    private static let outcomeLimit = 10_000
    private static let outcomeAge: Int64 = 24 * 60 * 60 * 1_000

    let queue: ConnectionQueue
    private let waiting = Mutex<[PendingWrite]>([])
    private let idColumn: String
    private let logCapacity: Int
    private let now: @Sendable () -> Date
    private let tables: TableStates
    // SAFETY: used only in jobs on the writer's serial queue, and in init.
    private nonisolated(unsafe) var catalog: Catalog

    /// Opens the file; blocks.
    init(
        path: String,
        idColumn: String,
        logCapacity: Int,
        tables: TableStates,
        patience: Duration,
        now: @escaping @Sendable () -> Date
    ) throws(RemoteDataError) {
        var catalog = Catalog()
        queue = try ConnectionQueue(label: "RemoteDataSQLite.writer") { () throws(RemoteDataError) in
            let connection = try Connection(path: path, isReader: false, patience: patience)
            try Schema.prepare(connection)
            catalog = try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
                try Catalog(connection)
            }
            return connection
        }
        self.catalog = catalog
        self.idColumn = idColumn
        self.logCapacity = logCapacity
        self.tables = tables
        self.now = now
        tables.update(from: catalog)
    }

    /// Adds a write to those that wait.
    func commit(_ write: PendingWrite) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(write)
            return waiting.count == 1
        }
        if isFirst { queue.schedule { [self] connection in drain(connection) } }
    }

    /// Looks whether another process has written, and takes note of it.
    func refresh() async throws(RemoteDataError) {
        try await queue.run { [self] (connection) throws(RemoteDataError) in
            try connection.transaction("DEFERRED") { () throws(RemoteDataError) in try reload(connection) }
        }
    }

    /// Starts a subscription between two writes.
    func subscribe(
        to query: Query,
        of table: TableState,
        since: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await queue.run { [self] connection throws(RemoteDataError) in
            let start = try start(since: since, table, connection)
            return table.hub.subscribe(to: query, start: start)
        }
        table.hub.deliver()
        return feed
    }

    private func start(
        since: Revision?,
        _ table: TableState,
        _ connection: Connection
    ) throws(RemoteDataError) -> ChangeHub.Start {
        let info = catalog.tables[table.name]
        let current = info?.revision ?? .zero
        guard let since else { return .now(current) }
        // More changes than a feed holds would overflow it anyway.
        let limit = 10_000
        guard since <= catalog.revision, since >= catalog.logStart else { return .gap(current) }
        guard let info else { return .after(since, [], upTo: since) }
        let changes = try StoredChange.read(table: info.number, since: since, limit: limit, from: connection)
        guard let changes, changes.count < limit else { return .gap(current) }
        return .after(since, changes[...], upTo: max(since, current))
    }
}

// What runs on the queue.
extension Writer {
    private struct Done {
        let write: PendingWrite
        let result: Result<Outcome, RemoteDataError>
        let changes: [RowChange]
    }

    private func drain(_ connection: Connection?) {
        let (batch, isMore) = waiting.withLock { waiting in
            let batch = Array(waiting.prefix(Self.batchLimit))
            waiting.removeFirst(batch.count)
            return (batch, !waiting.isEmpty)
        }
        if isMore { queue.schedule { [self] connection in drain(connection) } }
        guard let connection else {
            for write in batch { write.answer(.failure(.closed)) }
            return
        }
        if !run(batch, connection), batch.count > 1 {
            // Something failed that took all of them with it; each has its own chance now.
            for write in batch { _ = run([write], connection) }
        }
    }

    /// Commits writes together and answers them; answers none and returns false when several failed together.
    private func run(_ batch: [PendingWrite], _ connection: Connection) -> Bool {
        var draft = catalog
        var hasBegun = false
        do throws(RemoteDataError) {
            let done = try connection.transaction("IMMEDIATE") { () throws(RemoteDataError) in
                hasBegun = true
                try reload(connection)
                draft = catalog
                return try run(batch, on: &draft, connection)
            }
            catalog = draft
            publish(done)
        } catch {
            // Who could not begin, because another process holds the file, has waited long enough for all.
            guard batch.count == 1 || !hasBegun else { return false }
            for write in batch { write.answer(.failure(error)) }
        }
        return true
    }

    private func publish(_ done: [Done]) {
        for item in done where !item.changes.isEmpty {
            if let info = catalog.tables[item.write.table.name] { item.write.table.update(info) }
            item.write.table.hub.publish(item.changes)
        }
        for item in done { item.write.answer(item.result) }
        for item in done where !item.changes.isEmpty { item.write.table.hub.deliver() }
    }

    private func run(
        _ batch: [PendingWrite],
        on draft: inout Catalog,
        _ connection: Connection
    ) throws(RemoteDataError) -> [Done] {
        let before = draft.revision
        var done: [Done] = []
        for write in batch {
            var attempt = draft
            let isAlone = batch.count == 1
            if !isAlone { try connection.run("SAVEPOINT one") }
            do throws(RemoteDataError) {
                let (outcome, changes) = try run(write, on: &attempt, connection)
                if !isAlone { try connection.run("RELEASE one") }
                draft = attempt
                done.append(Done(write: write, result: .success(outcome), changes: changes))
            } catch {
                // A failure of the storage may have undone the others too.
                if isAlone || error.code == .storage { throw error }
                try connection.run("ROLLBACK TO one")
                try connection.run("RELEASE one")
                done.append(Done(write: write, result: .failure(error), changes: []))
            }
        }
        if draft.revision > before { try finish(&draft, connection) }
        return done
    }

    private func run(
        _ write: PendingWrite,
        on draft: inout Catalog,
        _ connection: Connection
    ) throws(RemoteDataError) -> (Outcome, [RowChange]) {
        let name = write.table.name
        if let known = try outcome(of: write, draft.tables[name], connection) { return (known, []) }
        if let filter = write.mutation.filter, let info = draft.tables[name], info.rows > 0 {
            try info.columns.check(Query(filter), table: name)
        }
        var rows = SQLiteRows(draft.tables[name], name: name, idColumn: idColumn, connection)
        var run = Write(
            tableRevision: draft.tables[name]?.revision ?? .zero,
            lastRevision: draft.revision,
            idColumn: idColumn,
            filters: write.mutation.isBulkDeletion ? write.table.hub.filters : [],
            key: write.key
        )
        let outcome = try run.run(write.mutation, rows: write.rows, on: &rows)
        guard var info = rows.info else { return (outcome, []) }
        if !run.changes.isEmpty {
            info.revision = run.revision
            draft.revision = run.revision
            try log(run.changes, info, connection)
        }
        draft.tables[name] = info
        try remember(outcome, of: write, info, connection)
        return (outcome, run.changes)
    }

    private func log(
        _ changes: [RowChange],
        _ info: TableInfo,
        _ connection: Connection
    ) throws(RemoteDataError) {
        for change in changes.suffix(logCapacity) {
            try StoredChange.write(change, table: info.number, to: connection)
        }
        try connection.run(
            "UPDATE tables SET revision = ?, rows = ? WHERE number = ?",
            [Binding(info.revision), Binding(info.rows), .integer(info.number)]
        )
    }

    /// Stores the newest revision and forgets the oldest changes.
    private func finish(_ draft: inout Catalog, _ connection: Connection) throws(RemoteDataError) {
        let start = Revision(draft.revision.rawValue - Int64(logCapacity))
        if start > draft.logStart {
            draft.logStart = start
            try connection.run("DELETE FROM changes WHERE revision <= ?", [Binding(start)])
        }
        try connection.run(
            "UPDATE store SET revision = ?, logStart = ?",
            [Binding(draft.revision), Binding(draft.logStart)]
        )
    }

    private func outcome(
        of write: PendingWrite,
        _ info: TableInfo?,
        _ connection: Connection
    ) throws(RemoteDataError) -> Outcome? {
        guard let key = write.key, let info else { return nil }
        let stored = try connection.first(
            "SELECT answer FROM outcomes WHERE tableNumber = ? AND key = ? AND time > ?",
            [.integer(info.number), .text(key), .integer(milliseconds - Self.outcomeAge)]
        ) { $0.bytes(0) }
        guard let stored else { return nil }
        return try Outcome(stored: stored, idColumn: idColumn)
    }

    private func remember(
        _ outcome: Outcome,
        of write: PendingWrite,
        _ info: TableInfo,
        _ connection: Connection
    ) throws(RemoteDataError) {
        guard let key = write.key else { return }
        try connection.run(
            "INSERT OR REPLACE INTO outcomes (tableNumber,key,time,answer) VALUES (?,?,?,?)",
            [.integer(info.number), .text(key), .integer(milliseconds), .blob(outcome.stored)]
        )
        // The oldest come first, so looking at a few each time is enough to drop all that are too many or too
        // old.
        try connection.run(
            """
            DELETE FROM outcomes WHERE number IN (SELECT number FROM outcomes ORDER BY number LIMIT 8)
            AND (time <= ? OR number <= (SELECT max(number) FROM outcomes) - ?)
            """,
            [.integer(milliseconds - Self.outcomeAge), Binding(Self.outcomeLimit)]
        )
    }

    private var milliseconds: Int64 { Int64(now().timeIntervalSince1970 * 1_000) }

    /// Reads the file's state anew when another connection has written to it.
    private func reload(_ connection: Connection) throws(RemoteDataError) {
        let version = try connection.first("PRAGMA data_version") { $0.integer(0) } ?? 0
        guard version != catalog.dataVersion else { return }
        let known = catalog
        catalog = try Catalog(connection)
        tables.update(from: catalog)
        guard catalog.revision != known.revision else { return }
        for (name, info) in catalog.tables where info.revision != known.tables[name]?.revision {
            tables[name]?.hub.lose(upTo: info.revision)
            tables[name]?.hub.deliver()
        }
    }
}
