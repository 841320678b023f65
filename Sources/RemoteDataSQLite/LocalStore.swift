public import Foundation
public import RemoteData
import RemoteDataExecution
import Synchronization

/// Tables on this machine, in a SQLite file or in memory: rows of servers kept for when they cannot be reached, held under labels,
/// and asked the same queries.
///
/// A store is for the tables of one server as one user sees them: tables are told apart by their names.
///
/// Thread-safe; Swift's cooperative threads never wait for the disk. One connection writes, others read beside it. What has been
/// written when a call returns is on the disk. A new file can be read by its owner only. Other processes may use the
/// file at the same time: their writes reach queries at once, and subscriptions as a `reset` at this one's next write.
public final class LocalStore: TableStore {
    /// The file, or `:memory:`.
    public let path: String
    /// The column that holds a row's id, in every table.
    public let idColumn: String
    /// How dates are written in rows.
    public let dates: DateConvention

    /// The most bytes of rows kept for collections.
    let cacheLimit: Int?
    let core: StoreCore
    /// The collections that this is the cache of.
    let links: CacheLinks
    /// Who may see and change what; nil where everything may be.
    let access: AccessControl?
    let surroundings: Surroundings
    let outboxCore: OutboxCore
    let makeID: @Sendable () -> RowID

    /// The label of what is pinned without one.
    public static let defaultLabel = "default"

    /// Opens a file, or makes it; one of an earlier version is brought up to date with all it holds.
    ///
    /// - Parameters:
    ///   - path: The file, in a folder that exists, or `:memory:` for tables that end with the store.
    ///   - key: What the file is encrypted with, the same each time it is opened; nil for a file that is not. Needs the package
    ///     to be built with the trait `SQLCipher`.
    ///   - idColumn: The column that holds a row's id, in every table; the same each time a file is opened.
    ///   - dates: How dates are written in rows.
    ///   - relations: What rows lead to others, which are pinned with them. When they are others than when the file was last
    ///     opened, what the labels hold is found anew.
    ///   - cacheLimit: The most bytes of rows (as JSON) that are kept for collections, those that labels hold not counted; when
    ///     there are more, those read longest ago go. Nil for all that were ever read.
    ///   - access: Whose rights the tables keep to, by the `ACL` of each row, and what ACL new rows get; without one, everything
    ///     may be read and written.
    ///   - readers: How many reads of a file run at once.
    ///   - patience: How long a call waits for another process that holds the file.
    ///   - makeID: Makes the ids of rows that come without one.
    ///   - now: The time, by which the answers to repeated writes are forgotten after a day.
    /// - Throws: `RemoteDataError` with code `storage` that says what to do: no such folder, not permitted, not a database,
    ///   damaged, another key, of a newer version, held by another process, disk full.
    public convenience init(
        path: String,
        key: EncryptionKey? = nil,
        idColumn: String = "objectId",
        dates: DateConvention = .epochMilliseconds,
        relations: [Relation] = [],
        cacheLimit: Int? = 100_000_000,
        access: AccessControl? = nil,
        readers: Int = 2,
        patience: Duration = .seconds(5),
        makeID: @escaping @Sendable () -> RowID = { RowID.random() },
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(RemoteDataError) {
        let plan = StorePlan(
            path: path,
            key: key,
            idColumn: idColumn,
            logCapacity: (0, 0),
            readers: max(1, readers),
            patience: patience,
            relations: Relations(relations),
            now: now
        )
        try await self.init(plan, dates: dates, cacheLimit: cacheLimit, access: access, makeID: makeID)
    }

    /// Opens a file with what it takes from the world around it.
    init(
        _ plan: StorePlan,
        dates: DateConvention = .epochMilliseconds,
        cacheLimit: Int? = 100_000_000,
        access: AccessControl? = nil,
        makeID: @escaping @Sendable () -> RowID = { RowID.random() },
        surroundings: Surroundings = Surroundings(executor: WorkerExecutor.background)
    ) async throws(RemoteDataError) {
        path = plan.path
        idColumn = plan.idColumn
        self.dates = dates
        self.makeID = makeID
        self.cacheLimit = cacheLimit.map { max(0, $0) }
        self.access = access
        self.surroundings = surroundings
        links = CacheLinks()
        core = try await StoreCore.open(plan)
        outboxCore = OutboxCore(core, surroundings)
        core.writer.listener.withLock { listener in
            listener.hear = { [weak outboxCore] news in outboxCore?.hear(news.outbox) }
        }
        try await core.writer.change { (transaction) throws(RemoteDataError) in try transaction.relate() }
    }

    private init(ignoringACLsOf store: LocalStore) {
        (path, idColumn, dates) = (store.path, store.idColumn, store.dates)
        (core, makeID, access) = (store.core, store.makeID, nil)
        (outboxCore, surroundings) = (store.outboxCore, store.surroundings)
        (links, cacheLimit) = (store.links, store.cacheLimit)
    }

    /// The same store without access control, for code that may see everything; O(1).
    public func ignoringACLs() -> LocalStore { access == nil ? self : LocalStore(ignoringACLsOf: self) }

    /// The table of a name, with every row of it that is here and may be read; sub-queries
    /// are answered by the other tables.
    ///
    /// Never blocks. The table comes into being with its first row.
    /// - Throws: `RemoteDataError` with code `tooLarge` when there are too many tables.
    public func table(_ name: String) throws(RemoteDataError) -> any Table {
        table(try core.tables.make(name), label: nil)
    }

    /// What a label holds of a table, as a table: rows created in it are pinned, and others are not seen.
    ///
    /// Never blocks.
    /// - Throws: `RemoteDataError` with code `tooLarge` when there are too many tables.
    public func table(_ name: String, label: String) throws(RemoteDataError) -> any Table {
        table(try core.tables.make(name), label: label)
    }

    /// The table of a name; nil when it never had a row and is not to be made.
    public func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? {
        if creating { return try table(name) }
        if core.tables[name]?.hasHadRows != true { try await core.writer.refresh() }
        guard let state = core.tables[name], state.hasHadRows else { return nil }
        return table(state, label: nil)
    }

    /// The names of the tables that have had a row, sorted.
    public func tableNames() async throws(RemoteDataError) -> [String] {
        try await core.writer.refresh()
        return core.tables.names
    }

    /// Writes what collections with this cache have read, finishes what is under way, ends all subscriptions and closes the
    /// file; later calls fail with code `storage`.
    ///
    /// A write on its way to a server gets two seconds to end and is then cancelled: it is sent again when
    /// the file is opened again.
    ///
    /// A store that is merely released closes its file too, with its last table.
    public func close() async {
        await flush()
        await outboxCore.close()
        await core.close()
    }

    /// The writes that were accepted here and have not all been agreed to by a server; O(1).
    public var outbox: Outbox { Outbox(core: outboxCore) }

    private func table(_ state: TableState, label: String?) -> any Table {
        let table = SQLiteTable(
            state,
            core,
            label: label,
            idColumn: idColumn,
            dates: dates,
            makeID: makeID
        )
        return SubQueryTable(access.map { AccessTable(table, $0) } ?? table) {
            (name, creating) throws(RemoteDataError) in
            try await self.table(name, creating: creating)
        }
    }

    /// Whether SQLite finds nothing wrong with the file.
    package func isWhole() async throws(RemoteDataError) -> Bool {
        try await core.writer.queue.run { (connection) throws(RemoteDataError) in
            try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok"
        }
    }

    /// Runs statements on the connection that writes, for tests that break things.
    package func execute(_ sql: String) async throws(RemoteDataError) {
        try await core.writer.queue.run { (connection) throws(RemoteDataError) in
            try connection.execute(sql)
        }
    }
}
