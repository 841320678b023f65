/// What a change did to the collection, in positions of the collection.
struct Applied: Sendable {
    var type: EventType
    var rows: [Row] = []
    var ids: [RowID] = []
    var inserted: [Int] = []
    /// Positions of rows that went, as ranges: a million rows that are not here are one.
    var removedRanges: [Range<Int>] = []
    var updated: [Int] = []
    var moved: [CollectionMove] = []
    var isOwn = false
    var revision: Revision?

    /// Positions of rows that went, one by one.
    ///
    /// - Complexity: O(rows that went).
    var removed: [Int] { removedRanges.flatMap(\.self) }
}

extension Applied {
    /// A row went from one position of the collection to another, which may be the same.
    init(_ row: Row, from: Int, to: Int) {
        self.init(type: .updated, rows: [row], ids: [row.id])
        if from == to { updated = [to] } else { moved = [CollectionMove(from: from, to: to)] }
    }
}
