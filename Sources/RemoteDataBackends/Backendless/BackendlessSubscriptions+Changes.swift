import RemoteData

// What becomes of changes.
extension BackendlessSubscriptions {
    /// Something happened to a table.
    mutating func told(
        _ event: BackendlessEvent,
        of table: String,
        _ data: ArraySlice<UInt8>,
        at now: Duration
    ) -> [Action] {
        switch event {
        case .created: return changed(table, .created, data, at: now)
        case .updated, .upserted: return changed(table, .updated, data, at: now)
        case .deleted:
            let members = try? JSONObject.members(of: data)
            let id = members?.first { $0.name == "objectId" }.flatMap { Value(json: $0.json) }
            guard let id = id.flatMap({ RowID($0) }) else { return confused(table) }
            return changed(table, Change(revision: nil, kind: .deleted, id: id), of: id, at: now)
        case .bulkCreated, .bulkUpserted:
            guard let ids = Self.ids(data) else { return confused(table) }
            return changed(table, ids, areNew: event == .bulkCreated, at: now)
        case .bulkDeleted:
            let isTooMuch = overtaken.noteAll(of: table, at: now)
            guard !isTooMuch, let removal = BackendlessRemoval(json: data, comparison) else {
                return confused(table)
            }
            fresh[table] = nil
            let change = Change(
                revision: nil,
                kind: .bulkDeleted,
                predicate: removal.predicate,
                count: removal.count
            )
            return tell(table, change) + readNext(table)
        case .bulkUpdated:
            // Rows may have come to match, or have ceased to, and nobody says which.
            _ = overtaken.noteAll(of: table, at: now)
            return confused(table)
        }
    }

    private static func ids(_ data: ArraySlice<UInt8>) -> [RowID]? {
        guard let parts = try? JSONObject.elements(of: data) else { return nil }
        let ids = parts.compactMap { Value(json: $0).flatMap { RowID($0) } }
        return ids.count == parts.count ? ids : nil
    }

    private mutating func changed(
        _ table: String,
        _ kind: ChangeKind,
        _ data: ArraySlice<UInt8>,
        at now: Duration
    ) -> [Action] {
        guard let row = try? Row.parse(data, idColumn: "objectId") else { return confused(table) }
        return changed(table, Change(revision: nil, kind: kind, row: row), of: row.id, at: now)
    }

    private mutating func changed(_ table: String, _ change: Change, of id: RowID, at now: Duration)
        -> [Action]
    {
        fresh[table]?.remove(id)
        switch overtaken.note(id, of: table, at: now) {
        case .isInOrder: return tell(table, change)
        case .isInDoubt: return readNext(table)
        case .isTooMuch: return confused(table)
        }
    }

    /// Rows were changed of which only the ids are told.
    private mutating func changed(_ table: String, _ ids: [RowID], areNew: Bool, at now: Duration) -> [Action]
    {
        for id in ids {
            if areNew, overtaken.isUnknown(id, of: table, at: now) {
                fresh[table, default: []].insert(id)
            } else {
                fresh[table]?.remove(id)
            }
        }
        return overtaken.demand(ids, of: table, at: now) ? confused(table) : readNext(table)
    }

    private mutating func readNext(_ table: String) -> [Action] {
        overtaken.next(of: table).map { [.read(table: table, ids: $0)] } ?? []
    }

    /// Rows were read: those that are still there.
    mutating func read(_ table: String, _ rows: Result<[Row], RemoteDataError>) -> [Action] {
        let ids = overtaken.end(of: table)
        guard case .success(let rows) = rows else { return confused(table) }
        let found = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        let changes = ids.sorted { $0.description < $1.description }.map { id in
            let isNew = fresh[table]?.remove(id) != nil
            return found[id].map { Change(revision: nil, kind: isNew ? .created : .updated, row: $0) }
                ?? Change(revision: nil, kind: .deleted, id: id)
        }
        return tell(table, changes) + readNext(table)
    }

    private func tell(_ table: String, _ change: Change) -> [Action] { tell(table, [change]) }

    private func tell(_ table: String, _ changes: [Change]) -> [Action] {
        guard !changes.isEmpty else { return [] }
        let hearing = entries.filter { $0.value.isLive && $0.value.table == table }.sorted { $0.key < $1.key }
        return changes.flatMap { change in
            hearing.compactMap { id, entry -> Action? in
                entry.filter.seen(change).map { .deliver(id, [.change($0)]) }
            }
        }
    }

    /// Changes may be missed, of a table or of all.
    mutating func confused(_ table: String? = nil) -> [Action] {
        for name in topics.keys where table == nil || table == name { forget(name) }
        return entries.filter { $0.value.isLive && (table ?? $0.value.table) == $0.value.table }.keys.sorted()
            .map { .deliver($0, [.reset, .live(nil)]) }
    }
}
