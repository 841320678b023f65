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
        /// The number of its last change.
        var number = 0
    }

    let limit: Int
    private var summaries: [RowID: Summary] = [:]
    /// The number of the last change.
    private var number = 0
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
    }

    private mutating func note(
        _ id: RowID,
        _ type: EventType,
        _ row: Element?,
        _ change: CollectionChange<Element>
    ) {
        number += 1
        guard var known = summaries[id] else {
            summaries[id] = Summary(
                type: type,
                row: row,
                isOwn: change.isOwn,
                revision: change.revision,
                mayBeKnown: type != .created || mayLook || loading != nil,
                number: number
            )
            return
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
        known.number = number
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
    }

    mutating func takeAll() -> [CollectionChange<Element>] {
        // A row has the id by which the reader knows another one, which it cannot distinguish.
        let isUnclear = summaries.values.contains { summary in
            summary.formerID.flatMap { summaries[$0] }.map { $0.number < summary.number } ?? false
        }
        if isUnclear { begin(with: .gap) }
        let changes = loading.map { [$0] } ?? []
        mayLook = loading != nil
        loading = nil
        defer { summaries = [:] }
        return changes + summaries.sorted { $0.value.number < $1.value.number }.map(change)
    }

    private func change(_ id: RowID, _ summary: Summary) -> CollectionChange<Element> {
        var change = CollectionChange<Element>(
            summary.type,
            rows: summary.row.map { [$0] } ?? [],
            // What is gone, the reader knows by the id it had.
            ids: [summary.type == .deleted ? summary.formerID ?? id : id],
            isOwn: summary.isOwn,
            revision: summary.revision
        )
        if summary.type != .deleted, let former = summary.formerID { change.formerIDs = [id: former] }
        return change
    }
}
