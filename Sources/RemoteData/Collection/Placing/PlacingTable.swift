import Synchronization

/// A table whose order cannot be reproduced, as a collection sees it: each row comes with its ``SortPlace``.
///
/// What order the table has is learned from its pages. Where a row belongs that came with a change, the table is asked: for
/// the first row behind its key among those whose places are known. Since the order of two keys never changes, it does not
/// matter at which moment the table answers, nor what others write meanwhile.
final class PlacingTable: Table {
    let name: String
    let idColumn: String
    let dates: DateConvention
    var capabilities: Capabilities { base.capabilities }

    let base: any Table
    let query: Query
    let deadline: Duration
    let surroundings: Surroundings
    let book: Mutex<PlaceBook>

    /// How many questions a page, or the changes that come at once, may take; what takes more is read anew.
    static let questionLimit = 16
    /// How many rows a question names.
    static let pivotLimit = 100

    /// - Parameters:
    ///   - base: The table.
    ///   - query: The query of the collection.
    ///   - options: The options of the collection.
    init(_ base: any Table, query: Query, options: CollectionOptions) {
        (self.base, self.query) = (base, query)
        (deadline, surroundings) = (options.deadline, options.surroundings)
        (name, idColumn, dates) = (base.name, base.idColumn, base.dates)
        book = Mutex(PlaceBook(sort: query.sort))
    }

    /// The order of the rows.
    var sort: [SortTerm] { query.sort }

    func count(_ query: Query) async throws(RemoteDataError) -> Count { try await base.count(query) }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    /// A page whose rows have places, if it is in the order of the collection.
    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let page = try await base.page(request)
        return request.query.sort == sort ? try await placed(page, request) : page
    }

    /// Whether the places of far more rows are known than there are.
    func isCrowded(by count: Int) -> Bool { book.withLock { $0.count > 2 * (count + PlaceBook.recentCount) } }

    /// Forgets the places of all rows but some.
    func forget(but isKept: (RowID) -> Bool) { book.withLock { $0.removeAll(but: isKept) } }
}

// MARK: - One key

extension PlacingTable {
    /// How many questions are left.
    struct Budget: Sendable {
        var questions = PlacingTable.questionLimit

        /// - Throws: `unavailable` when there are none left.
        mutating func spend() throws(RemoteDataError) {
            guard questions > 0 else {
                throw RemoteDataError(
                    .unavailable,
                    "It takes too many questions to find out where rows belong."
                )
            }
            questions -= 1
        }
    }

    /// What is known of where a key belongs.
    private struct Search: Sendable {
        var lower: SortPlace?
        var upper: SortPlace?
        /// Rows that no longer have the keys they are known by.
        var moved: Set<RowID> = []
        /// Whether nothing but the rows whose places are known is asked about.
        var isNarrow = false
    }

    private enum Step: Sendable {
        case found(SortPlace)
        case ask([PlaceBook.Entry])
    }

    /// Where a key belongs, and notes it.
    ///
    /// Asks nothing where the place is known, or follows from values that sort alike in all tables; otherwise once in the usual
    /// case, and O(log rows known) times to the base of ``pivotLimit`` where the rows around are not known.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - revision: The revision of its row.
    ///   - isNoted: Whether the place is kept; not that of a row that is gone.
    ///   - budget: How many questions are left.
    /// - Returns: The place.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or not so often.
    func place(
        of key: Key,
        _ revision: Revision?,
        isNoted: Bool = true,
        _ budget: inout Budget
    ) async throws(RemoteDataError) -> SortPlace {
        var search = Search()
        while true {
            switch step(key, revision, isNoted, search) {
            case .found(let place): return place
            case .ask(let pivots):
                try budget.spend()
                try await ask(key, pivots, &search)
            }
        }
    }

    private func step(_ key: Key, _ revision: Revision?, _ isNoted: Bool, _ search: Search) -> Step {
        book.withLock { book in
            if let place = book.place(of: key) {
                if isNoted { book.note(key, at: place, revision) }
                return .found(place)
            }
            let range = book.narrowed(book.range(from: search.lower, to: search.upper), to: key)
            // The row's own former place says nothing.
            let others = book.entries(in: range, but: search.moved.union([key.id]))
            guard !others.isEmpty else {
                let place = book.newPlace(at: range.lowerBound)
                if isNoted { book.note(key, at: place, revision) }
                return .found(place)
            }
            guard others.count > Self.pivotLimit, search.isNarrow else { return .ask(others) }
            return .ask((1...Self.pivotLimit).map { others[$0 * (others.count - 1) / Self.pivotLimit] })
        }
    }

    /// Asks for the first row behind a key: of all rows first, and of some if that one is not known.
    private func ask(_ key: Key, _ pivots: [PlaceBook.Entry], _ search: inout Search)
        async throws(RemoteDataError)
    {
        let isNarrow = search.isNarrow || pivots.count <= Self.pivotLimit
        let ids = pivots.map { Where.Operand.literal($0.key.id.value) }
        let filter: Where? = isNarrow ? .isIn(.column(ColumnPath(idColumn)), ids) : query.filter
        let request = PageRequest(Query(filter, sort: sort), start: .after(key), limit: 1)
        let row = try await read(request).rows.first
        search.isNarrow = true
        guard let row else {
            search.lower = pivots.last?.place
            return
        }
        guard let position = pivots.firstIndex(where: { $0.key.id == row.id }) else { return }
        guard pivots[position].key == Key(row, sort: sort) else {
            search.moved.insert(row.id)
            return
        }
        search.upper = pivots[position].place
        if position > 0 { search.lower = pivots[position - 1].place }
    }

    /// Reads what answers a question.
    func read(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await within(deadline, surroundings) { [base] () async throws(RemoteDataError) in
            try await base.page(request)
        }
    }
}
