/// The reading of rows by the date of their last change.
struct StampScan: Sendable {
    let sort: [SortTerm]
    /// The rows written since then.
    let clause: Where
    /// The last row that has been read.
    var after: Key?

    /// Begins at a date.
    init(_ column: ColumnPath, since date: Value) {
        sort = [SortTerm(column)]
        clause = .comparison(.column(column), .greaterOrEqual, .literal(date))
    }
}

/// The comparison of what is here with the table, after changes may have been missed.
struct Repair: Sendable {
    /// What was written since the rows were right, by a column that tells it; comes before everything else.
    var scan: StampScan?
    /// Stretches in which nothing is new, but rows may be missing: they are counted.
    var uncounted: [KeyInterval] = []
    /// How often a count could not be used, because others write all the time.
    var unusedCounts = 0
    /// Stretches with rows to be read and compared.
    var stretches: [KeyInterval]
    /// The revision at which those rows were right.
    let since: Revision?
    /// Rows that are not where they were: whether they have moved or are gone, the table is asked by their ids.
    var doubtful: Set<RowID>
    /// The order in which ``doubtful`` is asked for.
    var queue: [RowID]
    /// What the comparison has found and is still to be applied, oldest first, from ``foundStart`` on.
    private(set) var found: [Change] = []
    private var foundStart = 0
    /// Behind which row the gaps have not been counted yet; the start of the query for nil.
    var countedThrough: Key?
    /// Whether every gap has been counted.
    var isCounted = false
    /// Whether the counting of gaps has begun.
    var isCounting = false
    /// Whether no gap that has been counted has come to be in doubt again.
    var isSure = false
    /// Whether the rows cannot be compared, and have to be read anew.
    var isImpossible = false

    init(stretches: [KeyInterval], doubtful: [RowID], since: Revision?) {
        self.stretches = stretches
        self.doubtful = Set(doubtful)
        queue = doubtful
        self.since = since
    }

    /// Whether a place in the order has not been compared yet.
    func isStale(_ key: Key, _ sort: [SortTerm]) -> Bool {
        stretches.contains { $0.contains(key, sort) } || uncounted.contains { $0.contains(key, sort) }
    }

    /// What has been written lately is known, so that counting shows where rows are missing.
    mutating func endScan() {
        scan = nil
        (uncounted, stretches) = (stretches, [])
    }

    /// Whether counts could not be used so often that it is no use to wait for one that can.
    var isTooBusyToCount: Bool { unusedCounts > 3 }

    /// A count could not be used; what cannot be counted, because others write all the time, is read and compared.
    mutating func noteUnusedCount() {
        unusedCounts += 1
        if isTooBusyToCount { readAll() }
    }

    /// Reads and compares every stretch that remains; counts include rows that cannot be read.
    mutating func readAll() {
        stretches += uncounted
        (scan, uncounted) = (nil, [])
    }

    /// Whether nothing waits to be applied.
    var isDrained: Bool { foundStart == found.count }

    /// Notes that a row is not where it was.
    mutating func doubt(_ id: RowID) { if doubtful.insert(id).inserted { queue.append(id) } }

    mutating func note(_ change: Change) { found.append(change) }

    mutating func takeFound() -> Change? {
        guard !isDrained else { return nil }
        defer {
            foundStart += 1
            if isDrained { (found, foundStart) = ([], 0) }
        }
        return found[foundStart]
    }

    /// Takes away what has been compared.
    mutating func cover(_ interval: KeyInterval, sort: [SortTerm]) {
        stretches = stretches.flatMap { $0.without(interval, sort: sort) }
    }
}

extension KeyInterval {
    /// What is left of the stretch without another.
    func without(_ other: KeyInterval, sort: [SortTerm]) -> [KeyInterval] {
        var rest: [KeyInterval] = []
        if let end = other.lower.map({ Bound(key: $0.key, isIncluded: !$0.isIncluded) }) {
            let upper = upper.map { Self.order(upper: $0, end, sort) == .ascending ? $0 : end } ?? end
            rest.append(KeyInterval(lower: lower, upper: upper))
        }
        if let start = other.upper.map({ Bound(key: $0.key, isIncluded: !$0.isIncluded) }) {
            let lower = lower.map { Self.order(lower: $0, start, sort) == .descending ? $0 : start } ?? start
            rest.append(KeyInterval(lower: lower, upper: self.upper))
        }
        return rest.filter { !$0.isEmpty(sort) }
    }

    /// The part of the stretch up to a key, and with it.
    func through(_ key: Key, sort: [SortTerm]) -> KeyInterval {
        let end = Bound(key: key, isIncluded: true)
        guard let upper else { return KeyInterval(lower: lower, upper: end) }
        return KeyInterval(
            lower: lower,
            upper: Self.order(upper: end, upper, sort) == .ascending ? end : upper
        )
    }

    /// Whether no key can lie in it.
    func isEmpty(_ sort: [SortTerm]) -> Bool {
        guard let lower, let upper else { return false }
        switch Key.order(lower.key, upper.key, sort: sort) {
        case .ascending: return false
        case .same: return !lower.isIncluded || !upper.isIncluded
        case .descending: return true
        }
    }

    /// Which of two ends comes first: one that leaves its key out comes before one that does not.
    private static func order(upper left: Bound, _ right: Bound, _ sort: [SortTerm]) -> Order {
        let order = Key.order(left.key, right.key, sort: sort)
        guard order == .same, left.isIncluded != right.isIncluded else { return order }
        return left.isIncluded ? .descending : .ascending
    }

    /// Which of two beginnings comes first: one that leaves its key out comes behind one that does not.
    private static func order(lower left: Bound, _ right: Bound, _ sort: [SortTerm]) -> Order {
        let order = Key.order(left.key, right.key, sort: sort)
        guard order == .same, left.isIncluded != right.isIncluded else { return order }
        return left.isIncluded ? .ascending : .descending
    }
}
