/// One change for each row, up to a number of rows.
struct ChangesByRow<Element: Sendable>: ChangeQueue {
    /// What happened to a row, all in all.
    private struct Summary {
        var type: EventType
        var row: Element?
        var isOwn: Bool
        var revision: Revision?
        /// Whether the reader may know the row, although it has been told of no creation.
        var mayBeKnown: Bool
        /// The id by which the reader knows it, if that is another one.
        var formerID: RowID?
    }

    let limit: Int
    private var summaries: [RowID: Summary] = [:]
    /// The rows in the order of their first change; those that came to nothing are among them, and may be twice.
    private var order: [RowID] = []
    /// What comes before all of them.
    private var loading: CollectionChange<Element>?
    /// Whether the reader may be looking at the collection, so that it meets rows it has been told nothing of.
    private var mayLook = true

    init(limit: Int) { self.limit = max(1, limit) }

    var isEmpty: Bool { summaries.isEmpty && loading == nil }

    mutating func add(_ change: CollectionChange<Element>) {
        switch change.type {
        case .dataLoaded: begin(with: change)
        case .bulkDeleted where change.removedRanges.reduce(0, { $0 + $1.count }) != change.ids.count:
            begin(with: .gap)
        case .bulkDeleted: for id in change.ids { note(id, .deleted, nil, change) }
        case .created, .updated, .deleted:
            guard let id = change.ids.first, change.ids.count == 1 else { return begin(with: .gap) }
            if let former = change.formerIDs[id] { rename(former, to: id, change) }
            note(id, change.type, change.rows.first, change)
        }
        if summaries.count > limit { begin(with: .gap) }
    }

    /// Lets a change take the place of all.
    private mutating func begin(with change: CollectionChange<Element>) {
        let hasMissed = change.hasMissed || loading?.hasMissed ?? false
        loading = change
        loading?.hasMissed = hasMissed
        summaries = [:]
        order = []
    }

    private mutating func note(
        _ id: RowID,
        _ type: EventType,
        _ row: Element?,
        _ change: CollectionChange<Element>
    ) {
        guard var known = summaries[id] else {
            let mayBeKnown = type != .created || mayLook || loading != nil
            summaries[id] = Summary(
                type: type,
                row: row,
                isOwn: change.isOwn,
                revision: change.revision,
                mayBeKnown: mayBeKnown
            )
            return noteOrder(of: id)
        }
        if type == .deleted, !known.mayBeKnown {
            summaries[id] = nil
            return
        }
        known.type =
            switch (known.type, type) {
            case (.created, .updated): .created
            case (.deleted, .created): .updated
            default: type
            }
        known.row = row ?? (type == .deleted ? known.row : nil)
        known.isOwn = known.isOwn && change.isOwn
        known.revision = change.revision ?? known.revision
        summaries[id] = known
    }

    /// A row has got another id.
    private mutating func rename(_ former: RowID, to id: RowID, _ change: CollectionChange<Element>) {
        var summary =
            summaries.removeValue(forKey: former)
            ?? Summary(
                type: .updated,
                row: nil,
                isOwn: change.isOwn,
                revision: nil,
                mayBeKnown: true
            )
        if summary.mayBeKnown, summary.formerID == nil { summary.formerID = former }
        summaries[id] = summary
        noteOrder(of: id)
    }

    private mutating func noteOrder(of id: RowID) {
        if order.count > 2 * summaries.count + 16 {
            var seen: Set<RowID> = [id]
            order.removeAll { summaries[$0] == nil || !seen.insert($0).inserted }
        }
        order.append(id)
    }

    mutating func takeAll() -> [CollectionChange<Element>] {
        var changes = loading.map { [$0] } ?? []
        mayLook = loading != nil
        loading = nil
        for id in order {
            guard let summary = summaries.removeValue(forKey: id) else { continue }
            // What is gone, the reader knows by the id it had.
            let name = summary.type == .deleted ? summary.formerID ?? id : id
            var change = CollectionChange<Element>(
                summary.type,
                rows: summary.row.map { [$0] } ?? [],
                ids: [name],
                isOwn: summary.isOwn,
                revision: summary.revision
            )
            if summary.type != .deleted, let former = summary.formerID { change.formerIDs = [id: former] }
            changes.append(change)
        }
        order = []
        return changes
    }
}
