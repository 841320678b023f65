public import Foundation
public import RemoteData

/// Tables in a SQLite file, or in memory, that share their revisions and survive crashes.
///
/// The file is in WAL mode, with every commit synchronized to the disk. One connection writes, others read
/// beside it, each on a thread of its own; Swift's cooperative threads never wait for the disk. One process
/// at a time should write to a file: another one's writes are noticed and safe, but reach subscriptions only
/// as a `reset` at this one's next write.
///
/// A file keeps the epoch of its revisions. A copy of the file that is put back, such as a backup, gives
/// revisions once more that clients know already: it has to be opened once with `beginsNewEpoch`, or those
/// clients would miss what differs.
public final class SQLiteTableStore: TableStore {
    /// The file, or `:memory:`.
    public let path: String

    private let core: StoreCore
    private let idColumn: String
    private let dates: DateConvention
    private let makeID: @Sendable () -> RowID

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists, or `:memory:` for tables that end with the store.
    ///   - idColumn: The column that holds a row's id, in every table; the same each time a file is opened.
    ///   - dates: How dates are written in rows.
    ///   - logCapacity: How many changes of all tables can be resumed from.
    ///   - logBytes: How many bytes of these changes are kept; of a change, the log has what it took away.
    ///   - beginsNewEpoch: Whether revisions belong to a new history from now on, so that every client reads
    ///     everything anew; for a file that is a backup put back, once, while no other process has it open.
    ///   - readers: How many reads of a file run at once.
    ///   - patience: How long a call waits for another process that holds the file.
    ///   - makeID: Makes the ids of rows that come without one.
    ///   - now: The time, by which the answers to repeated writes are forgotten after a day.
    /// - Throws: `RemoteDataError` with code `storage` that says what to do: no such folder, not
    ///   permitted, not a database, damaged, held by another process, disk full.
    public init(
        path: String,
        idColumn: String = "objectId",
        dates: DateConvention = .epochMilliseconds,
        logCapacity: Int = 100_000,
        logBytes: Int = 64 << 20,
        beginsNewEpoch: Bool = false,
        readers: Int = 2,
        patience: Duration = .seconds(5),
        makeID: @escaping @Sendable () -> RowID = { RowID.random() },
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(RemoteDataError) {
        self.path = path
        self.idColumn = idColumn
        self.dates = dates
        self.makeID = makeID
        core = try await StoreCore.open(
            StorePlan(
                path: path,
                idColumn: idColumn,
                logCapacity: (max(0, logCapacity), max(0, logBytes)),
                readers: max(1, readers),
                patience: patience,
                beginsNewEpoch: beginsNewEpoch,
                now: now
            )
        )
    }

    /// The table of a name; nil when it never had a row and is not to be made.
    ///
    /// - Complexity: O(1) for a known table, otherwise a look at the file.
    public func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? {
        if creating { return table(try core.tables.make(name)) }
        if core.tables[name]?.info == nil { try await core.writer.refresh() }
        guard let state = core.tables[name], state.hasHadRows else { return nil }
        return table(state)
    }

    /// The names of the tables that have had a row, sorted.
    public func tableNames() async throws(RemoteDataError) -> [String] {
        try await core.writer.refresh()
        return core.tables.names
    }

    /// Finishes what is under way, ends all subscriptions and closes the file; later calls fail with code
    /// `storage`.
    ///
    /// A store that is merely released closes its file too, with its last table.
    public func close() async { await core.close() }

    private func table(_ state: TableState) -> any Table {
        let table = SQLiteTable(state, core, idColumn: idColumn, dates: dates, makeID: makeID)
        return SubQueryTable(table) { (name, creating) throws(RemoteDataError) in
            try await self.table(name, creating: creating)
        }
    }

    /// The history that the revisions of the file belong to.
    package var epoch: Epoch? { core.firstRevision.epoch }

    /// Waits until the indexes asked for so far are there.
    package func finishIndexing() async throws(RemoteDataError) {
        try await core.writer.queue.run { _ in }
    }

    /// Runs statements on the connection that writes, for tests that break things.
    package func execute(_ sql: String) async throws(RemoteDataError) {
        try await core.writer.queue.run { (connection) throws(RemoteDataError) in try connection.execute(sql)
        }
    }
}
