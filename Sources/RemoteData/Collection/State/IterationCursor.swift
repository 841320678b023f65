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
    /// How many parts it has taken, up to two.
    var partCount = 0
    /// How many pages are asked for ahead of it.
    var pagesAhead = 0
    /// Whether changes were missed while rows it has taken were no longer here.
    var isLost = false
    /// Rows taken already that could come again further on.
    private(set) var taken: Set<RowID> = []
    /// Rows that are gone from the part passed; somebody could create them again further on.
    private(set) var gone: Set<RowID> = []
    /// How many of those are remembered; after more, one that was taken and is created again may come again.
    private static let goneLimit = 65_536
    /// The hashes of rows taken that are no longer here, as many as are remembered: their ids would keep more memory from
    /// being used again than they take themselves, and that two of 64 bits are the same is not to be expected.
    private var forgotten: Set<UInt64> = []
    /// Whether some of them may be gone without a word of which, so that they could be created again further on.
    private var mayForgottenComeAgain = false
    /// Rows not taken yet that moved behind the cursor; they may no longer be here when they are taken.
    private var missed = MissedRows()
    /// How many held rows are not to be taken any more, as of a version of them.
    var heldKnown: (version: Int, index: Int)?
    /// Held rows taken.
    var heldTaken: Set<RowID> = []

    /// Up to which revision it has followed the changes, where they are told again.
    private var followed: Revision?

    /// Stretches it passed as they were at a later revision than had been reached, in order.
    private var sights: [Sight] = []

    /// A stretch that was passed as it was at a revision.
    private struct Sight: Sendable {
        let after: Key?
        var through: Key
        let revision: Revision
    }

    /// How many such stretches are remembered; of what lies further back a moved row may come again.
    private static let sightLimit = 4_096

    /// Notes that changes up to a revision, which it has followed, may be told again.
    mutating func expectAgain(through revision: Revision?) { followed = revision }

    private func hasFollowed(_ change: Revision?) -> Bool {
        guard let change, let followed else { return false }
        return change <= followed
    }

    /// Whether a key lies in the part already passed.
    private func hasPassed(_ key: Key, _ sort: [SortTerm]) -> Bool {
        guard let after else { return false }
        return Key.order(key, after, sort: sort) != .descending
    }

    /// Whether a key lies in the part that was passed before a change.
    private func hasPassed(_ key: Key, before change: Revision?, _ sort: [SortTerm]) -> Bool {
        guard hasPassed(key, sort) else { return false }
        guard !sights.isEmpty, let change else { return true }
        let sight = sights.first { Key.order(key, $0.through, sort: sort) != .descending }
        guard let sight, sight.revision >= change else { return true }
        return sight.after.map { Key.order(key, $0, sort: sort) != .descending } ?? false
    }

    /// Goes on behind a row.
    ///
    /// - Parameters:
    ///   - key: The row's.
    ///   - revision: The revision that the rows up to it were read at, if changes have not come up to that.
    mutating func pass(through key: Key, seenAt revision: Revision?) {
        defer { after = key }
        guard let revision else { return }
        if let last = sights.last, last.revision == revision, last.through == after {
            sights[sights.count - 1].through = key
        } else {
            if sights.count == Self.sightLimit { sights.removeFirst() }
            sights.append(Sight(after: after, through: key, revision: revision))
        }
    }

    /// A row went from one place to another, or changed where it is.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - old: Where it was.
    ///   - new: Where it is.
    ///   - sort: The order.
    ///   - change: The revision of the change, if it is one: what was passed as it was later was passed with the row where
    ///     the change put it, or where later ones did.
    ///   - isHere: Whether the row is here, so that where it was is where an iteration found it.
    mutating func moved(
        _ row: Row,
        from old: Key,
        to new: Key,
        sort: [SortTerm],
        at change: Revision? = nil,
        isHere: Bool = true
    ) {
        guard !hasFollowed(change) else { return }
        // Wherever it is said to have been: one that was missed is in the part passed.
        let hasPassedOld = missed.contains(row.id) || hasPassed(old, before: isHere ? nil : change, sort)
        switch (hasPassedOld, hasPassed(new, before: change, sort)) {
        case (true, false): if !missed.remove(row.id) { taken.insert(row.id) }
        case (false, true):
            if taken.remove(row.id) == nil, gone.remove(row.id) == nil { missed.put(row) }
        default: if missed.contains(row.id) { missed.put(row) }
        }
    }

    /// A row has got another id, whether it has been taken or not.
    mutating func renamed(_ old: RowID, to row: Row) {
        if taken.remove(old) != nil { taken.insert(row.id) }
        if gone.remove(old) != nil { gone.insert(row.id) }
        if heldTaken.remove(old) != nil { heldTaken.insert(row.id) }
        if forgotten.remove(old.mark) != nil { forgotten.insert(row.id.mark) }
        if missed.remove(old) { missed.put(row) }
    }

    /// A row is here that was not, and nothing tells since when.
    mutating func appeared(_ row: Row, at key: Key, sort: [SortTerm]) {
        if !hasPassed(key, sort) {
            _ = missed.remove(row.id)
        } else if !hasTaken(row.id), !missed.contains(row.id) {
            missed.put(row)
        }
    }

    /// Many rows are gone, from wherever they were.
    mutating func removedAll(where isGone: (Row) -> Bool) {
        missed.removeAll(where: isGone)
        mayForgottenComeAgain = true
    }

    /// A row in the part already passed is no longer kept here.
    mutating func forget(_ id: RowID) {
        guard !missed.contains(id) else { return }
        if forgotten.count == Self.goneLimit { forgotten = [] }
        forgotten.insert(id.mark)
    }

    /// A row is gone from a place.
    mutating func removed(
        _ id: RowID,
        from old: Key,
        sort: [SortTerm],
        at change: Revision? = nil,
        isHere: Bool = true
    ) {
        guard !hasFollowed(change) else { return }
        guard !missed.remove(id) else { return }
        if hasPassed(old, before: isHere ? nil : change, sort) || taken.remove(id) != nil {
            if gone.count == Self.goneLimit { gone = [] }
            gone.insert(id)
        }
    }

    /// A row goes from a place in the order to one of the caller's choice.
    mutating func held(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if !missed.remove(id), hasPassed(old, sort) || hasTaken(id) {
            heldTaken.insert(id)
        }
    }

    /// A row goes from a place of the caller's choice to one in the order.
    mutating func letGo(_ row: Row, to new: Key, sort: [SortTerm]) {
        if hasPassed(new, sort), wants(row.id) { missed.put(row) }
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
        sights = []
        missed = MissedRows()
        heldKnown = nil
    }

    /// The keys it compares others with.
    var keys: [Key] { [after].compactMap(\.self) + sights.flatMap { [$0.through, $0.after ?? $0.through] } }

    /// Whether every row the cursor reaches is to be taken.
    var wantsAll: Bool {
        taken.isEmpty && gone.isEmpty && heldTaken.isEmpty && (!mayForgottenComeAgain || forgotten.isEmpty)
    }

    /// Whether a row is to be taken now that the cursor reaches it.
    func wants(_ id: RowID) -> Bool { !hasTaken(id) && !heldTaken.contains(id) }

    private func hasTaken(_ id: RowID) -> Bool {
        taken.contains(id) || gone.contains(id) || (mayForgottenComeAgain && forgotten.contains(id.mark))
    }

    /// The rows that moved behind the cursor; they are then taken.
    mutating func takeMissed() -> [Row] {
        let rows = missed.inOrder
        missed = MissedRows()
        taken.formUnion(rows.map(\.id))
        return rows
    }
}
