import RemoteData

/// Puts a page together from what a server lists, row by row evaluating what the server could not be asked.
///
/// It holds no network.
struct PocketBasePaging: Sendable {
    /// A list to ask for.
    struct Part: Sendable, Equatable {
        var filter: String?
        var sort: String
        /// Counted from 1.
        var page: Int
        var size: Int
    }

    /// How many rows are read at least where not all of them match.
    private static let sampleSize = 200

    private let request: PageRequest
    private let limit: Int
    private let query: PocketBaseQuery
    private let matcher: Where.Matcher?
    private let isReversed: Bool
    /// Behind which row the next part starts, in the direction of reading.
    private var key: Key?
    /// The page of the server that comes next, where it is asked for by number.
    private var number: Int?
    /// How many rows are passed over.
    private var skip: Int
    private var rows: [Row] = []
    private var isDone = false

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - limit: How many rows it may have.
    ///   - table: The collection's name, for messages.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for an order that PocketBase does not have,
    ///   `unknownColumn` for a column that it cannot have.
    init(_ request: PageRequest, limit: Int, of table: String) throws(RemoteDataError) {
        (self.request, self.limit) = (request, limit)
        query = try PocketBaseQuery(request.query, of: table)
        matcher = query.filter.isExact ? nil : request.query.filter.map { Where.Matcher($0) }
        switch request.start {
        case .offset(let offset):
            // Where the server's rows are not those of the query, only reading from the start tells positions.
            (isReversed, key, skip) = (false, nil, matcher == nil ? offset % limit : offset)
            number = matcher == nil && offset > 0 ? offset / limit + 1 : nil
        case .after(let key): (isReversed, self.key, skip, number) = (false, key, 0, nil)
        case .before(let key): (isReversed, self.key, skip, number) = (true, key, 0, nil)
        case .beyond: throw .noPagesBeyondKeys
        }
    }

    /// What to ask for next; nil when the page is complete.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause` when the clause makes it too long.
    func next() throws(RemoteDataError) -> Part? {
        guard !isDone else { return nil }
        let sort = query.order.text(isReversed: isReversed)
        if let number {
            let filter = try query.text()
            return Part(filter: filter, sort: sort, page: number, size: limit)
        }
        let wanted = min(skip, PocketBaseTable.largestPage) + limit - rows.count
        let size = min(matcher == nil ? wanted : max(wanted, Self.sampleSize), PocketBaseTable.largestPage)
        let filter = try query.text(after: try boundary())
        return Part(filter: filter, sort: sort, page: 1, size: size)
    }

    private func boundary() throws(RemoteDataError) -> Where? {
        guard let key else { return nil }
        let sort = request.query.sort
        let clause =
            isReversed
            ? Where.inFront(of: key, sort: sort, idColumn: "id") : .behind(key, sort: sort, idColumn: "id")
        guard let clause else {
            throw RemoteDataError(
                .invalidRequest,
                "PocketBase cannot be asked for what sorts behind a list or an object."
            )
        }
        return clause
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - part: The rows in the order of the answer.
    ///   - asked: What it answers.
    ///   - size: How many rows a page of the server really has: less than asked for where the server's limit is lower.
    /// - Throws: `RemoteDataError` when the rows cannot be read, or are not in the order asked for.
    mutating func take(_ part: Page, to asked: Part, size: Int) throws(RemoteDataError) {
        if let failure = part.failures.first { throw failure.error }
        try query.checkColumns(part.rows)
        try query.order.check(part.rows)
        if let last = part.rows.last { key = Key(last, sort: request.query.sort) }
        var found = part.rows
        if let matcher { found.removeAll { !matcher.matches($0) } }
        let passed = min(skip, found.count)
        found.removeFirst(passed)
        skip -= passed
        rows += found
        if let number {
            guard size == asked.size else {
                throw RemoteDataError(
                    .invalidAnswer,
                    "PocketBase's pages have \(size) rows where \(asked.size) were asked for."
                )
            }
            self.number = number + 1
        }
        isDone = part.rows.count < size || rows.count >= limit
    }

    /// The page as far as it was put together.
    var page: Page {
        let found = rows.prefix(limit)
        return Page(rows: isReversed ? found.reversed() : Array(found))
    }
}

extension PocketBaseFilter {
    /// A clause as far as the server can be asked.
    struct Filter: Sendable {
        var text: String?
        var isExact: Bool

        static let exact = Filter(text: nil, isExact: true)
    }

    /// A clause as far as the server can be asked, and takes so much.
    ///
    /// - Parameters:
    ///   - clause: The clause.
    ///   - check: What is asked as well.
    /// - Returns: The clause, short enough for a boundary beside it.
    func rendered(_ clause: Where, besides check: RenderedClause? = nil) -> Filter {
        guard let rendered = render(clause), fits(rendered, besides: check) else {
            return Filter(text: nil, isExact: false)
        }
        return Filter(text: rendered.text, isExact: rendered.isExact)
    }

    /// Whether two filters of this size and a check are not more than a server takes.
    func fits(_ rendered: RenderedClause, besides check: RenderedClause?) -> Bool {
        let (length, count) = (rendered.text.unicodeScalars.count, rendered.conditionCount)
        return length * 2 + (check?.text.unicodeScalars.count ?? 0) < Self.lengthLimit
            && count * 2 + (check?.conditionCount ?? 0) < Self.conditionLimit
    }
}
