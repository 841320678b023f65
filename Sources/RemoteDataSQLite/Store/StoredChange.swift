import RemoteData

/// The change log as rows of the table `changes`.
enum StoredChange {
    static func write(_ change: RowChange, table: Int64, to connection: Connection) throws(RemoteDataError) {
        let empty: [Binding] = [.null, .null, .null, .null]
        let values: [Binding] =
            switch change.effect {
            case .created(let row): [Binding(row.id), .null, .null, .utf8(row.json), .null, .null]
            case .updated(let before, let after):
                [Binding(after.id), revision(before), .utf8(before.json), .utf8(after.json), .null, .null]
            case .deleted(let row), .left(let row):
                [Binding(row.id), revision(row), .utf8(row.json), .null, .null, .null]
            case .bulkDeleted(let predicate, let count, _):
                empty + [predicate.map { .text($0.description) } ?? .null, Binding(count)]
            }
        try connection.run(
            "INSERT INTO changes VALUES (?,?,?,?,?,?,?,?,?)",
            [Binding(change.revision), .integer(table)] + values
                + [change.key.map { .text($0) } ?? .null]
        )
    }

    private static func revision(_ row: Row) -> Binding { row.revision.map { Binding($0) } ?? .null }

    /// The changes of a table after a revision, oldest first, at most `limit`; nil when a stored clause
    /// cannot be read.
    static func read(
        table: Int64,
        since revision: Revision,
        limit: Int,
        from connection: Connection
    ) throws(RemoteDataError) -> [RowChange]? {
        var changes: [RowChange] = []
        var isReadable = true
        try connection.query(
            """
            SELECT revision,id,beforeRevision,before,after,clause,count,key FROM changes
            WHERE revision > ? AND tableNumber = ? ORDER BY revision LIMIT ?
            """,
            [Binding(revision), .integer(table), Binding(limit)]
        ) { row in
            if let change = change(row) { changes.append(change) } else { isReadable = false }
        }
        return isReadable ? changes : nil
    }

    private static func change(_ row: Statement) -> RowChange? {
        guard let effect = effect(row) else { return nil }
        return RowChange(
            revision: Revision(row.integer(0)),
            effect: effect,
            key: row.isNull(7) ? nil : row.text(7)
        )
    }

    private static func effect(_ row: Statement) -> RowChange.Effect? {
        if !row.isNull(6) {
            let clause = row.isNull(5) ? nil : try? Where.parse(row.text(5))
            guard row.isNull(5) || clause != nil else { return nil }
            return .bulkDeleted(clause, count: Int(row.integer(6)), counts: [:])
        }
        let id = row.id(1)
        let before =
            row.isNull(3) ? nil : Row(id: id, revision: Revision(row.integer(2)), json: row.bytes(3)[...])
        let after =
            row.isNull(4) ? nil : Row(id: id, revision: Revision(row.integer(0)), json: row.bytes(4)[...])
        switch (before, after) {
        case (nil, let after?): return .created(after)
        case (let before?, let after?): return .updated(before: before, after: after)
        case (let before?, nil): return .deleted(before)
        case (nil, nil): return nil
        }
    }
}
