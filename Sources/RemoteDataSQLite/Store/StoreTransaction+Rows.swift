import RemoteData

// Rows that come and go by other ways than a mutation.
extension StoreTransaction {
    /// Stores a row in place of the one with its id, if any, and has everybody know.
    ///
    /// - Parameters:
    ///   - row: The row; its revision is the one a server gave it.
    ///   - table: The table.
    ///   - before: The row that is there.
    ///   - mark: Why the row is here.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func put(
        _ row: Row,
        in table: String,
        replacing before: Row?,
        mark: RowMark
    ) throws(RemoteDataError) {
        var rows = SQLiteRows(try self.table(table), name: table, idColumn: idColumn, connection)
        let revision = nextRevision()
        let stored = row.at(revision)
        try rows.put(stored, replacing: before, mark: mark, ServerVersion(row.revision, asOf: nil))
        let effect: RowChange.Effect = before.map { .updated(before: $0, after: stored) } ?? .created(stored)
        try finish([RowChange(revision: revision, effect: effect)], rows.info, table)
    }

    /// Removes a row, and has everybody know.
    mutating func remove(_ row: Row, from table: String) throws(RemoteDataError) {
        var rows = SQLiteRows(try self.table(table), name: table, idColumn: idColumn, connection)
        try rows.remove(row)
        try finish([RowChange(revision: nextRevision(), effect: .deleted(row))], rows.info, table)
    }

    /// Removes a row that no label holds any more, if it is here for no other reason.
    mutating func discard(_ place: RowPlace) throws(RemoteDataError) {
        guard let info = catalog.tables[place.table] else { return }
        let rows = SQLiteRows(info, name: place.table, idColumn: idColumn, connection)
        guard let known = try rows.known(place.id), known.mark == .held else { return }
        try remove(known.row, from: place.table)
    }

    /// Notes changes that have been made to a table, for the log, the labels and the subscriptions.
    mutating func finish(
        _ changes: [RowChange],
        _ info: TableInfo?,
        _ table: String,
        found: [Row] = []
    ) throws(RemoteDataError) {
        guard var info else { return }
        if let last = changes.last { info.revision = last.revision }
        catalog.tables[table] = info
        guard !changes.isEmpty else { return }
        try log(changes, info, table, found: found)
        tell(changes, .table(table))
        touchParents(of: changes, in: table)
        try follow(changes, of: table)
    }
}

extension StoreTransaction {
    /// Stores what somebody has of a row, unless there is a version of it here that came from a server or was written here,
    /// which may be newer; otherwise the columns given replace those that were stored like this before.
    mutating func keep(_ row: Row, in table: String) throws(RemoteDataError) {
        let rows = SQLiteRows(try self.table(table), name: table, idColumn: idColumn, connection)
        guard let known = try rows.known(row.id) else {
            return try put(row.at(nil), in: table, replacing: nil, mark: .held)
        }
        guard known.mark == .held, known.version.asOf == nil else { return }
        let json = try JSONObject.merging(row.json, into: known.row.json)
        guard json != known.row.json else { return }
        try put(Row(id: row.id, json: json), in: table, replacing: known.row, mark: .held)
    }
}
