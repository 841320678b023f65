public import RemoteData

/// What has changed in a table of a ``LocalStore``, by whatever was committed together.
///
/// A row is told of once: added and modified is added, added and removed is nothing, removed and added is modified. Rows that
/// go because the row goes that they belong to are not told of; a row is modified when one that belongs to it has changed.
public struct TableChanges: Sendable {
    /// Who has changed something.
    public struct Origin: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Takes bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Who uses the store.
        public static let here = Origin(rawValue: 1)
        /// A server, by what it sent or by its answer to a write.
        public static let server = Origin(rawValue: 2)
    }

    /// The table.
    public let table: String
    /// Who has changed something; both for a reader that is so slow that what each did is put together.
    public let origin: Origin
    /// The rows that were not here before.
    public let added: [Row]
    /// The rows that are gone, as they were.
    public let removed: [Row]
    /// The rows that are not as they were, or of which something that belongs to them is not, as they are now.
    public let modified: [Row]
    /// The ids that rows of `modified` had before the server gave them others, with those they have now.
    public let renamed: [RowID: RowID]
    /// Whether more has changed than is told here, so that the table has to be looked at again.
    ///
    /// It is after writes of another process, removals by a clause in a table without a server, and when more than 100,000 rows
    /// wait for a slow reader.
    public let isIncomplete: Bool

    /// Something has changed, and nobody knows what.
    static func unknown(of table: String) -> TableChanges {
        TableChanges(
            table: table,
            origin: [.here, .server],
            added: [],
            removed: [],
            modified: [],
            renamed: [:],
            isIncomplete: true
        )
    }

    /// Whether nothing has changed after all.
    var isEmpty: Bool { added.isEmpty && removed.isEmpty && modified.isEmpty && !isIncomplete }
}

/// What has become of rows, one thing for each.
struct ChangeSummary: Sendable {
    /// The most rows.
    static let limit = 100_000

    private enum Kind: Sendable {
        case added
        case removed
        case modified
    }

    private var origin: TableChanges.Origin = []
    private var rows: [RowID: (kind: Kind, row: Row)] = [:]
    /// The ids that modified rows had when the reader was last told of them, by those they have now.
    private var oldIDs: [RowID: RowID] = [:]
    /// The rows in the order of their first change; those that came to nothing are among them, and may be twice.
    private var order: [RowID] = []
    private var isIncomplete = false

    var isEmpty: Bool { rows.isEmpty && !isIncomplete }

    mutating func add(_ row: Row) {
        switch rows[row.id]?.kind {
        case .removed: rows[row.id] = (.modified, row)
        case let known?: rows[row.id] = (known, row)
        case nil: note(row, .added)
        }
    }

    mutating func modify(_ row: Row) {
        if let known = rows[row.id]?.kind { rows[row.id] = (known, row) } else { note(row, .modified) }
    }

    mutating func remove(_ row: Row) {
        switch rows[row.id]?.kind {
        case .added: rows[row.id] = nil
        case .modified:
            guard let old = oldIDs.removeValue(forKey: row.id) else {
                rows[row.id] = (.removed, row)
                return
            }
            // By the id it is known by.
            rows[row.id] = nil
            note(Row(id: old, json: row.json), .removed)
        case .removed: break
        case nil: note(row, .removed)
        }
    }

    /// A row that was removed and one that was added are the same.
    mutating func rename(_ old: RowID, to new: RowID) {
        let first = oldIDs.removeValue(forKey: old) ?? old
        guard let row = rows[new]?.row else { return }
        switch rows[old]?.kind {
        case .removed, .modified:
            rows[old] = nil
            rows[new] = (.modified, row)
            oldIDs[new] = first
        case .added:
            rows[old] = nil
            rows[new] = (.added, row)
        case nil where rows[new]?.kind == .modified: oldIDs[new] = first
        case nil: break
        }
    }

    private mutating func note(_ row: Row, _ kind: Kind) {
        guard rows.count < Self.limit else { return lose() }
        if order.count > 2 * rows.count + 16 {
            var seen: Set<RowID> = [row.id]
            order.removeAll { rows[$0] == nil || !seen.insert($0).inserted }
        }
        rows[row.id] = (kind, row)
        order.append(row.id)
    }

    /// More has changed than can be told.
    mutating func lose() {
        (rows, order, oldIDs) = ([:], [], [:])
        isIncomplete = true
    }

    mutating func take(_ change: RowChange) {
        switch change.effect {
        case .created(let row): add(row)
        case .updated(let before, let row) where before.id != row.id:
            remove(before)
            add(row)
        case .updated(_, let row): modify(row)
        case .deleted(let row), .left(let row): remove(row)
        case .bulkDeleted(_, let count, _):
            if let rows = change.removed?.rows, rows.count == count {
                for row in rows { remove(row) }
            } else {
                lose()
            }
        }
    }

    /// Puts what came later to it.
    mutating func take(_ changes: TableChanges) {
        origin.formUnion(changes.origin)
        if changes.isIncomplete { lose() }
        for row in changes.removed { remove(row) }
        for row in changes.added { add(row) }
        for row in changes.modified { modify(row) }
        for (old, new) in changes.renamed { rename(old, to: new) }
    }

    /// All of it.
    func changes(of table: String, by origin: TableChanges.Origin? = nil) -> TableChanges {
        var (added, removed, modified) = ([Row](), [Row](), [Row]())
        var seen: Set<RowID> = []
        for id in order where seen.insert(id).inserted {
            switch rows[id] {
            case (.added, let row)?: added.append(row)
            case (.removed, let row)?: removed.append(row)
            case (.modified, let row)?: modified.append(row)
            case nil: break
            }
        }
        return TableChanges(
            table: table,
            origin: origin ?? self.origin,
            added: added,
            removed: removed,
            modified: modified,
            renamed: Dictionary(oldIDs.map { ($1, $0) }) { first, _ in first },
            isIncomplete: isIncomplete
        )
    }
}

/// What waits for a reader of a table's changes: what each origin did in a row is put together, and all of it when that is much.
struct WaitingTableChanges: ChangeQueue {
    private static let limit = 32

    let table: String
    private var waiting: [(origin: TableChanges.Origin, summary: ChangeSummary)] = []

    init(table: String) { self.table = table }

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ change: TableChanges) {
        if let last = waiting.indices.last,
            waiting[last].origin == change.origin || waiting.count == Self.limit
        {
            waiting[last].summary.take(change)
            waiting[last].origin.formUnion(change.origin)
        } else {
            var summary = ChangeSummary()
            summary.take(change)
            waiting.append((change.origin, summary))
        }
    }

    mutating func takeAll() -> [TableChanges] {
        defer { waiting = [] }
        return waiting.map { $0.summary.changes(of: table, by: $0.origin) }.filter { !$0.isEmpty }
    }
}
