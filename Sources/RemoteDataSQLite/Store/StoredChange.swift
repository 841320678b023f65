import RemoteData

/// The change log as rows of the table `changes`.
enum StoredChange {
    static func write(_ change: RowChange, table: Int64, to connection: Connection) throws(RemoteDataError) {
        let values: [Binding] =
            switch change.effect {
            case .created(let row): [Binding(row.id), .null, .null, .utf8(row.json), .null, .null]
            case .updated(let before, let after):
                [Binding(after.id), revision(before), .utf8(before.json), .utf8(after.json), .null, .null]
            case .deleted(let row), .left(let row):
                [Binding(row.id), revision(row), .utf8(row.json), .null, .null, .null]
            case .bulkDeleted(let predicate, let count, _):
                [.null, .null, change.removed?.stored.map { .utf8($0) } ?? .null, .null]
                    + [predicate.map { .text($0.description) } ?? .null, Binding(count)]
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
            revision: row.revision(0),
            effect: effect,
            key: row.isNull(7) ? nil : row.text(7),
            removed: row.isNull(6) || row.isNull(3)
                ? nil : BulkRemoval(stored: row.bytes(3), epoch: row.revision(0).epoch)
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
            row.isNull(3) ? nil : Row(id: id, revision: row.revision(2), json: row.bytes(3)[...])
        let after =
            row.isNull(4) ? nil : Row(id: id, revision: row.revision(0), json: row.bytes(4)[...])
        switch (before, after) {
        case (nil, let after?): return .created(after)
        case (let before?, let after?): return .updated(before: before, after: after)
        case (let before?, nil): return .deleted(before)
        case (nil, nil): return nil
        }
    }
}

extension BulkRemoval {
    /// The rows as a JSON array of the id, the revision and the JSON of each; nil when they are not known.
    fileprivate var stored: ArraySlice<UInt8>? {
        guard let rows else { return nil }
        let parts = rows.flatMap {
            [$0.id.value.json, Array(String($0.revision?.rawValue ?? 0).utf8), Array($0.json)]
        }
        return [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    /// Reads what ``stored`` wrote; nil when it is not that.
    fileprivate init?(stored: [UInt8], epoch: Epoch?) {
        guard let parts = try? JSONObject.elements(of: stored[...]), parts.count.isMultiple(of: 3) else {
            return nil
        }
        var rows: [Row] = []
        for index in stride(from: 0, to: parts.count, by: 3) {
            guard let id = RowID(JSONObject.value(of: parts[index])),
                case .integer(let revision) = JSONObject.value(of: parts[index + 1])
            else { return nil }
            rows.append(Row(id: id, revision: Revision(revision, epoch: epoch), json: parts[index + 2]))
        }
        self.init(rows: rows)
    }
}
