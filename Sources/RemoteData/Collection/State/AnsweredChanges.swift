/// What is known by the answers to writes before the events of these come; only from tables with revisions.
///
/// No event takes a row back to what it was before, and none is counted or reported once more.
struct AnsweredChanges: Sendable {
    /// How many rows and removals of many rows are remembered.
    private static let limit = 10_000

    /// Up to which revision it is known what became of each row.
    private var rows: [RowID: Revision] = [:]
    /// The revisions of removals of many rows together.
    private var removals: Set<Revision> = []
    /// The highest of all in the history that was noted last.
    private var last: Revision?

    /// Whether every event of what it has noted has come.
    var isEmpty: Bool { last == nil }

    /// Notes a change at its revision, whose event has not come.
    ///
    /// - Returns: Whether there was room.
    mutating func note(_ change: Change) -> Bool {
        guard let revision = change.revision else { return true }
        guard rows.count + removals.count < Self.limit else { return false }
        if change.kind == .bulkDeleted { removals.insert(revision) }
        for id in [change.formerID, change.id, change.row?.id].compactMap(\.self) {
            rows[id] = Self.later(revision, rows[id])
        }
        last = Self.later(revision, last)
        return true
    }

    /// The later of two revisions; of two histories the one that is noted now is the later.
    private static func later(_ new: Revision, _ known: Revision?) -> Revision {
        guard let known, new.isOfSameHistory(as: known) else { return new }
        return max(new, known)
    }

    /// Whether it is known what a row was at a revision, or became later or in another history.
    func has(_ id: RowID, at revision: Revision) -> Bool {
        rows[id].map { revision <= $0 || !revision.isOfSameHistory(as: $0) } ?? false
    }

    /// Whether a removal of many rows at a revision is known.
    func hasRemoval(at revision: Revision) -> Bool { removals.contains(revision) }

    /// Everything goes on in a history: what belongs to others is forgotten.
    mutating func enter(historyOf revision: Revision) {
        rows = rows.filter { $0.value.isOfSameHistory(as: revision) }
        removals = removals.filter { $0.isOfSameHistory(as: revision) }
        last = (Array(rows.values) + removals).max()
    }

    /// Every event up to a revision has come.
    mutating func reach(_ revision: Revision) {
        if let last, revision.reaches(last) { self = AnsweredChanges() }
    }
}
