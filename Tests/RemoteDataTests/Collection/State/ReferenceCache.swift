import RemoteDataTesting

@testable import RemoteData

/// A cache said plainly: rows in a dictionary, and which stretches of the query are known whole.
///
/// It takes notes as a store does.
struct ReferenceCache {
    private struct Kept {
        var row: Row
        /// The revision at which it was known to be so.
        var asOf: Revision
    }

    let query: Query
    private var rows: [RowID: Kept] = [:]
    private var fresh = KeyIntervals()
    private var stale = KeyIntervals()
    private var revision: Revision?

    init(query: Query) { self.query = query }

    // MARK: Taking notes

    mutating func take(_ notes: [CacheNote]) { for note in notes { take(note) } }

    private mutating func take(_ note: CacheNote) {
        switch note {
        case .stretch(let stretch, let rows, let revision):
            replace(stretch, by: rows, revision)
            stale.remove(stretch, sort: query.sort)
            fresh.insert(stretch, sort: query.sort)
        case .staleStretch(let stretch, let rows, let revision):
            replace(stretch, by: rows, revision)
            fresh.remove(stretch, sort: query.sort)
            stale.insert(stretch, sort: query.sort)
        case .rows(let rows, let revision): for row in rows { put(row, revision) }
        case .change(let change):
            apply(change)
            reach(change.revision)
        case .ownChange(let change): apply(change)
        case .lateChange(let change): if change.row.map({ rows[$0.id] != nil }) ?? true { apply(change) }
        case .reached(let revision): reach(revision)
        case .lost: lose()
        case .forgotten:
            lose()
            stale = KeyIntervals()
        case .placed(let stretches):
            fresh.formIntersection(stretches, sort: query.sort)
            stale.formIntersection(stretches, sort: query.sort)
        case .verified(let stretches, let revision):
            lose()
            for part in stretches.flatMap({ stale.parts(in: $0, sort: query.sort) }) {
                stale.remove(part, sort: query.sort)
                fresh.insert(part, sort: query.sort)
            }
            self.revision = revision
        }
    }

    private mutating func reach(_ revision: Revision?) {
        guard let revision else { return }
        self.revision = max(revision, self.revision ?? revision)
    }

    private mutating func lose() {
        for stretch in fresh.all { stale.insert(stretch, sort: query.sort) }
        (fresh, revision) = (KeyIntervals(), nil)
    }

    private mutating func replace(_ stretch: KeyInterval, by shown: [Row], _ revision: Revision?) {
        for row in shown { put(row, revision) }
        let ids = Set(shown.map(\.id))
        for (id, kept) in rows where !ids.contains(id) && isShown(kept.row, in: stretch) {
            leave(id, revision)
        }
    }

    private func isShown(_ row: Row, in stretch: KeyInterval) -> Bool {
        (query.filter?.matches(row) ?? true) && stretch.contains(Key(row, sort: query.sort), query.sort)
    }

    private mutating func put(_ row: Row, _ revision: Revision?) {
        let asOf = max(row.revision ?? Revision(0), revision ?? Revision(0))
        if let known = rows[row.id], known.asOf > asOf { return }
        rows[row.id] = Kept(row: row, asOf: asOf)
    }

    private mutating func apply(_ change: Change) {
        if let former = change.formerID { erase(former, change.revision) }
        switch change.kind {
        case .bulkDeleted:
            for (id, kept) in rows where change.predicate?.matches(kept.row) ?? true {
                erase(id, change.revision)
            }
        case .deleted:
            guard let id = change.id else { return }
            guard change.left else { return erase(id, change.revision) }
            if let known = rows[id], query.filter?.matches(known.row) ?? true { leave(id, change.revision) }
        default: if let row = change.row { put(row, change.revision) }
        }
    }

    private mutating func erase(_ id: RowID, _ revision: Revision?) {
        guard let known = rows[id] else { return }
        if let revision, known.asOf > revision { return }
        rows[id] = nil
    }

    private mutating func leave(_ id: RowID, _ revision: Revision?) {
        guard let known = rows[id] else { return }
        if let revision, known.asOf >= revision { return }
        rows[id] = nil
    }

    // MARK: Checking

    /// How what is known whole differs from what the table had at the revision that is said; nil where it does not.
    func fault(_ table: ReferenceTable) -> String? {
        guard let revision else { return fresh.all.isEmpty ? nil : "stretches are known as of no revision" }
        let snapshot = table.snapshots[Int(revision.rawValue)]
        for stretch in fresh.all {
            let expected = snapshot.filter { stretch.contains(Key($0, sort: query.sort), query.sort) }
            let kept = rows.values.map(\.row).filter { isShown($0, in: stretch) }
                .sorted {
                    Key.order(Key($0, sort: query.sort), Key($1, sort: query.sort), sort: query.sort)
                        == .ascending
                }
            guard expected.map(\.json) != kept.map(\.json) else { continue }
            return
                "the cache has \(kept.map(\.id)) in \(stretch), not \(expected.map(\.id)) as of \(revision)"
        }
        return nil
    }
}
