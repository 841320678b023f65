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

    /// Where the page behind a position of the index starts: behind the row in front of it, or what is known to follow.
    func start(behind position: Int) -> PageRequest.Start {
        let before = key(at: position - 1)
        if let passed, passed.after == before { return .after(passed.through) }
        return before.map { .after($0) } ?? .offset(0)
    }

    /// How many rows that cannot be read are known to come first behind a position of the index.
    func unreadableCount(behind position: Int) -> Int {
        guard let unreadable, unreadable.after == key(at: position - 1) else { return 0 }
        return unreadable.count
    }

    /// A page of which nothing can be read: it is asked for with more rows, which shows those behind at the same moment.
    mutating func skip(_ delivered: Delivered, _ fetch: Fetch) {
        var key: Key?
        switch fetch.request.start {
        case .offset(let offset) where offset > 0:
            // Where it lies is not known for sure: the rows are read one page after another.
            strays = Self.strayLimit
            return
        case .beyond:
            strays = Self.strayLimit
            return
        case .after(let after): key = after
        case .offset, .before: break
        }
        guard let start = start(after: key) else { return }
        unreadable = (self.key(at: start - 1), delivered.page.failures.count)
    }

    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when no page can show what lies behind rows that cannot be read.
    func checkProgress(_ page: Page, _ fetch: Fetch) throws(RemoteDataError) {
        switch fetch.request.start {
        case .offset(let offset) where offset > 0: return
        case .beyond: return
        default: break
        }
        let delivered = Delivered(page, limit: fetch.request.limit)
        guard delivered.isUnreadable, page.endsEarly || page.failures.count >= pageLimit else { return }
        let first = page.failures.first?.error
        throw RemoteDataError(
            .invalidAnswer,
            "None of \(page.failures.count) rows in a row can be read, and a page cannot have more. \(first?.message ?? "")",
            cause: first
        )
    }
}
