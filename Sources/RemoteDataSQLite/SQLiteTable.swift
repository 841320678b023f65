public import RemoteData

/// A table of a ``SQLiteTableStore`` or a ``LocalStore``, or what a label holds of it, with everything a table can do.
///
/// Thread-safe. Calls suspend while SQLite works on a thread of its own; reads run beside writes, each on one
/// state of the file. When a write returns it is on the disk.
public final class SQLiteTable: IdentifiedTable {
    /// The table's name.
    public var name: String { state.name }
    /// The column that holds a row's id.
    public let idColumn: String
    /// How dates are written in rows.
    public let dates: DateConvention
    /// What the table can do: everything; changes of a ``LocalStore`` cannot be resumed, though, for which no log is kept.
    public let capabilities: Capabilities
    /// The label whose rows these are; nil for all rows of the table.
    public let label: String?

    package var identity: ObjectIdentifier { ObjectIdentifier(state) }

    private let state: TableState
    private let core: StoreCore
    private let makeID: @Sendable () -> RowID
    /// The rights of who asks; nil for all rights.
    private let access: RowAccess?

    init(
        _ state: TableState,
        _ core: StoreCore,
        label: String? = nil,
        idColumn: String,
        dates: DateConvention,
        makeID: @escaping @Sendable () -> RowID,
        access: RowAccess? = nil
    ) {
        self.access = access
        self.state = state
        self.core = core
        self.label = label
        var capabilities = Capabilities.full
        capabilities.resume = label == nil && core.keepsLog
        self.capabilities = access == nil ? capabilities : capabilities.guarded
        self.idColumn = idColumn
        self.dates = dates
        self.makeID = makeID
    }

    /// How many rows the query has.
    ///
    /// - Complexity: O(1) for all rows; O(matches) with an index on what the clause compares, otherwise
    ///   O(rows).
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let query = access?.narrowed(query) ?? query
        let filter = query.filter
        // The sort is checked, but needs no index to count.
        _ = try await known(query)
        guard let info = try await prepared(Query(filter)) else {
            return Count(0, revision: core.firstRevision)
        }
        let (idColumn, label) = (idColumn, label)
        return try await core.read(for: filter) { (connection) throws(RemoteDataError) in
            try Reader(connection, table: info.number, idColumn: idColumn, label: label)
                .count(filter)
        }
    }

    /// A page of a query.
    ///
    /// Indexes are made for queries that keep needing them, on the writer and so after some pages.
    /// - Complexity: O(log n + page) behind or in front of a key with an index; O(log n + offset + page) at
    ///   an offset; O(rows) without an index.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let limit = try request.checkedLimit(maximum: capabilities.maximumPageSize)
        let request = access?.narrowed(request) ?? request
        guard let info = try await prepared(request.query) else {
            return Page(rows: [], revision: core.firstRevision)
        }
        let (idColumn, label) = (idColumn, label)
        return try await core.read(for: request.query.filter) { (connection) throws(RemoteDataError) in
            try Reader(connection, table: info.number, idColumn: idColumn, label: label)
                .page(request, limit: limit)
        }
    }

    /// The row with an id; nil when there is none.
    ///
    /// - Complexity: O(log n).
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        guard let info = try await info() else { return nil }
        let (idColumn, label) = (idColumn, label)
        let row = try await core.read { (connection) throws(RemoteDataError) in
            try Reader(connection, table: info.number, idColumn: idColumn, label: label).row(id)
        }
        return row.flatMap { access?.mayRead($0) ?? true ? $0 : nil }
    }

    /// Makes a change, all of it or nothing; on the disk when this returns.
    ///
    /// A change by clause holds the rows it changes in memory. Cancelling the task does not stop a write.
    /// - Complexity: O(log n) for each row written, and for each index.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try checkIdempotencyKey(idempotencyKey)
        try refuseSubQueries(mutation.filter)
        let prepared = try access?.prepared(mutation) ?? mutation
        let rows = try prepared.rows(idColumn: idColumn, makeID: makeID)
        let write = PendingWrite(
            table: state,
            label: label,
            mutation: prepared,
            rows: rows,
            key: access.map { $0.key(idempotencyKey, for: mutation) } ?? idempotencyKey,
            access: access?.making(mutation)
        )
        return try await core.writer.answer(write) { () async throws(RemoteDataError) in
            try await core.writer.commit { (transaction) throws(RemoteDataError) in
                try transaction.run(write)
            }
        }
    }

    /// The changes after a revision in the order they were made, at most `limit` and never more than 10,000.
    ///
    /// The log is one for all tables of the store. Throws `gone` when it begins later.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        let table = try await info()?.number ?? 0
        let (idColumn, label, access, keepsLog) = (idColumn, label, access, core.keepsLog)
        return try await core.read { (connection) throws(RemoteDataError) in
            try Reader(connection, table: table, idColumn: idColumn, label: label, access: access)
                .changes(since: revision, limit: min(limit, 10_000), keepsLog: keepsLog)
        }
    }

    /// Starts delivering changes of a query; waits for its turn among the writes.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        _ = try await known(query)
        if let label {
            return try await core.writer.subscribe(
                to: query,
                of: state,
                label: label,
                since: revision,
                access: access
            )
        }
        return try await core.writer.subscribe(
            to: query,
            of: state,
            since: revision,
            missed: try await missed(since: revision),
            access: access
        )
    }

    /// What has changed after a revision, read beside the writes; nil where it is not known, or takes too
    /// much work.
    private func missed(since revision: Revision?) async throws(RemoteDataError) -> MissedChanges? {
        guard let revision, let table = try await info()?.number else { return nil }
        let (idColumn, keepsLog) = (idColumn, core.keepsLog)
        do throws(RemoteDataError) {
            return try await core.read { (connection) throws(RemoteDataError) in
                try Reader(connection, table: table, idColumn: idColumn).missed(
                    since: revision,
                    keepsLog: keepsLog
                )
            }
        } catch  where error.code == .unavailable { return nil }
    }

    /// Checks a query and has an index made for it if it deserves one; nil when there is no table yet.
    private func prepared(_ query: Query) async throws(RemoteDataError) -> TableInfo? {
        guard let info = try await known(query) else { return nil }
        if let shape = IndexShape(query, idColumn: idColumn), let (info, advice) = state.advice(for: shape) {
            core.makeIndex(advice, table: info.number)
        }
        return info
    }

    /// What is known of the table, which another process may have made.
    private func info() async throws(RemoteDataError) -> TableInfo? {
        if let info = state.info { return info }
        try await core.writer.refresh()
        return state.info
    }

    /// - Throws: `unknownColumn`; what another process may have added is looked up before.
    private func known(_ query: Query) async throws(RemoteDataError) -> TableInfo? {
        try refuseSubQueries(query.filter)
        guard let info = try await info() else { return nil }
        guard access == nil, info.rows > 0 else { return info }
        do throws(RemoteDataError) {
            try info.columns.check(query, table: name, idColumn: idColumn)
            return info
        } catch {
            try await core.writer.refresh()
            guard let info = state.info else { throw error }
            if info.rows > 0 { try info.columns.check(query, table: name, idColumn: idColumn) }
            return info
        }
    }
}

extension SQLiteTable: PageWriting {
    /// A page of a query as text, straight from the file; see ``page(_:)``.
    package func pageText(
        _ request: PageRequest,
        fitting bytes: Int
    ) async throws(RemoteDataError) -> PageText? {
        if case .before = request.start { return nil }
        let limit = try request.checkedLimit(maximum: capabilities.maximumPageSize)
        let request = access?.narrowed(request) ?? request
        guard let info = try await prepared(request.query) else {
            return PageText(revision: core.firstRevision, fitting: bytes).finished()
        }
        let (idColumn, label) = (idColumn, label)
        return try await core.read(for: request.query.filter) { (connection) throws(RemoteDataError) in
            try Reader(connection, table: info.number, idColumn: idColumn, label: label)
                .pageText(request, limit: limit, fitting: bytes)
        }
    }
}

extension SQLiteTable: ValueSource {
    /// The values of a column in some rows, each once.
    ///
    /// - Complexity: O(matches) with an index on what the clause compares, otherwise O(rows).
    package func values(
        of column: ColumnPath,
        in filter: Where?,
        limit: Int
    ) async throws(RemoteDataError) -> [Value] {
        let rows = SubQuery(column, from: name, where: filter).rows
        let query = access?.narrowed(rows) ?? rows
        guard let info = try await prepared(query) else { return [] }
        let (idColumn, label) = (idColumn, label)
        return try await core.read(for: query.filter) { (connection) throws(RemoteDataError) in
            try Reader(connection, table: info.number, idColumn: idColumn, label: label)
                .values(of: column, in: query.filter, limit: limit)
        }
    }
}

extension SQLiteTable: GuardedTable {
    /// The table as somebody with these rights may see and change it.
    package func guarded(by access: RowAccess) -> any Table {
        SQLiteTable(
            state,
            core,
            label: label,
            idColumn: idColumn,
            dates: dates,
            makeID: makeID,
            access: access
        )
    }
}
