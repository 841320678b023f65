import RemoteData

/// Reads of a table, each in one transaction.
struct Reader {
    private let connection: Connection
    private let table: Int64
    private let idColumn: String
    /// The label whose rows are read; nil for all rows of the table.
    private let label: String?
    /// The rights of who reads the log; nil for all rights.
    private let access: RowAccess?

    init(
        _ connection: Connection,
        table: Int64,
        idColumn: String,
        label: String? = nil,
        access: RowAccess? = nil
    ) {
        self.access = access
        self.connection = connection
        self.table = table
        self.idColumn = idColumn
        self.label = label
    }

    private var condition: SQLFragment? { label.map { Label.condition($0, table: table) } }

    func count(_ filter: Where?) throws(RemoteDataError) -> Count {
        try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
            let (revision, rows) = try head()
            if filter == nil, label == nil { return Count(rows, revision: revision) }
            let query = QuerySQL(Query(filter), table: table, idColumn: idColumn, condition).count
            let count = try connection.first(query.sql, query.bindings) { Int($0.integer(0)) }
            return Count(count ?? 0, revision: revision)
        }
    }

    func page(_ request: PageRequest, limit: Int) throws(RemoteDataError) -> Page {
        let parts = QuerySQL(request.query, table: table, idColumn: idColumn, condition).page(request.start)
        return try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
            let (revision, _) = try head()
            var page = PageBuffer(capacity: limit)
            try connection.readPage(parts, passing: request.start.offset, limit: limit) { row in
                page.append(row)
                return true
            }
            return Page(rows: page.rows(reversed: request.isBackward), revision: revision)
        }
    }

    /// A page as text; not in front of a key, where rows come backward.
    func pageText(
        _ request: PageRequest,
        limit: Int,
        fitting bytes: Int
    ) throws(RemoteDataError) -> PageText {
        let parts = QuerySQL(request.query, table: table, idColumn: idColumn, condition).page(request.start)
        return try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
            let (revision, _) = try head()
            var page = PageText(revision: revision, fitting: bytes)
            try connection.readPage(parts, passing: request.start.offset, limit: limit) { row in
                page.append { _ = row.append(2, to: &$0) }
            }
            return page.finished()
        }
    }

    /// The values of a column in some rows, each once.
    func values(of column: ColumnPath, in filter: Where?, limit: Int) throws(RemoteDataError) -> [Value] {
        let query = QuerySQL(Query(filter), table: table, idColumn: idColumn, condition)
            .values(of: column, ColumnSQL(idColumn: idColumn))
        var values: [Value] = []
        try connection.query(query.sql, query.bindings + [Binding(limit)]) { values.append($0.value(0)) }
        return values
    }

    func row(_ id: RowID) throws(RemoteDataError) -> Row? {
        var query = SQLFragment("SELECT id,revision,json FROM t\(table) WHERE id = ?", [Binding(id)])
        if let condition { query = query + SQLFragment(" AND ") + condition }
        return try connection.first(query.sql, query.bindings) { statement in
            Row(id: id, revision: statement.revision(1), json: statement.bytes(2)[...])
        }
    }

    // A store without a log knows of nothing before now.
    func changes(since start: Revision, limit: Int, keepsLog: Bool) throws(RemoteDataError) -> ChangeBatch {
        guard let revision = start.point(in: connection.epoch) else {
            throw .otherHistory(start)
        }
        guard label == nil else {
            // What a label held before, nobody notes.
            let current = try head().revision
            return try ChangeBatch(
                revision == current ? [] : nil,
                since: revision,
                limit: limit,
                tableRevision: current,
                newestRevision: current
            )
        }
        return try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
            let (newest, logStart) = try log(isKept: keepsLog)
            let current = try head().revision
            var stored: StoredChanges?
            // The log is one for all tables; of one that has not changed since, it need not reach back.
            if revision >= min(logStart, current), limit > 0 {
                stored = try StoredChanges(
                    table: table,
                    since: revision,
                    limit: limit,
                    bytes: 16 << 20,
                    from: connection
                )
            }
            return try ChangeBatch(
                stored?.changes[...],
                isWhole: stored?.isComplete ?? true,
                since: revision,
                limit: limit,
                tableRevision: current,
                newestRevision: newest,
                access: access
            )
        }
    }

    /// All changes after a revision; nil where they are no longer known, or are too many for a
    /// subscription.
    func missed(since start: Revision, keepsLog: Bool) throws(RemoteDataError) -> MissedChanges? {
        guard let since = start.point(in: connection.epoch) else { return nil }
        return try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
            let (newest, logStart) = try log(isKept: keepsLog)
            let current = try head().revision
            // The log is one for all tables; of one that has not changed since, it need not reach back.
            guard since <= newest, since >= min(logStart, current) else { return nil }
            return try MissedChanges(table: table, since: since, upTo: current, from: connection)
        }
    }

    /// The newest revision, and the one behind which all changes are in the log.
    private func log(isKept: Bool) throws(RemoteDataError) -> (newest: Revision, start: Revision) {
        let log = try connection.first(
            """
            SELECT max(revision, ifnull((SELECT max(revision) FROM tables), 0)), logStart,
                (SELECT max(revision) FROM changes) FROM store
            """
        ) { row in
            let end = row.isNull(2) ? nil : row.revision(2)
            return (newest: row.revision(0), start: row.revision(1), end: end)
        }
        let newest = log?.newest ?? connection.firstRevision
        guard let log, isKept else { return (newest, newest) }
        // One who keeps no log has written since.
        return (newest, log.end ?? log.start < newest ? newest : log.start)
    }

    /// The revision, and how many rows the whole table has, as of this transaction.
    private func head() throws(RemoteDataError) -> (revision: Revision, rows: Int) {
        if let label { return (try Label.revision(label, table: table, connection), 0) }
        let head = try connection.first(
            "SELECT revision,rows FROM tables WHERE number = ?",
            [.integer(table)]
        ) { row in
            (revision: row.revision(0), rows: Int(row.integer(1)))
        }
        return head ?? (connection.firstRevision, 0)
    }
}

extension PageRequest {
    fileprivate var isBackward: Bool {
        if case .before = start { true } else { false }
    }
}
