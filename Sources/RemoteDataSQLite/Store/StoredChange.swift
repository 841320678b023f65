import RemoteData

/// The change log as rows of the table `changes`.
///
/// An entry holds what its change took away, and not the row that it left: that is the row of the table, or
/// what the next change of the row took away (reverse deltas, as RCS has them).
struct StoredChange {
    enum Kind: Int64 { case created, updated, deleted, bulkDeleted }

    let kind: Kind
    let revision: Revision
    let key: String?
    /// The id of the row; nil for a bulk deletion.
    let id: RowID?
    let beforeRevision: Revision?
    /// The ``RowDelta`` from the row behind a change to the one before it; the rows that a bulk deletion
    /// removed, where that was asked for.
    let before: [UInt8]?
    /// The bytes that it takes to make the change: of the rows before and behind it, of a clause, and of what
    /// is noted.
    let size: Int
    let clause: String?
    let count: Int
    /// Of a bulk deletion, the rows as it found them that earlier entries lead to.
    let found: [UInt8]?

    /// What bulk deletions note of the rows that earlier entries lead to, at most; those behind more are read
    /// anew.
    static let foundLimit = (rows: 10_000, bytes: 4 << 20)

    /// Adds a change to the log.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - table: The number of its table.
    ///   - total: The bytes of all changes ever added.
    ///   - found: Of a bulk deletion, the rows as it found them that earlier entries lead to.
    ///   - connection: The connection that writes.
    /// - Returns: The bytes with this one's.
    /// - Throws: `RemoteDataError` with code `storage`.
    static func write(
        _ change: RowChange,
        table: Int64,
        after total: Int64,
        found: [Row] = [],
        to connection: Connection
    ) throws(RemoteDataError) -> Int64 {
        var before: ArraySlice<UInt8>?
        var beforeRevision: Revision?
        var (clause, count, size) = (String?.none, Binding.null, 0)
        var kind = Kind.created
        switch change.effect {
        case .created(let row): size = row.json.count
        case .updated(let row, let after):
            (kind, size) = (.updated, row.json.count + after.json.count)
            (before, beforeRevision) = (RowDelta.text(from: after.json, to: row.json), row.revision)
        case .deleted(let row), .left(let row):
            (kind, size) = (.deleted, row.json.count)
            (before, beforeRevision) = (row.json, row.revision)
        case .bulkDeleted(let predicate, let removed, _):
            kind = .bulkDeleted
            before = change.removed?.rows.map(stored)
            clause = predicate?.description
            (count, size) = (Binding(removed), change.clauseSize + (before?.count ?? 0))
        }
        let foundText = found.isEmpty || before != nil ? nil : stored(found)
        let texts = [clause, change.key, change.id.map { "\($0)" }].compactMap(\.self)
        let bytes = texts.reduce(100 + (before?.count ?? 0) + (foundText?.count ?? 0)) { $0 + $1.utf8.count }
        try connection.run(
            "INSERT INTO changes VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                Binding(change.revision), .integer(table), .integer(total + Int64(bytes)),
                .integer(kind.rawValue),
                Binding(size + (foundText?.count ?? 0)), change.id.map { Binding($0) } ?? .null,
                beforeRevision.map { Binding($0) } ?? .null,
                clause.map { .text($0) } ?? .null, count, change.key.map { .text($0) } ?? .null,
                before.map { .utf8($0) } ?? .null,
                foundText.map { .utf8($0) } ?? .null,
            ]
        )
        return total + Int64(bytes)
    }

    /// Reads an entry from ``columns``; nil where it is not one.
    init?(_ row: Statement) {
        guard let kind = Kind(rawValue: row.integer(1)) else { return nil }
        self.kind = kind
        revision = row.revision(0)
        size = Int(row.integer(2))
        id = kind == .bulkDeleted ? nil : row.id(3)
        beforeRevision = row.isNull(4) ? nil : row.revision(4)
        clause = row.isNull(5) ? nil : row.text(5)
        count = Int(row.integer(6))
        key = row.isNull(7) ? nil : row.text(7)
        before = row.isNull(8) ? nil : row.bytes(8)
        found = row.isNull(9) ? nil : row.bytes(9)
    }

    static let columns = "revision,kind,size,id,beforeRevision,clause,count,key,before,found"

    /// The rows that a bulk deletion removed, as far as they are noted.
    var removed: [Row]? { before.flatMap { Self.rows($0, epoch: revision.epoch) } }

    /// The rows that a bulk deletion found.
    var foundRows: [Row] { found.flatMap { Self.rows($0, epoch: revision.epoch) } ?? removed ?? [] }

    /// Rows as a JSON array of the id, the revision and the JSON of each.
    private static func stored(_ rows: [Row]) -> ArraySlice<UInt8> {
        let parts = rows.flatMap {
            [$0.id.value.json, Array(String($0.revision?.rawValue ?? 0).utf8), Array($0.json)]
        }
        return ([UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])[...]
    }

    /// Reads what ``stored(_:)`` wrote; nil when it is not that.
    private static func rows(_ stored: [UInt8], epoch: Epoch?) -> [Row]? {
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
        return rows
    }
}
