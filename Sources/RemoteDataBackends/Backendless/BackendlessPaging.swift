import RemoteData

/// Puts a page together from what a server finds, row by row evaluating what the server could not be asked.
///
/// An order with one column takes a request for each page, and one more where the rows with a null in it begin or end. With
/// several columns, a server that sorts nulls in the later ones elsewhere than the query says is noticed by its rows: those that
/// are the same in the earlier columns are then put in order here or, where not all of them are at hand or nobody can tell which
/// they are, asked for by themselves.
///
/// It holds no network.
struct BackendlessPaging: Sendable {
    /// What to ask a server for.
    struct Part: Sendable, Equatable {
        enum Kind: Sendable, Equatable { case rows, count }

        var kind = Kind.rows
        var filter: String?
        var sort = ""
        var offset = 0
        var size = 0
    }

    private enum Step: Equatable {
        case rows
        /// The row at which the page starts is asked for, to find out which others are the same in a term.
        case probe
        /// How many rows a stretch has that lies in front of the page.
        case size
        /// How many rows of the stretch lie in front of those that have a value.
        case sizeInFront(of: Value)
    }

    /// The most rows of a page.
    static let largestPage = 100
    /// How many more rows than are wanted are read at first where not all of them need match.
    private static let spare = 10

    private let request: PageRequest
    private let limit: Int
    /// The order in the direction of reading.
    private let order: BackendlessOrder
    private let filter: BackendlessFilter.Filter
    private let matcher: Where.Matcher?
    private let isReversed: Bool
    /// What is still to be read, in order.
    private var stretches: [BackendlessStretch]
    private var step = Step.rows
    /// How many rows are passed over.
    private var skip = 0
    private var hasRead = false
    private var rows: [Row] = []

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - limit: How many rows it may have.
    ///   - comparison: How the server compares text.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for an order that Backendless does not have, `invalidClause` for a
    ///   clause that neither it nor anybody here can tell the rows of.
    init(
        _ request: PageRequest,
        limit: Int,
        _ comparison: BackendlessTextComparison
    ) throws(RemoteDataError) {
        (self.request, self.limit) = (request, limit)
        let order = try BackendlessOrder(request.query.sort, comparison)
        filter = try BackendlessFilter(text: comparison).asked(request.query.filter)
        matcher = filter.isExact ? nil : request.query.filter.map { Where.Matcher($0) }
        var stretch = BackendlessStretch()
        switch request.start {
        case .offset(let offset): (isReversed, skip) = (false, offset)
        case .after(let key): (isReversed, stretch.start) = (false, .init(key: key))
        case .before(let key): (isReversed, stretch.start) = (true, .init(key: key))
        case .beyond: throw .noPagesBeyondKeys
        }
        self.order = isReversed ? order.reversed : order
        stretches = [stretch]
    }

    /// The page as far as it was put together.
    var page: Page {
        let found = rows.prefix(limit)
        return Page(rows: isReversed ? found.reversed() : Array(found))
    }

    /// Whether rows can be passed over by the server.
    private var skipsThere: Bool { skip > 0 && filter.isExact }
}

// MARK: - Asking

extension BackendlessPaging {
    /// What to ask for next; nil when the page is complete.
    ///
    /// - Throws: `RemoteDataError` when it cannot be said.
    mutating func next() throws(RemoteDataError) -> Part? {
        while let first = stretches.first, first.isMixed(order) {
            stretches.replaceSubrange(0..<1, with: first.parts(order))
        }
        guard rows.count < limit, let stretch = stretches.first else { return nil }
        if step == .rows, skipsThere, !stretch.isSettled(order) { step = .probe }
        var part = Part(filter: try text(stretch))
        switch step {
        case .rows: (part.offset, part.size) = (skipsThere ? skip : 0, size(stretch))
        case .probe: (part.offset, part.size) = (skip, 1)
        case .size: part.kind = .count
        case .sizeInFront(let value):
            var front = stretch
            front.conditions.append(stretch.beyond(value, order, isInFront: true))
            part = Part(kind: .count, filter: try text(front))
        }
        if part.kind == .rows { part.sort = order.text(from: stretch.level, idDescending: isReversed) }
        return part
    }

    private func text(_ stretch: BackendlessStretch) throws(RemoteDataError) -> String? {
        let clause = try stretch.clause(request.query.sort, isReversed: isReversed)
        let boundary = try clause.map { clause throws(RemoteDataError) in
            // The server compares by the very order it sorts by.
            guard let rendered = BackendlessFilter(text: .byBytes).render(clause), rendered.isExact else {
                throw RemoteDataError(
                    .invalidRequest,
                    "Backendless cannot be asked for the rows behind one with such values."
                )
            }
            return rendered.text
        }
        let parts = [filter.text, boundary].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    private func size(_ stretch: BackendlessStretch) -> Int {
        let wanted = limit - rows.count + (filter.isExact ? 0 : min(skip, Self.largestPage))
        let least = filter.isExact ? wanted : hasRead ? Self.largestPage : wanted + Self.spare
        // One more shows whether the last one wanted is followed by others that are the same in a term.
        return min(Self.largestPage, stretch.isSettled(order) ? least : least + 1)
    }
}

// MARK: - Answers

extension BackendlessPaging {
    /// Takes rows.
    ///
    /// - Parameters:
    ///   - page: The rows in the order of the answer.
    ///   - asked: What it answers.
    /// - Throws: `RemoteDataError` when they cannot be read.
    mutating func take(_ page: Page, to asked: Part) throws(RemoteDataError) {
        if let failure = page.failures.first { throw failure.error }
        guard page.rows.count <= asked.size else {
            throw RemoteDataError(
                .invalidAnswer,
                "Backendless sent \(page.rows.count) rows where \(asked.size) were asked for."
            )
        }
        guard let stretch = stretches.first else { return }
        try check(page.rows, stretch)
        let isAtEnd = asked.offset > 0 && page.rows.isEmpty
        if isAtEnd, stretches.count > 1 {
            step = .size
        } else if isAtEnd {
            stretches = []
        } else if step == .probe {
            step = page.rows.first.map { .sizeInFront(of: $0[order.terms[stretch.level].column]) } ?? .rows
        } else {
            if skipsThere { skip = 0 }
            hasRead = true
            read(page.rows, isCut: page.rows.count == asked.size, stretch)
        }
    }

    /// Refuses rows without a value where only those with one were asked for.
    private func check(_ rows: [Row], _ stretch: BackendlessStretch) throws(RemoteDataError) {
        guard stretch.hasValues else { return }
        let column = order.terms[stretch.level].column
        guard rows.contains(where: { $0[column] == .null }) else { return }
        throw RemoteDataError(
            .invalidAnswer,
            "Backendless sent rows without a value of \(column), of which only those with one were asked for."
        )
    }

    /// Takes a number of rows.
    mutating func take(_ count: Int) {
        guard let stretch = stretches.first else { return }
        skip = max(0, skip - count)
        if case .sizeInFront(let value) = step {
            stretches.replaceSubrange(0..<1, with: stretch.parts(at: value, isFirst: false, order))
        } else {
            stretches.removeFirst()
        }
        step = .rows
    }

    private mutating func read(_ found: [Row], isCut: Bool, _ stretch: BackendlessStretch) {
        let (sure, doubt) =
            stretch.isSettled(order) ? (found, nil) : sure(found, isCut: isCut, at: stretch.level)
        add(sure)
        if let doubt {
            stretches.replaceSubrange(0..<1, with: stretch.parts(at: doubt, isFirst: sure.isEmpty, order))
        } else if isCut, let last = sure.last {
            stretches[0].start = .init(key: Key(last, sort: request.query.sort), level: stretch.level)
        } else {
            stretches.removeFirst()
        }
    }

    /// Rows of a stretch as far as they are in the query's order, or can be put in it.
    ///
    /// - Parameters:
    ///   - found: The rows, none of which has a null in the term.
    ///   - isCut: Whether more of them may follow.
    ///   - level: The term.
    /// - Returns: The rows, and the value in the term at which they are in doubt.
    private func sure(_ found: [Row], isCut: Bool, at level: Int) -> (rows: [Row], doubt: Value?) {
        let nullsAreLast = !order.terms[(level + 1)...].contains(where: \.nullsFirst)
        var sure: [Row] = []
        let blocks = order.blocks(found, at: level)
        for (position, block) in blocks.enumerated() {
            let isOpen = isCut && position == blocks.count - 1
            // Where nulls come last, those that have none and come first in the server's order do so in the query's.
            let isFine = !isOpen || (nullsAreLast && !order.hasNulls(block, behind: level))
            guard isFine, let arranged = order.arranged(block, at: level) else {
                return (sure, block.first?[order.terms[level].column])
            }
            sure += arranged
        }
        return (sure, nil)
    }

    private mutating func add(_ found: [Row]) {
        var found = found
        if let matcher { found.removeAll { !matcher.matches($0) } }
        let passed = min(skip, found.count)
        found.removeFirst(passed)
        skip -= passed
        guard !rows.isEmpty else { return rows = found }
        // One that was moved meanwhile is where it was read last.
        let ids = Set(found.map(\.id))
        rows.removeAll { ids.contains($0.id) }
        rows += found
    }
}

// MARK: - Clauses of queries

extension BackendlessFilter {
    /// A clause as far as the server can be asked.
    struct Filter: Sendable, Equatable {
        var text: String?
        var isExact = true
    }

    /// A clause as far as the server can be asked; nil for all rows.
    func rendered(_ clause: Where?) -> Filter {
        guard let clause else { return Filter() }
        guard let rendered = render(clause) else { return Filter(isExact: false) }
        return Filter(text: rendered.text, isExact: rendered.isExact)
    }

    /// The same for a clause that is asked for.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause` for a clause with columns of related rows: rows
    ///   are sent
    ///   without them, so that the clause cannot be evaluated on changes and own writes.
    func asked(_ clause: Where?) throws(RemoteDataError) -> Filter {
        guard let column = clause?.relatedColumn else { return rendered(clause) }
        throw RemoteDataError(
            .invalidClause,
            "Backendless evaluates \(column) on related rows, and sends neither its values nor their changes."
                + " Filter by columns of the table itself."
        )
    }

    /// The same, naming the columns of the order as well, so that the server says which of them it does not have.
    func asked(naming query: Query) throws(RemoteDataError) -> Filter {
        var filter = try asked(query.filter)
        let known = (query.filter?.columns ?? []).union(["objectId"])
        let names = Set(query.sort.map(\.column)).subtracting(known).compactMap(Self.name).sorted()
        let parts = [filter.text].compactMap(\.self) + names.map(Self.naming)
        filter.text = parts.isEmpty ? nil : parts.joined(separator: " AND ")
        return filter
    }
}

extension Where {
    /// A column of related rows; nil where the clause has none.
    var relatedColumn: ColumnPath? { columns.filter { $0.names.count > 1 }.min { "\($0)" < "\($1)" } }
}
