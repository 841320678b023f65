// Comparing what is here with the table, without a change.
extension CollectionState {
    /// A stretch to be compared.
    struct Probe: Sendable {
        let request: PageRequest
        /// It ends where these rows do, which it begins with.
        let interval: KeyInterval
        /// How many of the rows that are here it takes up.
        let size: Int
        /// Whether there is nothing to compare: the only row between two gaps is passed over.
        let isEmpty: Bool
        /// A watch begun with it, to be ended with it.
        let watch: Int
        /// What had been reached by then.
        let floor: Revision?
    }

    /// Begins to compare the rows from a loaded one on, as many as there are up to the next gap and at most `limit`.
    ///
    /// - Parameters:
    ///   - rank: How many loaded rows lie in front of the first, held ones aside.
    ///   - limit: At least 1.
    /// - Returns: Nil when there is no such row.
    mutating func probe(from rank: Int, limit: Int) -> Probe? {
        guard let position = index.positionOfLoaded(rank) else { return nil }
        // What lies between a gap and the row behind it, no page that starts behind a row can tell.
        let isBehindGap = position > 0 && index.row(at: position - 1) == nil
        let first = isBehindGap ? position + 1 : position
        let end = index.firstGap(from: first)?.lowerBound ?? index.count
        let last = min(end, first + limit) - 1
        let reachesEnd = last == index.count - 1 && (isExact || isEndKnown)
        let start = key(at: first - 1)
        return Probe(
            // One more where it shows that there is none.
            request: PageRequest(
                query,
                start: start.map { .after($0) } ?? .offset(0),
                limit: min(max(1, last - first + (reachesEnd ? 2 : 1)), limit)
            ),
            interval: KeyInterval(
                lower: start.map { .init(key: $0, isIncluded: false) },
                upper: reachesEnd ? nil : key(at: last).map { .init(key: $0, isIncluded: true) }
            ),
            size: last - position + 1,
            isEmpty: last < first,
            watch: beginWatch(),
            floor: applied
        )
    }

    /// Compares a page with what is here.
    ///
    /// - Complexity: O(rows × log n).
    func compare(_ page: Page, with probe: Probe, into record: inout AuditRecord) {
        guard probe.watch > outset else { return }
        let delivered = Delivered(withoutRepetitions(page), limit: probe.request.limit)
        var interval = probe.interval
        if !delivered.reachesEnd {
            guard let last = delivered.page.rows.last.map({ Key($0, sort: query.sort) }) else { return }
            let isInside = interval.upper.map { Key.order(last, $0.key, sort: query.sort) == .ascending }
            if isInside ?? true { interval.upper = .init(key: last, isIncluded: true) }
        }
        let newer = log.filter { $0.number > probe.watch && isNewer($0.change, than: page) }.map(\.change)
        let theirs = roll(delivered.page.rows, forward: newer, interval).filter { row in
            let key = Key(row, sort: query.sort)
            guard interval.contains(key, query.sort) else { return false }
            // Rows that are not here any more are not compared.
            if case .gap = index.place(of: key, sort: query.sort) { return false }
            return true
        }
        let start = interval.lower.map { index.start(of: $0, sort: query.sort) } ?? 0
        let end = interval.upper.map { index.end(of: $0, sort: query.sort) } ?? index.count
        var ours: [Row] = []
        index.forEachLoaded(in: start..<max(start, end)) { _, row in ours.append(row) }
        record.take(ours: ours, theirs: theirs) { row($0) }
        if !isSettled(page, since: probe.floor) { record.isSettled = false }
    }

    /// Whether a page and what is here are, or were made to be, of one moment.
    private func isSettled(_ page: Page, since floor: Revision?) -> Bool {
        guard let read = page.revision, let verified else { return false }
        return following == .off ? read == verified : read <= verified && floor.map { $0 <= read } ?? true
    }
}
