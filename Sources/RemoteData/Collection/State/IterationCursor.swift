/// How far an iteration has come, in terms that writes do not disturb: the key of the last row it took.
///
/// Rows that move across that key while the iteration is under way are remembered one by one, so that each row that
/// matches throughout is taken once and none twice.
struct IterationCursor: Sendable {
    /// The key of the last row taken; nil at the start.
    var after: Key?
    /// The position behind that row, as of a version of the index: it saves looking for the key again.
    var known: (version: Int, position: Int)?
    /// Rows taken already that could come again further on.
    private(set) var taken: Set<RowID> = []
    /// Rows not taken yet that moved behind the cursor.
    private(set) var missed: [RowID] = []
    /// How many held rows are not to be taken any more, as of a version of them.
    var heldKnown: (version: Int, index: Int)?
    /// Held rows taken.
    var heldTaken: Set<RowID> = []

    /// Whether a key lies in the part already passed.
    private func hasPassed(_ key: Key, _ sort: [SortTerm]) -> Bool {
        guard let after else { return false }
        return Key.order(key, after, sort: sort) != .descending
    }

    /// A row went from one place to another.
    mutating func moved(_ id: RowID, from old: Key, to new: Key, sort: [SortTerm]) {
        switch (hasPassed(old, sort), hasPassed(new, sort)) {
        case (true, false):
            if let index = missed.firstIndex(of: id) { missed.remove(at: index) } else { taken.insert(id) }
        case (false, true): if taken.remove(id) == nil { missed.append(id) }
        default: break
        }
    }

    /// A row is gone from a place.
    mutating func removed(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if let index = missed.firstIndex(of: id) {
            missed.remove(at: index)
        } else if hasPassed(old, sort) {
            taken.insert(id)
        }
    }

    /// A row goes from a place in the order to one of the caller's choice.
    mutating func held(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if let index = missed.firstIndex(of: id) {
            missed.remove(at: index)
        } else if hasPassed(old, sort) || taken.contains(id) {
            heldTaken.insert(id)
        }
    }

    /// Notes whether a row has been taken, before ``startOver()``.
    mutating func remember(_ id: RowID, _ key: Key, sort: [SortTerm]) {
        if hasPassed(key, sort), !missed.contains(id) { taken.insert(id) }
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
    mutating func takeMissed() -> [RowID] {
        defer { missed = [] }
        taken.formUnion(missed)
        return missed
    }
}
