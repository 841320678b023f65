/// A mutation being carried out on the storage of a table: what every table that stores rows itself shares.
///
/// It checks the rows, gives each change a revision and collects the changes; it commits nothing.
package struct Write {
    /// What was changed so far, in order.
    package private(set) var changes: [RowChange] = []
    /// The last revision given, or the table's when nothing was changed.
    package private(set) var revision: Revision
    private var nextRevision: Revision
    private let idColumn: String
    private let filters: Set<Where>
    private let key: String?
    private let access: RowAccess?
    private let keepsRemoved: Bool

    /// Prepares a write.
    ///
    /// - Parameters:
    ///   - tableRevision: The table's revision, the outcome's when nothing changes.
    ///   - lastRevision: The newest revision of all tables that share revisions; changes count on from it.
    ///   - idColumn: The column that holds a row's id.
    ///   - filters: What to count bulk deletions by.
    ///   - key: The write's idempotency key, if it has one.
    ///   - access: The rights of who writes, for a mutation that was prepared by them; nil for all rights.
    ///   - keepsRemoved: Whether rows removed by clause are kept for those who see only a part, as they are where there
    ///     are rights.
    package init(
        tableRevision: Revision,
        lastRevision: Revision,
        idColumn: String,
        filters: Set<Where>,
        key: String?,
        access: RowAccess? = nil,
        keepsRemoved: Bool = false
    ) {
        revision = tableRevision
        nextRevision = lastRevision.next
        self.idColumn = idColumn
        self.filters = filters
        self.key = key
        self.access = access
        self.keepsRemoved = keepsRemoved || access != nil
    }

    /// Carries out a mutation.
    ///
    /// - Parameters:
    ///   - mutation: What to do.
    ///   - rows: The drafts of a `create` or `upsert` with their ids: see
    ///     ``Mutation/rows(idColumn:makeID:)``.
    ///   - storage: Where the rows are kept.
    /// - Returns: The answer to whoever made the change.
    /// - Throws: ``RemoteDataError``; the storage may then be left half-written.
    package mutating func run<Storage: RowStorage>(
        _ mutation: Mutation,
        rows: [Row],
        on storage: inout Storage
    ) throws(RemoteDataError) -> Outcome {
        switch mutation {
        case .create: return try create(rows, on: &storage)
        case .upsert: return try upsert(rows, on: &storage)
        case .update(let id, let patch, let ifRevision):
            let before = try existing(id, ifRevision, on: &storage)
            let after = try change(before, by: patch, on: &storage)
            return Outcome(rows: [after], ids: [id], count: 1, revision: revision)
        case .updateAll(let filter, let patch):
            if try JSONObject.members(of: patch).contains(where: { $0.name.hasSameBytes(as: idColumn) }) {
                throw RemoteDataError(
                    .invalidRow,
                    "A change of many rows cannot hold the id column \(idColumn)."
                )
            }
            let matching = try storage.rows(matching: filter, limit: .max)
            for row in matching { _ = try change(row, by: patch, on: &storage) }
            return Outcome(count: matching.count, revision: revision)
        case .delete(let id, let ifRevision):
            let row = try existing(id, ifRevision, on: &storage)
            try storage.remove(row)
            record(.deleted(row))
            return Outcome(ids: [id], count: 1, revision: revision)
        case .deleteAll(let predicate):
            try predicate?.checkTold()
            let removed = try removal(predicate, on: &storage)
            let (count, counts) = try storage.removeAll(predicate, counting: filters)
            if count > 0 { record(.bulkDeleted(predicate, count: count, counts: counts), removed: removed) }
            return Outcome(count: count, revision: revision)
        }
    }

    private mutating func create<Storage: RowStorage>(
        _ rows: [Row],
        on storage: inout Storage
    ) throws(RemoteDataError) -> Outcome {
        var stored: [Row] = []
        for row in rows {
            guard try storage.row(row.id) == nil else {
                throw RemoteDataError(.alreadyExists, "There is a row with the id \(row.id) already.")
            }
            stored.append(try put(row, replacing: nil, on: &storage))
        }
        return outcome(stored)
    }

    private mutating func upsert<Storage: RowStorage>(
        _ rows: [Row],
        on storage: inout Storage
    ) throws(RemoteDataError) -> Outcome {
        var stored: [Row] = []
        for row in rows {
            let before = try storage.row(row.id)
            let row = try access?.replacement(row, for: before) ?? row
            stored.append(try put(row, replacing: before, on: &storage))
        }
        return outcome(stored)
    }

    /// What is to be kept of a removal by clause that is about to be made.
    private func removal<Storage: RowStorage>(
        _ predicate: Where?,
        on storage: inout Storage
    ) throws(RemoteDataError) -> BulkRemoval? {
        guard keepsRemoved else { return nil }
        let rows = try storage.rows(
            matching: predicate,
            limit: BulkRemoval.rowLimit + 1,
            bytes: BulkRemoval.byteLimit
        )
        let kept = try access?.kept(on: &storage)
        return BulkRemoval(rows: rows, request: kept?.isEmpty == true ? access?.request : nil)
    }

    private func outcome(_ rows: [Row]) -> Outcome {
        Outcome(rows: rows, ids: rows.map(\.id), count: rows.count, revision: revision)
    }

    private func existing<Storage: RowStorage>(
        _ id: RowID,
        _ ifRevision: Revision?,
        on storage: inout Storage
    ) throws(RemoteDataError) -> Row {
        guard let row = try storage.row(id), access?.mayRead(row) ?? true else {
            throw RemoteDataError(.notFound, "There is no row with the id \(id).")
        }
        try access?.checkWrite(row)
        guard ifRevision == nil || ifRevision == row.revision else {
            throw RemoteDataError(.conflict, "The row \(id) has changed since it was read; read it again.")
        }
        return row
    }

    private mutating func change<Storage: RowStorage>(
        _ row: Row,
        by patch: ArraySlice<UInt8>,
        on storage: inout Storage
    ) throws(RemoteDataError) -> Row {
        let changed = Row(id: row.id, json: try JSONObject.merging(patch, into: row.json))
        try changed.check(idColumn: idColumn)
        return try put(changed, replacing: row, on: &storage)
    }

    private mutating func put<Storage: RowStorage>(
        _ row: Row,
        replacing before: Row?,
        on storage: inout Storage
    ) throws(RemoteDataError) -> Row {
        let row = row.at(nextRevision)
        try storage.put(row, replacing: before)
        record(before.map { .updated(before: $0, after: row) } ?? .created(row))
        return row
    }

    private mutating func record(_ effect: RowChange.Effect, removed: BulkRemoval? = nil) {
        revision = nextRevision
        changes.append(RowChange(revision: revision, effect: effect, key: key, removed: removed))
        nextRevision = revision.next
    }
}

extension Mutation {
    /// The drafts of a `create` or `upsert` as rows, those without an id given one, checked, and each with
    /// bytes of its own; empty for other mutations.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow`.
    package func rows(idColumn: String, makeID: () -> RowID) throws(RemoteDataError) -> [Row] {
        guard let drafts = drafts else { return [] }
        var rows: [Row] = []
        rows.reserveCapacity(drafts.count)
        for draft in drafts {
            let row = draft.row(id: draft.id ?? makeID(), idColumn: idColumn)
            try row.check(idColumn: idColumn)
            rows.append(row)
        }
        return rows
    }

    private var drafts: [Draft]? {
        switch self {
        case .create(let drafts), .upsert(let drafts): drafts
        case .update, .updateAll, .delete, .deleteAll: nil
        }
    }
}

extension Row {
    /// Checks that the row is one JSON object that holds its id exactly once.
    fileprivate func check(idColumn: String) throws(RemoteDataError) {
        let parsed = try Row.parse(json, idColumn: idColumn)
        guard parsed.id == id else {
            throw RemoteDataError(
                .invalidRow,
                "The id of a row cannot be changed; \(idColumn) must stay as it is."
            )
        }
    }
}
