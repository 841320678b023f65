/// How far an iteration has come, in terms that writes do not disturb: the key of the last row it took.
///
/// Rows that move across that key while the iteration is under way are remembered one by one, so that each row that
/// matches throughout is taken once and none twice.
struct IterationCursor: Sendable {
    /// The key of the last row taken; nil at the start.
    private(set) var after: Key?
    /// Whether every row has been passed, wherever others lie from now on.
    private(set) var isAtEnd = false
    /// The position after that row, as of a version of the index: it saves looking for the key again.
    var known: (version: Int, position: Int)?
    /// The position after that row when it was taken.
    var reached = 0
    /// How many parts it has taken, up to two.
    var partCount = 0
    /// How many pages are asked for ahead of it.
    var pagesAhead = 0
    /// Whether it cannot be known any more which rows it has taken.
    private(set) var isLost = false
    /// What has to come before it goes on.
    var awaited: AwaitedChanges?
    /// Rows it has passed on a page without a place in the index, and not returned yet.
    private var delivered: [Row] = []
    /// Rows taken already that could come again further on, those that are held among them.
    private(set) var taken: Set<RowID> = []
    /// Rows taken that are no longer here, by the hash of their ids, which takes less memory; 64 bits do not collide.
    private var past: Set<UInt64> = []
    /// Whether ``past`` has all of them.
    private var isPastComplete = true
    /// Whether some of them may come again further on.
    private var mayPastComeAgain = false
    /// Rows not taken yet that moved before the cursor; they may no longer be here when they are taken.
    private var missed = MissedRows()
    /// How many held rows are not to be taken any more, as of a version of them.
    var heldKnown: (version: Int, index: Int)?
    /// Up to which revision it has followed the changes, where they are applied again.
    private var followed: Revision?
    /// Up to which revision rows may have been created before it began.
    private var begin: Begin

    private enum Begin: Sendable {
        /// None: the collection was up to date.
        case known
        /// Any, as long as no answer tells.
        case open
        case notAfter(Revision)
    }

    /// Begins.
    ///
    /// - Parameter isInTouch: Whether the collection knows what has changed until now.
    init(isInTouch: Bool = true) { begin = isInTouch ? .known : .open }

    /// Whether the collection knew what had changed when it began.
    var beganInTouch: Bool { if case .known = begin { true } else { false } }

    /// Notes the revision of an answer that was asked for after it began.
    mutating func noteBegin(notAfter revision: Revision) {
        if case .open = begin { begin = .notAfter(revision) }
    }

    /// Notes that everything is read again, with all that was so before it began.
    mutating func noteBegin() { begin = .known }

    /// Notes that revisions begin anew: those of the former history do not show what precedes the iteration.
    mutating func beginHistory() {
        followed = nil
        if !beganInTouch { begin = .open }
    }

    /// Whether what changes at a revision may have been so before it began.
    private func mayPrecede(_ change: Revision?) -> Bool {
        switch begin {
        case .known: false
        case .open: true
        case .notAfter(let revision): change.map { $0 <= revision } ?? false
        }
    }

    /// How many rows that are no longer here are remembered: 4 MB at most.
    private static let pastLimit = 262_144

    /// Notes that changes up to a revision, which it has followed, may be applied again.
    mutating func expectAgain(through revision: Revision?) { followed = revision }

    private func hasFollowed(_ change: Revision?) -> Bool {
        guard let change, let followed else { return false }
        return change <= followed
    }

    /// Whether a key lies in the part already passed.
    private func hasPassed(_ key: Key, _ sort: [SortTerm]) -> Bool {
        guard !isAtEnd else { return true }
        guard let after else { return false }
        return Key.order(key, after, sort: sort) != .descending
    }

    /// Goes on after a row.
    mutating func pass(through key: Key) { after = key }

    // MARK: Rows that are here

    /// A row that is here went from one place to another, or changed in place.
    mutating func moved(
        _ row: Row,
        from old: Key,
        to new: Key,
        sort: [SortTerm],
        at change: Revision? = nil
    ) {
        guard !hasFollowed(change) else { return }
        // One that was missed is in the part passed, and not taken.
        let isTaken = !missed.contains(row.id) && (hasPassed(old, sort) || hasTaken(row.id))
        note(row, isTaken: isTaken, at: new, sort)
        if isTaken, hasPassed(new, sort) { taken.remove(row.id) }
    }

    private mutating func note(_ row: Row, isTaken: Bool, at key: Key, _ sort: [SortTerm]) {
        switch (isTaken, hasPassed(key, sort)) {
        case (true, false): taken.insert(row.id)
        case (true, true): break
        case (false, true): missed.put(row)
        case (false, false): _ = missed.remove(row.id)
        }
    }

    /// A row that is here is gone from a place.
    mutating func removed(_ id: RowID, from old: Key, sort: [SortTerm], at change: Revision? = nil) {
        guard !hasFollowed(change), !missed.remove(id) else { return }
        let isTaken = taken.remove(id) != nil
        guard isTaken || hasPassed(old, sort) else { return }
        keepInMind(id.mark)
        mayPastComeAgain = true
    }

    // MARK: Rows that are not here

    /// Whether a row that is not here has been taken; nil where that is not known.
    private func hasTakenUnloaded(_ id: RowID) -> Bool? {
        if missed.contains(id) { return false }
        if taken.contains(id) || past.contains(id.mark) { return true }
        return isPastComplete ? false : nil
    }

    /// A row that is not here changed.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - old: Where it was, where that is known for sure.
    ///   - new: Where it is.
    ///   - sort: The order.
    ///   - change: The revision of the change.
    mutating func changedUnloaded(
        _ row: Row,
        from old: Key?,
        to new: Key,
        sort: [SortTerm],
        at change: Revision?
    ) {
        guard !hasFollowed(change) else { return }
        guard let isTaken = hasTakenUnloaded(row.id) ?? old.map({ hasPassed($0, sort) }) else {
            isLost = true
            return
        }
        note(row, isTaken: isTaken, at: new, sort)
    }

    /// A page shows a row that was not here, and nothing tells since when it is there.
    mutating func appeared(_ row: Row, at key: Key, sort: [SortTerm]) {
        if let isTaken = hasTakenUnloaded(row.id) { note(row, isTaken: isTaken, at: key, sort) }
    }

    /// A row was created.
    mutating func created(_ row: Row, at key: Key, sort: [SortTerm], change: Revision?) {
        switch (mayPrecede(change), hasPassed(key, sort)) {
        case (true, true): if hasTakenUnloaded(row.id) == false { missed.put(row) }
        // It has not matched throughout, so it need not be taken where it may have been taken before.
        case (_, false): if hasTakenUnloaded(row.id) == nil { taken.insert(row.id) }
        case (false, true): break
        }
    }

    /// A row that is not here is gone.
    mutating func removedUnloaded(_ id: RowID, at change: Revision?) {
        guard !hasFollowed(change), !missed.remove(id), hasTakenUnloaded(id) ?? true else { return }
        taken.remove(id)
        keepInMind(id.mark)
        mayPastComeAgain = true
    }

    /// Many rows are gone, from wherever they were.
    mutating func removedAll(where isGone: (Row) -> Bool) {
        missed.removeAll(where: isGone)
        mayPastComeAgain = true
    }

    /// A row in the part already passed is no longer kept here.
    mutating func forget(_ id: RowID) { if !missed.contains(id) { keepInMind(id.mark) } }

    /// A row is no longer kept here, whether it has been passed or not.
    mutating func forget(_ id: RowID, at key: Key, sort: [SortTerm]) {
        if hasPassed(key, sort) { forget(id) }
    }

    private mutating func keepInMind(_ mark: UInt64) {
        if past.count < Self.pastLimit {
            past.insert(mark)
        } else if !past.contains(mark) {
            isPastComplete = false
        }
    }

    /// A row went where rows are not here; only this tells, after ``startOver()``, whether it has been taken.
    mutating func unloaded(_ id: RowID, at key: Key, sort: [SortTerm]) {
        if hasPassed(key, sort), !missed.contains(id) { taken.insert(id) }
    }

    /// A row has got another id, whether it has been taken or not.
    mutating func renamed(_ old: RowID, to row: Row) {
        if taken.remove(old) != nil { taken.insert(row.id) }
        if past.remove(old.mark) != nil { past.insert(row.id.mark) }
        if missed.remove(old) { missed.put(row) }
    }

    // MARK: Held rows

    /// Takes a held row.
    mutating func take(held id: RowID) {
        _ = missed.remove(id)
        taken.insert(id)
    }

    /// A held row is gone.
    mutating func removed(held id: RowID) {
        guard taken.remove(id) != nil else { return }
        keepInMind(id.mark)
        mayPastComeAgain = true
    }

    /// A row goes from a place in the order to one of the caller's choice.
    mutating func held(_ id: RowID, from old: Key, sort: [SortTerm]) {
        if !missed.remove(id), hasPassed(old, sort) || hasTaken(id) { taken.insert(id) }
    }

    /// A row goes from a place of the caller's choice to one in the order.
    mutating func letGo(_ row: Row, to new: Key, sort: [SortTerm]) {
        if hasPassed(new, sort), wants(row.id) { missed.put(row) }
    }

    // MARK: Starting over

    /// Goes back to the start; what was taken is not taken again.
    ///
    /// Each row that is here and was passed has to be noted by ``unloaded(_:at:sort:)`` before. Where rows were taken that are
    /// not remembered, the iteration is lost.
    mutating func startOver() {
        guard isPastComplete else {
            isLost = true
            return
        }
        (after, isAtEnd, known) = (nil, false, nil)
        mayPastComeAgain = !past.isEmpty
        missed = MissedRows()
        heldKnown = nil
    }

    // MARK: Taking

    /// Whether every row the cursor reaches is to be taken.
    var wantsAll: Bool { taken.isEmpty && (!mayPastComeAgain || past.isEmpty) }

    /// Whether a row is to be taken now that the cursor reaches it.
    func wants(_ id: RowID) -> Bool { !hasTaken(id) }

    private func hasTaken(_ id: RowID) -> Bool {
        taken.contains(id) || (mayPastComeAgain && past.contains(id.mark))
    }

    /// The rows that moved before the cursor; they are then taken.
    mutating func takeMissed() -> [Row] {
        let rows = missed.inOrder
        missed = MissedRows()
        taken.formUnion(rows.map(\.id))
        return rows
    }

    /// Notes that nothing tells where rows taken that are no longer here have gone.
    mutating func expectPast() { mayPastComeAgain = true }

    /// Passes the rows of a page that has no place in the index; they are then taken.
    ///
    /// - Parameters:
    ///   - rows: The rows, those included that are not wanted.
    ///   - old: Where each of them is in the index; nil for one that is not there.
    ///   - elsewhere: Rows that the page does not show where they are here: they have moved, or are gone.
    ///   - upper: The last key that the page shows; nil where it shows the end.
    ///   - sort: The order.
    mutating func deliver(
        _ rows: [Row],
        from old: [Key?],
        but elsewhere: [Row],
        through upper: Key?,
        sort: [SortTerm]
    ) {
        expectPast()
        for row in elsewhere where wants(row.id) { missed.put(row) }
        var wanted: [Row] = []
        for (row, old) in zip(rows, old) where wants(row.id) {
            let isMissed = missed.remove(row.id)
            if isMissed || old.map({ hasPassed($0, sort) }) != true { wanted.append(row) }
        }
        delivered += wanted
        for row in wanted { keepInMind(row.idMark) }
        reached += rows.count
        known = nil
        if let upper { after = upper } else { isAtEnd = true }
    }

    /// Whether a page after a key would be the next one.
    func isBehind(_ key: Key?) -> Bool { after == key && !isAtEnd }

    /// What ``deliver(_:through:)`` has passed and has not been returned.
    mutating func takeDelivered() -> [Row]? {
        guard !delivered.isEmpty else { return nil }
        defer { delivered = [] }
        return delivered
    }

    /// How many rows that are no longer here are remembered.
    var pastCount: Int { past.count }

    /// The keys it compares others with.
    var keys: [Key] { [after].compactMap(\.self) }
}

/// What an iteration waits for while changes do not come, or not yet.
enum AwaitedChanges: Sendable {
    /// The changes up to a revision at which rows were read.
    case through(Revision)
    /// The proof that the rows here are those of the table at a moment since it began.
    case proof
}
