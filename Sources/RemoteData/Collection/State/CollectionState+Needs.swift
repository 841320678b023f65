// What has to be read.
extension CollectionState {
    /// How many pages may come to lie elsewhere before the rows are read one page after another.
    static var strayLimit: Int { 8 }

    /// A page to ask for.
    private struct Plan {
        let start: PageRequest.Start
        let expected: Range<Int>
        /// How many rows a page has.
        let size: Int
        /// How many rows that cannot be read come first.
        var unreadableCount = 0
    }

    /// What reading a position takes.
    enum Need: Sendable {
        /// Nothing: the row is here.
        case nothing
        /// Another fetch brings it.
        case wait(Fetch)
        /// This fetch, newly noted, is to be made.
        case fetch(Fetch)
        /// What is here is being compared with the table; then ask again.
        case repair
    }

    /// Notes what it takes to have the row at a position of the index.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - size: How many rows to ask for; nil for the page size.
    /// - Returns: What it takes; a page to be asked for is noted.
    mutating func need(base position: Int, size: Int? = nil) -> Need {
        guard let gap = index.gap(at: position) else { return .nothing }
        guard !awaitsRepair else { return .repair }
        if let under = fetches.inOrder.first(where: { $0.expected.contains(position) }) {
            return .wait(under)
        }
        return .fetch(note(fetch(position, in: gap, size ?? pageSize)))
    }

    /// Notes what it takes to have the rows after a key, which is that of no row here.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - position: Where about the rows are.
    ///   - gap: The gap that the key lies in.
    ///   - size: How many rows to ask for.
    /// - Returns: What it takes; a page to be asked for is noted.
    mutating func need(after key: Key, guess position: Int, in gap: Range<Int>, size: Int) -> Need {
        guard !awaitsRepair else { return .repair }
        if let under = fetches.inOrder.first(where: { $0.request.start.behind == key }) {
            return .wait(under)
        }
        let expected = position..<max(position + 1, min(gap.upperBound, position + size))
        return .fetch(note(Plan(start: .after(key), expected: expected, size: size)))
    }

    private mutating func note(_ plan: Plan) -> Fetch {
        let isLast = plan.expected.upperBound >= index.count
        // Where no changes come, one row alone does not show that none lies behind it.
        let least = following == .off ? min(2, plan.size) : 1
        let wanted = isLast || !isExact ? plan.size : max(least, plan.expected.count)
        let limit = min(wanted + plan.unreadableCount, pageLimit)
        let request = PageRequest(query, start: plan.start, limit: limit)
        let fetch = Fetch(id: number(), request: request, expected: plan.expected, floor: applied)
        fetches[fetch.id] = fetch
        return fetch
    }

    /// Notes a page of so many rows at a position of a gap that no other page brings; nil where those in front of it have to come
    /// first.
    mutating func fetchAhead(_ position: Int, in gap: Range<Int>, _ size: Int) -> Fetch? {
        guard position > gap.lowerBound else { return note(fetch(position, in: gap, size)) }
        // Where pages may come to lie elsewhere, or hold fewer rows than they should, each begins behind the one before it; and where
        // larger ones come out of a cache, which would bring the same rows.
        guard readsBeyond, lastLimit == 0, isExact, held.isEmpty, strays == 0, passed == nil,
            unreadable == nil
        else {
            return nil
        }
        let others = fetches.values.map(\.expected.lowerBound).filter { $0 > position }
        let end = min(gap.upperBound, position + size, others.min() ?? .max)
        let offset = position - gap.lowerBound
        guard let key = key(at: gap.lowerBound - 1) else {
            let start = PageRequest.Start.offset(max(1, position + offsetShift))
            return note(Plan(start: start, expected: position..<end, size: size))
        }
        return note(Plan(start: .beyond(key, offset: offset), expected: position..<end, size: size))
    }

    /// Next to loaded rows a page starts behind the last of them; further away it starts at a multiple of the page size.
    ///
    /// Pages that came to lie elsewhere are asked for with room on both sides, and after some such the rows are read one
    /// page after another, which always leads there.
    private func fetch(_ position: Int, in gap: Range<Int>, _ size: Int) -> Plan {
        let skipped = (position - gap.lowerBound) / size * size
        var first = gap.lowerBound
        if skipped > 0, strays < Self.strayLimit {
            let wanted = strays == 0 ? position / size * size : position - size / 2
            first = max(gap.lowerBound, wanted)
        }
        // Only pages that have grown can reach into one under way.
        let others = size > pageSize ? fetches.values.map(\.expected.lowerBound).filter { $0 > position } : []
        let expected = first..<min(gap.upperBound, first + size, others.min() ?? .max)
        if first == gap.lowerBound { return plan(expected, size) }
        return Plan(start: .offset(max(1, first + offsetShift)), expected: expected, size: size)
    }

    /// A page of what lies directly behind what is here.
    private func plan(_ expected: Range<Int>, _ size: Int) -> Plan {
        let first = expected.lowerBound
        let unreadableCount = unreadableCount(behind: first)
        return Plan(
            start: start(behind: first),
            expected: expected,
            size: size,
            unreadableCount: unreadableCount
        )
    }

    /// Notes what it takes to know what lies behind the last row, where changes do not tell.
    mutating func tailNeed() -> Need {
        guard !isExact, !isEndKnown, index.gap(at: index.count - 1) == nil else { return .nothing }
        if let under = fetches.inOrder.first(where: { $0.expected.lowerBound == index.count }) {
            return .wait(under)
        }
        return .fetch(note(plan(index.count..<(index.count + pageSize), pageSize)))
    }
}
