import RemoteData

/// Puts a page together from what a server lists, row by row evaluating what the server could not be asked.
///
/// Behind a key it reads one ``KintoStratum`` after another, and it has no offsets but by reading from the start. A server that
/// sends fewer rows than asked for says whether there are more; what follows is asked for behind the last one.
///
/// Rows are read at several moments then, and the page is told as of the first. A row that moved meanwhile from a part that was
/// read to one that was not is there twice: the place read first is dropped.
///
/// It holds no network.
struct KintoPaging: Sendable {
    /// A list to ask for.
    struct Part: Sendable, Equatable {
        var conditions: KintoConditions
        var sort: String
        var size: Int
    }

    /// How many rows are read at least where not all of them match.
    private static let sampleSize = 200

    private let request: PageRequest
    private let limit: Int
    private let order: KintoOrder
    private let filter: KintoFilter.Filter
    private let sortsTextByBytes: Bool
    private let matcher: Where.Matcher?
    private let isReversed: Bool
    /// Where it goes on, and behind which key that lies; nil for the start.
    private var key: Key?
    private var strata = [KintoStratum.whole]
    /// How many rows are passed over.
    private var skip = 0
    private var rows: [Row] = []
    private var revision: Revision?
    private var hasBegun = false
    /// What kinds of values the rows are sorted by.
    private var kinds = KintoKinds()

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - limit: How many rows it may have.
    ///   - filter: Renders its clause.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for an order or a key that Kinto does not have.
    init(_ request: PageRequest, limit: Int, _ filter: KintoFilter) throws(RemoteDataError) {
        (self.request, self.limit) = (request, limit)
        order = try KintoOrder(request.query.sort, besides: filter.mixedColumns)
        self.filter = filter.rendered(request.query.filter)
        sortsTextByBytes = filter.storage.sortsTextByBytes
        matcher = self.filter.isExact ? nil : request.query.filter.map { Where.Matcher($0) }
        switch request.start {
        case .offset(let offset): (isReversed, skip) = (false, offset)
        case .after(let key): (isReversed, self.key) = (false, key)
        case .before(let key): (isReversed, self.key) = (true, key)
        case .beyond: throw .noPagesBeyondKeys
        }
        if let key {
            strata = try KintoStratum.behind(key, request.query.sort, order, isReversed: isReversed)
            for (term, value) in zip(request.query.sort, key.values) {
                _ = kinds.note(value, in: term.column)
            }
        }
    }

    /// What to ask for next; nil when the page is complete.
    func next() -> Part? {
        guard rows.count < limit, let stratum = strata.first else { return nil }
        if let probe = stratum.probe {
            return Part(conditions: filtered(probe.conditions), sort: probe.column.name, size: 1)
        }
        let wanted = min(skip, KintoTable.largestPage) + limit - rows.count
        let isWhole = matcher == nil && stratum.missing.isEmpty
        return Part(
            conditions: filtered(stratum.conditions),
            sort: order.text(isReversed: isReversed),
            size: min(isWhole ? wanted : max(wanted, Self.sampleSize), KintoTable.largestPage)
        )
    }

    private func filtered(_ conditions: KintoConditions) -> KintoConditions {
        var both = conditions
        both.add(filter.conditions, sortsTextByBytes: sortsTextByBytes)
        return both
    }

    /// Takes an answer to what ``next()`` said.
    ///
    /// - Throws: `RemoteDataError` with code `invalidRequest` for rows that cannot come in the order asked for,
    ///   `invalidAnswer` for an answer that makes no sense.
    mutating func take(_ list: KintoList) throws(RemoteDataError) {
        guard let stratum = strata.first else { return }
        if !hasBegun { revision = list.revision }
        hasBegun = true
        if let probe = stratum.probe { return try take(list, to: probe) }
        var found = list.rows
        for column in stratum.missing { found.removeAll { $0[column] != .null } }
        if let matcher { found.removeAll { !matcher.matches($0) } }
        try order.check(found)
        try checkKinds(of: found)
        let passed = min(skip, found.count)
        found.removeFirst(passed)
        skip -= passed
        let ids = Set(found.map(\.id))
        rows.removeAll { ids.contains($0.id) }
        rows += found
        if rows.count < limit { try goOn(list) }
    }

    private mutating func checkKinds(of rows: [Row]) throws(RemoteDataError) {
        for term in order.terms {
            let column = term.term.column
            for row in rows where !kinds.note(row[column], in: column) { throw .severalKinds(in: column) }
        }
    }

    private mutating func take(_ list: KintoList, to probe: KintoStratum.Probe) throws(RemoteDataError) {
        if let row = list.rows.first, row[probe.path] != .null {
            throw RemoteDataError(
                .invalidRequest,
                "The column \(probe.path) holds lists or objects, which Kinto's pages in its order cannot start behind."
            )
        }
        strata[0].probe = nil
    }

    private mutating func goOn(_ list: KintoList) throws(RemoteDataError) {
        guard list.hasMore else {
            strata.removeFirst()
            return
        }
        let sort = request.query.sort
        guard let last = list.last, case let next = Key(last, sort: sort), next != key else {
            throw RemoteDataError(
                .invalidAnswer,
                "Kinto says that there are more rows, and sends none or the same again."
            )
        }
        key = next
        strata = try KintoStratum.behind(next, sort, order, isReversed: isReversed, row: last)
    }

    /// The page as far as it was put together.
    var page: Page {
        let found = rows.prefix(limit)
        return Page(rows: isReversed ? found.reversed() : Array(found), revision: revision)
    }
}
