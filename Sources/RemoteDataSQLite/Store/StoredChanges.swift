import RemoteData

/// A part of the change log of a table, read backwards: each change from the row that it left.
struct StoredChanges {
    /// The changes, oldest first.
    private(set) var changes: [RowChange] = []
    /// Whether these are all there are.
    private(set) var isComplete = true

    private let table: Int64
    private let connection: Connection
    /// The rows as they are behind the change that is looked at.
    private var rows: [RowID: Row] = [:]
    /// How many bytes of rows may still be made of entries that are not asked for.
    private var room = 64 << 20

    /// Reads the changes of a table after a revision, in a transaction; nil where rows are no longer known:
    /// many of them were removed at once, or were changed too often since.
    ///
    /// - Parameters:
    ///   - table: The number of the table.
    ///   - revision: The revision after which they are wanted.
    ///   - limit: How many are read at most.
    ///   - bytes: How many bytes their rows have at most; one change is read whatever it has.
    ///   - isAll: Whether a part is of no use, so that none is read where there is more.
    ///   - connection: The connection to read from.
    /// - Throws: `RemoteDataError` with code `storage`.
    init?(
        table: Int64,
        since revision: Revision,
        limit: Int,
        bytes: Int,
        isAll: Bool = false,
        from connection: Connection
    ) throws(RemoteDataError) {
        (self.table, self.connection) = (table, connection)
        var entries: [StoredChange] = []
        var (size, isReadable) = (0, true)
        let sql = """
            SELECT \(StoredChange.columns) FROM changes
            WHERE revision > ? AND tableNumber = ? ORDER BY revision LIMIT ?
            """
        try connection.query(sql, [Binding(revision), .integer(table), Binding(limit + 1)]) { row in
            guard isComplete, isReadable else { return }
            guard entries.count < limit, entries.isEmpty || size + Int(row.integer(2)) <= bytes else {
                return isComplete = false
            }
            guard let entry = StoredChange(row) else { return isReadable = false }
            size += entry.size
            entries.append(entry)
        }
        guard isReadable else { return nil }
        if isAll, !isComplete { return }
        guard let last = entries.last else { return }
        guard try findRows(behind: last.revision, of: entries) else { return nil }
        for entry in entries.reversed() {
            guard let change = change(entry) else { return nil }
            changes.append(change)
        }
        changes.reverse()
    }

    /// Finds the rows as they were behind the last of some entries.
    ///
    /// - Returns: Whether that took no more than there is room for.
    private mutating func findRows(
        behind last: Revision,
        of entries: [StoredChange]
    ) throws(RemoteDataError) -> Bool {
        // Rows that an entry takes away are found there.
        var wanted: Set<RowID> = []
        for entry in entries {
            switch entry.kind {
            case .created, .updated: if let id = entry.id { wanted.insert(id) }
            case .deleted: if let id = entry.id { wanted.remove(id) }
            case .bulkDeleted: wanted.subtract(entry.foundRows.map(\.id))
            }
        }
        var changedSince: Set<RowID> = []
        for id in wanted {
            rows[id] = try connection.first("SELECT revision,json FROM t\(table) WHERE id = ?", [Binding(id)])
            {
                Row(id: id, revision: $0.revision(0), json: $0.bytes(1)[...])
            }
            if let row = rows[id], let revision = row.revision, revision <= last { continue }
            changedSince.insert(id)
            room -= rows[id]?.json.count ?? 0
            guard room >= 0 else { return false }
        }
        return changedSince.isEmpty ? true : try goBack(to: last, changedSince)
    }

    /// Takes back what has happened to rows since a revision.
    private mutating func goBack(to last: Revision, _ ids: Set<RowID>) throws(RemoteDataError) -> Bool {
        let sql = """
            SELECT \(StoredChange.columns) FROM changes
            WHERE revision > ? AND tableNumber = ? ORDER BY revision DESC
            """
        var isKnown = true
        try connection.query(sql, [Binding(last), .integer(table)]) { row in
            guard isKnown, row.isNull(3) || ids.contains(row.id(3)) else { return }
            guard let entry = StoredChange(row) else { return isKnown = false }
            if let id = entry.id {
                isKnown = effect(entry, id) != nil
            } else {
                for row in entry.foundRows { rows[row.id] = row }
            }
            room -= entry.size
            isKnown = isKnown && room >= 0 && WorkBudget.current?.take(entry.size) ?? true
        }
        return isKnown
    }

    /// The change of an entry, whose rows are taken back to what they were before it; nil where they are not
    /// known.
    private mutating func change(_ entry: StoredChange) -> RowChange? {
        guard WorkBudget.current?.take(entry.size) ?? true else { return nil }
        guard let effect = entry.id.map({ effect(entry, $0) }) ?? removal(entry) else { return nil }
        let removed = entry.kind == .bulkDeleted ? entry.removed.map { BulkRemoval(rows: $0) } : nil
        return RowChange(revision: entry.revision, effect: effect, key: entry.key, removed: removed)
    }

    private mutating func effect(_ entry: StoredChange, _ id: RowID) -> RowChange.Effect? {
        let after = rows.removeValue(forKey: id)
        if entry.kind == .deleted {
            guard let before = entry.before else { return nil }
            let row = Row(id: id, revision: entry.beforeRevision, json: before[...])
            rows[id] = row
            return .deleted(row)
        }
        guard let after, after.revision == entry.revision else { return nil }
        guard entry.kind == .updated else { return .created(after) }
        guard let json = entry.before.flatMap({ RowDelta.row($0[...], after: after.json) }) else {
            return nil
        }
        let before = Row(id: id, revision: entry.beforeRevision, json: json)
        rows[id] = before
        return .updated(before: before, after: after)
    }

    private mutating func removal(_ entry: StoredChange) -> RowChange.Effect? {
        let clause = entry.clause.flatMap { try? Where.parse($0) }
        guard entry.clause == nil || clause != nil else { return nil }
        for row in entry.foundRows { rows[row.id] = row }
        return .bulkDeleted(clause, count: entry.count, counts: [:])
    }
}
