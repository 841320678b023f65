/// A page with what its size and the rows of it that cannot be read tell.
struct Delivered: Sendable {
    let page: Page
    /// Whether it was shorter than was asked for, so that nothing lies behind it.
    let reachesEnd: Bool
    /// The rows that could not be read up to the last one that could, and all up to the end of the query: those behind
    /// come again with the next page.
    let counted: [RowFailure]

    init(_ page: Page, limit: Int) {
        self.page = page
        let size = page.rows.count + page.failures.count
        reachesEnd = size == 0 || (size < limit && !page.endsEarly)
        let positions = Set(page.failures.map(\.position))
        let last = (0..<size).last { !positions.contains($0) } ?? size
        counted = reachesEnd ? page.failures : page.failures.filter { $0.position < last }
    }

    /// Whether rows lie behind the page and none of it can be read, so that no key tells where they begin.
    var isUnreadable: Bool { page.rows.isEmpty && !reachesEnd }
}

/// Rows that cannot be read, which are all that comes behind a row, or behind the start.
struct UnreadableRows: Sendable {
    let after: Key?
    /// How many of them a page has shown.
    let count: Int
    /// Where a page cannot have more: the position of the query behind those seen so far, and the revision at which it was so.
    var end: (offset: Int, revision: Revision?)?
}

// Rows that cannot be read: they are left out, and no longer count.
extension CollectionState {
    /// How many failures are kept for whoever tells them.
    static var failureLimit: Int { 1_000 }

    /// The rows that could not be read since this was last asked, to be told.
    mutating func takeFailures() -> [RowFailure] {
        defer { failures = [] }
        return failures
    }

    /// Keeps the failures of a page that is put in place.
    mutating func tell(_ delivered: Delivered) {
        failures += delivered.counted.prefix(max(0, Self.failureLimit - failures.count))
    }

    /// The page with every row once: one that comes again is a row that cannot be used.
    func withoutRepetitions(_ page: Page) -> Page {
        var seen = Set<RowID>(minimumCapacity: page.rows.count)
        guard !page.rows.allSatisfy({ seen.insert($0.id).inserted }) else { return page }
        let taken = Set(page.failures.map(\.position))
        var (rows, failures) = ([Row](), page.failures)
        var position = 0
        seen = []
        for row in page.rows {
            while taken.contains(position) { position += 1 }
            if seen.insert(row.id).inserted {
                rows.append(row)
            } else {
                let error = RemoteDataError(.invalidAnswer, "The table sent one row twice in a page.")
                failures.append(RowFailure(position: position, error: error))
            }
            position += 1
        }
        failures.sort { $0.position < $1.position }
        return Page(rows: rows, revision: page.revision, failures: failures, endsEarly: page.endsEarly)
    }

    /// Where the page behind a position of the index starts: behind the row in front of it, or what is known to follow.
    func start(behind position: Int) -> PageRequest.Start {
        let before = key(at: position - 1)
        if let passed, passed.after == before { return .after(passed.through) }
        return before.map { .after($0) } ?? .offset(0)
    }

    /// What is known of rows that cannot be read behind a position of the index.
    func unreadable(behind position: Int) -> UnreadableRows? {
        unreadable.flatMap { $0.after == key(at: position - 1) ? $0 : nil }
    }

    /// A page of which nothing can be read: it is asked for with more rows.
    ///
    /// That shows those behind at the same moment. Where a page cannot have more, they are asked for by position.
    mutating func skip(_ delivered: Delivered, _ fetch: Fetch) {
        var key: Key?
        switch fetch.request.start {
        case .offset(let offset) where offset > 0:
            // Where it lies is not known for sure: the rows are read one page after another.
            strays = Self.strayLimit
            return
        case .after(let after): key = after
        case .offset, .before: break
        }
        guard let start = start(after: key) else { return }
        let count = delivered.page.failures.count
        unreadable = UnreadableRows(after: self.key(at: start - 1), count: count)
        guard count >= pageLimit else { return }
        leaveOut(delivered.page.failures, at: start)
        let heldBefore = key.map { held.count(before: $0) } ?? 0
        unreadable?.end = (start + heldBefore + count, delivered.page.revision)
    }

    /// Puts a page in place that was asked for by position because the rows in front of it cannot be read.
    ///
    /// Where rows have changed since, nobody knows any more at which position the others begin: they are looked for again.
    mutating func mergeBehindUnreadable(_ delivered: Delivered, _ fetch: Fetch, _ newer: [Change]) {
        guard let (after, end) = unreadable.flatMap({ known in known.end.map { (known.after, $0) } }),
            fetch.request.start == .offset(end.offset), let start = start(after: after)
        else { return }
        guard delivered.page.revision == end.revision else {
            unreadable = nil
            return
        }
        let rows = delivered.page.rows.filter { row in
            after.map { Key.order($0, row, sort: query.sort) == .ascending } ?? true
        }
        guard rows.isEmpty, !delivered.reachesEnd else {
            unreadable = nil
            return mergeBehind(after, from: start, rows, delivered, newer)
        }
        leaveOut(delivered.page.failures, at: start)
        unreadable?.end?.offset += delivered.page.rows.count + delivered.page.failures.count
    }

    /// Takes rows that cannot be read out of a gap, of which at least one is left: a page has to show its end.
    private mutating func leaveOut(_ unreadable: [RowFailure], at position: Int) {
        failures += unreadable.prefix(max(0, Self.failureLimit - failures.count))
        guard let gap = index.gap(at: position) else { return }
        let size = min(unreadable.count, gap.count - 1)
        index.resizeGap(at: position, by: -size)
        held.shift(from: gap.upperBound - size, by: -size)
    }
}
