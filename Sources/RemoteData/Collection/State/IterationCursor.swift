/// How far an iteration has come, in terms that writes do not disturb: the key of the last row it took.
///
/// Rows that move across that key while the iteration is under way are remembered one by one, so that each row that
/// matches throughout is taken once and none twice.
struct IterationCursor: Sendable {
    /// The key of the last row taken; nil at the start.
    var after: Key?
    /// The position behind that row, as of a version of the index: it saves looking for the key again.
    var known: (version: Int, position: Int)?
    /// The position behind that row when it was taken.
    var reached = 0
    /// How many pages have been asked for to find its place again.
    var searches = 0
    /// Rows taken already that could come again further on.
    private(set) var taken: Set<RowID> = []
    /// Rows not taken yet that moved behind the cursor; they may no longer be here when they are taken.
    private(set) var missed: [Row] = []
    /// How many held rows are not to be taken any more, as of a version of them.
    var heldKnown: (version: Int, index: Int)?
    /// Held rows taken.
    var heldTaken: Set<RowID> = []

    /// Whether a key lies in the part already passed.
    private func hasPassed(_ key: Key, _ sort: [SortTerm]) -> Bool {
        guard let after else { return false }
        return Key.order(key, after, sort: sort) != .descending
    }

    /// A row went from one place to another, or changed where it is.
    mutating func moved(_ row: Row, from old: Key, to new: Key, sort: [SortTerm]) {
        switch (hasPassed(old, sort), hasPassed(new, sort)) {
        case (true, false): if !removeMissed(row.id) { taken.insert(row.id) }
        case (false, true):
            // An own write may have been used before, and come once more as an event.
            _ = removeMissed(row.id)
            if taken.remove(row.id) == nil { missed.append(row) }
        default: if let index = missed.firstIndex(where: { $0.id == row.id }) { missed[index] = row }
        }
    }

    /// Many rows are gone, from wherever they were.
    mutating func removedAll(where isGone: (Row) -> Bool) { missed.removeAll(where: isGone) }

    /// - Returns: Whether the row had been missed.
    private mutating func removeMissed(_ id: RowID) -> Bool {
        guard let index = missed.firstIndex(where: { $0.id == id }) else { return false }
        missed.remove(at: index)
        return true
    }

    /// A row is gone from a place.
    mutating func removed(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if !removeMissed(id), hasPassed(old, sort) {
            taken.insert(id)
        }
    }

    /// A row goes from a place in the order to one of the caller's choice.
    mutating func held(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if !removeMissed(id), hasPassed(old, sort) || taken.contains(id) {
            heldTaken.insert(id)
        }
    }

    /// Notes whether a row has been taken, before ``startOver()``.
    mutating func remember(_ id: RowID, _ key: Key, sort: [SortTerm]) {
        if hasPassed(key, sort), !missed.contains(where: { $0.id == id }) { taken.insert(id) }
    }

    /// A row went where rows are not here; only this tells, after ``startOver()``, whether it has been taken.
    mutating func unloaded(_ id: RowID, at key: Key, sort: [SortTerm]) { remember(id, key, sort: sort) }

    /// Goes back to the start; what was taken is not taken again.
    mutating func startOver() {
        after = nil
        missed = []
        heldKnown = nil
    }

    /// Whether every row the cursor reaches is to be taken.
    var wantsAll: Bool { taken.isEmpty && heldTaken.isEmpty }

    /// Whether a row is to be taken now that the cursor reaches it.
    func wants(_ id: RowID) -> Bool { !taken.contains(id) && !heldTaken.contains(id) }

    /// The rows that moved behind the cursor; they are then taken.
    mutating func takeMissed() -> [Row] {
        defer { missed = [] }
        taken.formUnion(missed.map(\.id))
        return missed
    }
}
