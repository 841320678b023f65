/// Everything a collection knows, and every decision about it: a value without I/O.
///
/// With a live table the state is always exactly the server's at one revision, ``applied``, restricted to the rows that
/// are here. Changes advance it in order; a page read earlier is rolled forward through the log of changes, a page
/// read later waits until the changes up to it have come (the fence). An own write is applied when its event comes, in
/// its turn among the others; only where no events come, by the table's answer.
struct CollectionState<Element: Sendable>: Sendable {
    let query: Query
    let pageSize: Int

    var index: RowIndex<Element>
    var held = HeldRows()
    /// The revision the index is at; nil for a table without revisions, and when changes are not followed.
    var applied: Revision?
    /// Whether changes are being followed.
    var following: Following
    /// Whether nothing can lie behind the last row: a short page showed the end, or changes keep the count exact.
    var isEndKnown = false
    /// Whether gaps may be of a wrong size because rows were read past the fence.
    var isCountDoubtful = false

    /// Whether changes may have been missed, so that everything has to be read anew.
    var needsResync = false

    /// Changes delivered and not applied yet, oldest first.
    var pending: [ChangeEvent] = []
    /// Changes applied since the oldest page under way was asked for, to roll pages forward with.
    var log: [(number: Int, change: Change)] = []
    /// Revisions of own writes whose events have not been applied yet.
    var own: Set<Revision> = []
    /// Rows of own writes that are to be held at a position when their events come.
    var holding: [RowID: Int] = [:]

    var fetches: [Int: Fetch] = [:]
    /// Pages that are newer than `applied`.
    var waiting: [(fetch: Fetch, page: Page)] = []
    var cursors: [Int: IterationCursor] = [:]
    private var nextNumber = 0

    /// Whether changes are being followed.
    enum Following: Sendable {
        /// They are not, and will not be.
        case off
        /// They will be soon.
        case starting
        /// Every change since `applied` is delivered.
        case live
        /// The connection is lost for now.
        case interrupted
    }

    init(query: Query, pageSize: Int, count: Count, follows: Bool) {
        self.query = query
        self.pageSize = pageSize
        following = follows ? .starting : .off
        index = RowIndex(count: count.value)
        applied = follows ? count.revision : nil
    }

    /// Whether every change since `applied` is delivered.
    var isLive: Bool { following == .live }

    /// Whether every change since `applied` is, or will soon be, delivered.
    var expectsChanges: Bool { following == .live || following == .starting }

    /// How many rows the query has, as far as known.
    var count: Int { index.count + held.count }

    /// How many rows are here.
    var loadedCount: Int { index.loadedCount + held.count }

    /// Whether every row is here.
    var isLoaded: Bool { index.isComplete && waiting.isEmpty }

    /// Starts over with a new count; iterations go on where they were.
    mutating func reset(to count: Count) {
        index = RowIndex(count: count.value)
        for id in cursors.keys { cursors[id]?.known = nil }
        held = HeldRows()
        applied = following == .off ? nil : count.revision
        pending = []
        log = []
        own = []
        holding = [:]
        fetches = [:]
        waiting = []
        isEndKnown = false
        isCountDoubtful = false
        needsResync = false
    }

    mutating func number() -> Int {
        nextNumber += 1
        return nextNumber
    }
}

// MARK: - Reading

extension CollectionState {
    /// The loaded row at a position of the collection.
    func row(at position: Int) -> Row? {
        switch held.location(of: position) {
        case .held(let index): held.rows[index].row
        case .base(let base): index.row(at: base)
        }
    }

    /// The loaded row with an id.
    func row(_ id: RowID) -> Row? { held.index(of: id).map { held.rows[$0].row } ?? index.row(id) }

    /// Where the row with an id is in the collection.
    func position(of id: RowID) -> Int? {
        if let index = held.index(of: id) { return held.position(ofHeld: index) }
        return index.position(of: id).map { held.position(ofBase: $0) }
    }

    /// What reading a position takes.
    enum Need: Sendable {
        /// Nothing: the row is here.
        case nothing
        /// Another fetch brings it.
        case wait(Fetch)
        /// This fetch, newly noted, is to be made.
        case fetch(Fetch)
    }

    /// Notes what it takes to have the row at a position of the index.
    mutating func need(base position: Int) -> Need {
        guard let gap = index.gap(at: position) else { return .nothing }
        if let under = fetches.values.first(where: { $0.expected.contains(position) }) { return .wait(under) }
        return .fetch(note(fetch(position, in: gap)))
    }

    private mutating func note(_ plan: (start: PageRequest.Start, expected: Range<Int>)) -> Fetch {
        let isLast = plan.expected.upperBound >= index.count
        let request = PageRequest(query, start: plan.start, limit: isLast ? pageSize : plan.expected.count)
        let fetch = Fetch(id: number(), request: request, expected: plan.expected, floor: applied)
        fetches[fetch.id] = fetch
        return fetch
    }

    /// Next to loaded rows a page starts behind the last of them; further away it starts at a multiple of the page size.
    private func fetch(_ position: Int, in gap: Range<Int>) -> (PageRequest.Start, Range<Int>) {
        let skipped = (position - gap.lowerBound) / pageSize * pageSize
        let first = skipped == 0 ? gap.lowerBound : max(gap.lowerBound, position / pageSize * pageSize)
        let expected = first..<min(gap.upperBound, first + pageSize)
        if first == gap.lowerBound, first > 0, let row = index.row(at: first - 1) {
            return (.after(Key(row, sort: query.sort)), expected)
        }
        return (.offset(first), expected)
    }

    /// A fetch of whatever lies behind the last row.
    mutating func tailFetch() -> Fetch? {
        guard !isEndKnown, index.isComplete else { return nil }
        if let under = fetches.values.first(where: { $0.expected.lowerBound == index.count }) { return under }
        let start: PageRequest.Start =
            index.row(at: index.count - 1).map { .after(Key($0, sort: query.sort)) } ?? .offset(0)
        return note((start, index.count..<(index.count + pageSize)))
    }
}
