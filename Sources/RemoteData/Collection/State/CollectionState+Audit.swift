// Comparing what is here with the table, without a change.
extension CollectionState {
    /// A stretch to be compared.
    struct Probe: Sendable {
        /// The page to read; its number is that of a watch, to be ended with it.
        var fetch: Fetch
        /// What is to be compared; it ends where loaded rows do.
        var interval: KeyInterval
        /// How many of the rows that are here it takes up.
        let size: Int
        /// Whether there is nothing to compare: the only row between two gaps is passed over.
        let isEmpty: Bool
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
        // One row more, to see that there is none behind the last.
        let request = PageRequest(
            query,
            start: start.map { .after($0) } ?? .offset(0),
            limit: min(pageSize, max(0, last - first) + 2)
        )
        return Probe(
            fetch: Fetch(id: beginWatch(), request: request, expected: 0..<0, floor: applied),
            interval: KeyInterval(
                lower: start.map { .init(key: $0, isIncluded: false) },
                upper: reachesEnd ? nil : key(at: last).map { .init(key: $0, isIncluded: true) }
            ),
            size: last - position + 1,
            isEmpty: last < first
        )
    }

    /// Compares a page with what is here.
    ///
    /// - Returns: What is left to compare, behind the last row of the page; nil for nothing.
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when the rows are not in the order asked for, `unavailable`
    ///   when they are older than what is here was before.
    /// - Complexity: O(rows × log n).
    mutating func compare(
        _ page: Page,
        with probe: Probe,
        into record: inout AuditRecord
    ) throws(RemoteDataError) -> Probe? {
        guard probe.fetch.id > outset else { return nil }
        let answer = Answer(page, to: probe.fetch.request)
        try check(answer, probe.fetch)
        let page = answer.page
        let delivered = Delivered(page, limit: probe.fetch.request.limit)
        let (interval, rest) = split(probe, behind: delivered)
        let newer = changes(since: probe.fetch.id, newerThan: page)
        let theirs = roll(page.rows, forward: newer, interval).filter { row in
            let key = Key(row, sort: query.sort)
            guard interval.contains(key, query.sort) else { return false }
            // Rows that are not here any more are not compared.
            if case .gap = index.place(of: key) { return false }
            return true
        }
        let start = interval.lower.map { index.start(of: $0) } ?? 0
        let end = interval.upper.map { index.end(of: $0) } ?? index.count
        var ours: [Row] = []
        index.forEachLoaded(in: start..<max(start, end)) { _, row in ours.append(row) }
        record.take(ours: ours, theirs: theirs) { row($0) }
        if !isSettled(page) { record.isSettled = false }
        return rest
    }

    /// What a page shows of a stretch, and what is left of that.
    private func split(_ probe: Probe, behind page: Delivered) -> (shown: KeyInterval, rest: Probe?) {
        guard !page.reachesEnd, let last = page.page.rows.last.map({ Key($0, sort: query.sort) }) else {
            return (probe.interval, nil)
        }
        if let upper = probe.interval.upper, Key.order(last, upper.key, sort: query.sort) != .ascending {
            return (probe.interval, nil)
        }
        var (shown, rest) = (probe.interval, probe)
        shown.upper = .init(key: last, isIncluded: true)
        rest.interval.lower = .init(key: last, isIncluded: false)
        var request = probe.fetch.request
        request.start = .after(last)
        rest.fetch = Fetch(id: probe.fetch.id, request: request, expected: 0..<0, floor: probe.fetch.floor)
        return (shown, rest)
    }

    /// Whether a page and what is here are, or were made to be, of one moment.
    private func isSettled(_ page: Page) -> Bool {
        guard let read = page.revision, let verified else { return false }
        return following == .off ? read == verified : read <= verified
    }
}
