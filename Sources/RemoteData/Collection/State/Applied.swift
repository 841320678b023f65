/// What a change did to the collection, in positions of the collection.
///
/// Nearly always that is one row, so that no array is made for it.
struct Applied: Sendable {
    /// What it did to one row.
    enum Effect: Sendable {
        case inserted(Int)
        case removed(Int)
        case updated(Int)
        case moved(CollectionMove)
    }

    /// What a bulk deletion took away.
    struct Bulk: Sendable {
        let rows: [Row]
        /// Positions of rows that went, as ranges: a million rows that are not here are one.
        let removedRanges: [Range<Int>]
    }

    var type: EventType
    /// The one row concerned, as far as it is known.
    var row: Row?
    /// Its id, where the row is not known.
    var id: RowID?
    /// The id that the row had before, where it has got another one.
    var formerID: RowID?
    var effect: Effect?
    var bulk: Bulk?
    var isOwn = false
    var revision: Revision?
    /// Whether it stands for changes that are left out.
    var hasMissed = false
}

// What there is of each kind.
extension Applied {
    var rows: [Row] { bulk?.rows ?? row.map { [$0] } ?? [] }

    var ids: [RowID] { bulk?.rows.map(\.id) ?? (row?.id ?? id).map { [$0] } ?? [] }

    var inserted: [Int] { if case .inserted(let position) = effect { [position] } else { [] } }

    var removedRanges: [Range<Int>] {
        if case .removed(let position) = effect { return [position..<(position + 1)] }
        return bulk?.removedRanges ?? []
    }

    var updated: [Int] { if case .updated(let position) = effect { [position] } else { [] } }

    var moved: [CollectionMove] { if case .moved(let move) = effect { [move] } else { [] } }
}

extension Applied.Effect {
    /// A row went from one position of the collection to another.
    ///
    /// - Parameters:
    ///   - from: Its position before.
    ///   - to: Its position now; that may be the same, as an unloaded row has the last position of its stretch.
    ///   - stays: Whether it is as it was, loaded or unloaded: at the same position it has not moved then.
    init(from: Int, to: Int, stays: Bool) {
        self = from == to && stays ? .updated(to) : .moved(CollectionMove(from: from, to: to))
    }
}
