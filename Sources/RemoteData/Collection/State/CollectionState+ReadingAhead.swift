// Asking for pages before an iteration comes to them.
extension CollectionState {
    /// The most pages that are under way at a time because they were asked for ahead.
    static var aheadLimit: Int { 8 }

    /// The pages to ask for ahead of an iteration after a step of it.
    ///
    /// None in front of its second part, so that whoever only wants the first rows gets no more than their page. From there on one, and
    /// more each time the iteration has to wait for a page, as it does when rows are used faster than they come; fewer where they
    /// were here before it came to them.
    ///
    /// - Parameters:
    ///   - id: The iteration.
    ///   - step: What it does next.
    ///   - pages: The most pages.
    ///   - isEarly: Whether the pages that have come may be smaller than the next ones, so that those count that they were at first.
    /// - Returns: The pages to ask for, which are noted.
    mutating func readAhead(
        _ id: Int,
        after step: Step,
        atMost pages: Int,
        isEarly: Bool = false
    ) -> [Fetch] {
        guard var cursor = cursors[id] else { return [] }
        switch step {
        case .rows: cursor.partCount = min(cursor.partCount, 1) + 1
        case .wait where cursor.partCount > 0, .fetch where cursor.partCount > 0:
            cursor.pagesAhead =
                cursor.pagesAhead == 0 ? min(1, pages) : min(cursor.pagesAhead * 4, pages, Self.aheadLimit)
        default: return []
        }
        if cursor.partCount > 1 { cursor.pagesAhead = max(cursor.pagesAhead, min(1, pages)) }
        cursors[id] = cursor
        let isIdle = fetches.isEmpty
        let ahead = readAhead(id, pages: cursor.pagesAhead, isEarly: isEarly)
        // Whatever was asked for has come before it was wanted.
        if isIdle, !ahead.isEmpty, cursor.pagesAhead > 1 { cursors[id]?.pagesAhead -= 1 }
        return ahead
    }

    /// The pages to ask for so that an iteration finds this many in front of it; none where what follows is here or under way.
    mutating func readAhead(_ id: Int, pages: Int, isEarly: Bool = false) -> [Fetch] {
        guard pages > 0, index.gapCount > 0, !awaitsRepair, let cursor = cursors[id] else { return [] }
        // Where its own pages have no place, others would be of no use to it.
        guard case .exactly(let start) = reach(of: cursor) else { return [] }
        let size = pageSize(of: cursor)
        return fetchesAhead(
            of: start,
            pages: pages,
            of: size,
            countedAs: isEarly ? min(size, pageSize) : size
        )
    }

    /// How many rows an iteration asks for at a time: no more than a page as long as it may only want the first rows.
    func pageSize(of cursor: IterationCursor) -> Int { cursor.partCount == 0 ? pageSize : nextPage }

    /// The pages to ask for so that everything comes; those that are under way count.
    mutating func readEverythingAhead() -> [Fetch] {
        guard index.gapCount > 0, !awaitsRepair else { return [] }
        return fetchesAhead(of: 0, pages: .max, of: nextPage, countedAs: nextPage)
    }

    private mutating func fetchesAhead(
        of start: Int,
        pages: Int,
        of rows: Int,
        countedAs count: Int
    ) -> [Fetch] {
        // Where pages come that are larger than what was asked for, the next one is asked for as much earlier.
        let size = max(count, lastLimit)
        var (position, ahead): (Int, [Fetch]) = (start, [])
        while let gap = index.firstGap(from: position) {
            position = max(position, gap.lowerBound)
            guard (position - start) / size < pages else { break }
            if let under = fetches.inOrder.first(where: { $0.expected.contains(position) }) {
                position = under.expected.upperBound
                continue
            }
            guard fetches.count < Self.aheadLimit, let fetch = fetchAhead(position, in: gap, rows) else {
                break
            }
            ahead.append(fetch)
            position = fetch.expected.upperBound
        }
        return ahead
    }
}
