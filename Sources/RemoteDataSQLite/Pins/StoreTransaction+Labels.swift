import RemoteData

// What a label holds of a table, as a table of its own.
extension StoreTransaction {
    /// Whether a label holds a row that is here.
    func isHeld(_ id: RowID, of table: String, label: String) throws(RemoteDataError) -> Bool {
        guard let label = catalog.labels[label], let info = catalog.tables[table] else { return false }
        return try connection.first(
            "SELECT 1 FROM pins WHERE label = ? AND tableNumber = ? AND id = ?",
            [.integer(label.number), .integer(info.number), Binding(id)]
        ) { $0.integer(0) } != nil
    }

    /// The rows that a label holds and that match; all for nil.
    func rows(matching filter: Where?, in table: String, label: String) throws(RemoteDataError) -> [Row] {
        guard let info = catalog.tables[table] else { return [] }
        return try SQLiteRows(info, name: table, idColumn: idColumn, connection)
            .rows(matching: filter, and: Label.condition(label, table: info.number))
    }

    /// The revision at which the rows that a label holds last changed.
    func labelRevision(of table: String, label: String) throws(RemoteDataError) -> Revision {
        guard let info = catalog.tables[table] else { return connection.firstRevision }
        return try Label.revision(label, table: info.number, connection)
    }
}

extension Label {
    /// What is true of the rows of a table that a label holds.
    static func condition(_ name: String, table: Int64) -> SQLFragment {
        SQLFragment(
            """
            id IN (SELECT id FROM pins
            WHERE label = (SELECT number FROM labels WHERE name = ?) AND tableNumber = ?)
            """,
            [.text(name), .integer(table)]
        )
    }

    /// The revision at which the rows of a table that a label holds last changed.
    static func revision(
        _ name: String,
        table: Int64,
        _ connection: Connection
    ) throws(RemoteDataError) -> Revision {
        let found = try connection.first(
            """
            SELECT revision FROM holdings
            WHERE label = (SELECT number FROM labels WHERE name = ?) AND tableNumber = ?
            """,
            [.text(name), .integer(table)]
        ) { $0.revision(0) }
        return found ?? connection.firstRevision
    }
}
