import RemoteData

// The change log.
extension StoreTransaction {
    /// Notes changes in the log; what is known of their table is stored at the end.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - info: Their table.
    ///   - table: Its name.
    ///   - found: Of a bulk deletion, the rows as it found them that entries of the log lead to.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func log(
        _ changes: [RowChange],
        _ info: TableInfo,
        _ table: String,
        found: [Row] = []
    ) throws(RemoteDataError) {
        for change in changes.suffix(logCapacity.changes) {
            catalog.logEnd = try StoredChange.write(
                change,
                table: info.number,
                after: catalog.logEnd,
                found: change.id == nil ? found : [],
                to: connection
            )
        }
        changedTables.insert(table)
    }

    /// The rows that match and that entries of the log lead to; none where they are too many to be kept.
    ///
    /// - Complexity: O(rows that match), or of all rows O(entries of the log).
    func loggedRows(matching filter: Where?, in table: String) throws(RemoteDataError) -> [Row] {
        guard logCapacity.changes > 0, let info = catalog.tables[table] else { return [] }
        let limit = StoredChange.foundLimit
        var query = SQLFragment(
            """
            SELECT t.id,t.revision,t.json FROM changes AS c
            CROSS JOIN t\(info.number) AS t ON t.id = c.id AND t.revision = c.revision WHERE c.tableNumber = ?
            """,
            [.integer(info.number)]
        )
        if let filter {
            query = SQLFragment("SELECT id,revision,json FROM t\(info.number) WHERE ")
            query = query + WhereSQL(idColumn: idColumn).filter(filter)
        }
        var rows: [Row] = []
        var bytes = 0
        try connection.query(query.sql, query.bindings) { row in
            guard bytes <= limit.bytes, rows.count <= limit.rows, row.revision(1) > catalog.logStart else {
                return
            }
            rows.append(Row(id: row.id(0), revision: row.revision(1), json: row.bytes(2)[...]))
            bytes += rows.last?.json.count ?? 0
        }
        return rows.count > limit.rows || bytes > limit.bytes ? [] : rows
    }

    /// Stores what is known of the tables that have changed, and the newest revision, unless that of a table
    /// is it; and forgets the oldest changes.
    mutating func end() throws(RemoteDataError) {
        for info in changedTables.compactMap({ catalog.tables[$0] }) {
            try connection.run(
                "UPDATE tables SET revision = ?, rows = ? WHERE number = ?",
                [Binding(info.revision), Binding(info.rows), .integer(info.number)]
            )
        }
        if logCapacity.changes == 0,
            catalog.tables.values.contains(where: { $0.revision == catalog.revision })
        {
            catalog.logStart = catalog.revision
            return
        }
        try shortenLog()
        try connection.run(
            "UPDATE store SET revision = ?, logStart = ?, logBase = ?",
            [Binding(catalog.revision), Binding(catalog.logStart), .integer(catalog.logBase)]
        )
    }

    /// Forgets the oldest changes where there are too many, or too many bytes of them.
    private mutating func shortenLog() throws(RemoteDataError) {
        let (revision, capacity) = (catalog.revision.rawValue, logCapacity)
        var start = Revision(revision - Int64(capacity.changes), epoch: connection.epoch)
        var base = catalog.logBase
        if start > catalog.logStart {
            base =
                try connection.first(
                    "SELECT total FROM changes WHERE revision <= ? ORDER BY revision DESC LIMIT 1",
                    [Binding(start)]
                ) { $0.integer(0) } ?? base
        }
        if catalog.logEnd - base > capacity.bytes {
            let last = try connection.first(
                "SELECT revision,total FROM changes WHERE total >= ? ORDER BY revision LIMIT 1",
                [.integer(catalog.logEnd - Int64(capacity.bytes))]
            ) { (revision: $0.revision(0), total: $0.integer(1)) }
            if let last { (start, base) = (max(start, last.revision), max(base, last.total)) }
        }
        guard start > catalog.logStart else { return }
        (catalog.logStart, catalog.logBase) = (start, base)
        try connection.run("DELETE FROM changes WHERE revision <= ?", [Binding(start)])
    }
}
