import Synchronization

/// A table whose order cannot be reproduced, as a collection sees it: each row comes with its ``SortPlace``.
///
/// What order the table has is learned from its pages. Where a row belongs that came with a change, the table is asked: for
/// the rows next to it. Since the order of two keys never changes, it does not matter at which moment the table answers, nor what
/// others write meanwhile.
final class PlacingTable: WrappingTable {
    let name: String
    let idColumn: String
    let dates: DateConvention
    var capabilities: Capabilities { base.capabilities }
    var wrapped: any Table { base }

    let base: any Table
    let query: Query
    let deadline: Duration
    let surroundings: Surroundings
    let book: Mutex<PlaceBook>
    /// How many batches of changes are on the way to their places.
    let batchesUnderWay = Atomic(0)
    /// Whether there was a batch of changes whose places took too many questions.
    let isOutnumbered = Atomic(false)

    /// How many questions the changes that come at once may take, those of more are read anew; a page may take one more for
    /// each of its rows.
    static let questionLimit = 16

    /// Whom it calls, in a struct, since a closure by itself is wrapped once more each time it is taken out of a lock.
    private struct Callbacks: Sendable {
        var whenForgotten: (@Sendable (_ isContradicted: Bool) -> Void)?
        var heldKeys: (@Sendable () -> Set<Key>)?
    }

    private let callbacks = Mutex(Callbacks())

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

    /// A page whose rows have places.
    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        if book.withLock({ $0.isCrowded }) { forgetPlaces() }
        var attempts = 3
        while true {
            var budget = Budget(questions: Self.questionLimit + request.limit)
            do throws(RemoteDataError) { return try await page(request, &budget) } catch {
                attempts -= 1
                guard attempts > 0, budget.questions == 0 else { throw error }
                // Many keys that no row has any more lie around it.
                forgetPlaces()
            }
        }
    }

    /// The same for a page that is compared; nil where too many of its rows have no places.
    func pageToCompare(_ request: PageRequest) async throws(RemoteDataError) -> Page? {
        var budget = Budget(questions: Self.questionLimit)
        do throws(RemoteDataError) { return try await page(request, &budget) } catch {
            guard budget.questions == 0 else { throw error }
            return nil
        }
    }

    private func page(_ request: PageRequest, _ budget: inout Budget) async throws(RemoteDataError) -> Page {
        while true {
            let page = try await base.page(request)
            let rows =
                request.query == query
                ? try await placed(page, request, &budget) : try await placed(page.rows, &budget)
            if let rows {
                return Page(
                    rows: rows,
                    revision: page.revision,
                    failures: page.failures,
                    endsEarly: page.endsEarly
                )
            }
            // Some of them are gone by now: it is read again without them.
            try budget.spend()
        }
    }

    /// Begins with places of an earlier time, and says whom to tell when places are forgotten.
    ///
    /// - Parameters:
    ///   - keys: The keys, with their places.
    ///   - whenForgotten: What to call: with true where the table contradicts what was learned, with false
    ///     where all but the keys that have to be kept are forgotten.
    func begin(with keys: [Key], whenForgotten: @escaping @Sendable (_ isContradicted: Bool) -> Void) {
        book.withLock { $0.begin(with: keys) }
        callbacks.withLock { $0.whenForgotten = whenForgotten }
    }

    /// Says which keys have to keep their places: those of rows that are here, or that something goes on behind.
    func keep(_ keys: @escaping @Sendable () -> Set<Key>) { callbacks.withLock { $0.heldKeys = keys } }

    /// Forgets the places of keys that nobody has any more.
    ///
    /// - Complexity: O(n).
    func forgetPlaces() {
        guard let held = callbacks.withLock({ $0 }).heldKeys?() else { return }
        book.withLock { $0.forget { held.contains($0) } }
        callbacks.withLock { $0 }.whenForgotten?(false)
    }
}

// MARK: - Pages

extension PlacingTable {
    /// The rows of a page of the query, with places; nil when one that is gone has none.
    ///
    /// Most are known, or follow from those around them: nothing is asked where rows are read one page after another.
    private func placed(
        _ page: Page,
        _ request: PageRequest,
        _ budget: inout Budget
    ) async throws(RemoteDataError) -> [Row]? {
        guard !page.rows.isEmpty else { return [] }
        let isLast = page.rows.count + page.failures.count < request.limit && !page.endsEarly
        let span = PlaceSpan(page.rows.map { Key($0, sort: sort) }, start: request.start, isLast: isLast)
        // Keys that no row has any more may have got wrong places while the rows moved; at first those stay
        // that may be on their way.
        var chances = 2
        while true {
            switch book.withLock({ span.step(&$0) }) {
            case .places(let places): return zip(page.rows, places).map { $0.at($1) }
            case .ask(let search): guard try await find(search, &budget) != nil else { return nil }
            case .contradiction where chances > 0:
                chances -= 1
                forgetPlaces()
            case .contradiction:
                // Perhaps the table sorts otherwise than when it was read: the next collection begins without.
                callbacks.withLock { $0 }.whenForgotten?(true)
                throw RemoteDataError(
                    .invalidAnswer,
                    "The rows of the page are in another order than they were before."
                )
            }
        }
    }

    /// Rows in any order, with places; nil when one that is gone has none.
    private func placed(_ rows: [Row], _ budget: inout Budget) async throws(RemoteDataError) -> [Row]? {
        var placed: [Row] = []
        for row in rows {
            guard let found = try await find(PlaceSearch(Key(row, sort: sort)), &budget) else { return nil }
            placed.append(row.at(found.place))
        }
        return placed
    }
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

    /// Where a key belongs.
    ///
    /// Asks nothing where the place is known, or follows from values that sort alike in all tables; otherwise once in the usual
    /// case, and O(log keys known) times where the rows next to it are not known.
    ///
    /// - Parameters:
    ///   - search: The key, and what is known of it.
    ///   - budget: How many questions are left.
    /// - Returns: The place, and how sure that is; nil when the row is gone and it is not known any more.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or not so often.
    func find(
        _ search: PlaceSearch,
        _ budget: inout Budget
    ) async throws(RemoteDataError) -> (place: SortPlace, certainty: Key.Certainty)? {
        var search = search
        while true {
            switch book.withLock({ search.step(&$0) }) {
            case .found(let place, let certainty): return (place, certainty)
            case .lost: return nil
            case .ask(let question):
                try budget.spend()
                let answer = try await answer(to: question)
                book.withLock { search.take(answer, to: question, $0) }
            }
        }
    }

    private func answer(to question: PlaceQuestion) async throws(RemoteDataError) -> PlaceAnswer {
        if case .presence = question.kind {
            let page = try await rows(question, .offset(0)).get()
            return PlaceAnswer(before: [], after: page.rows.map { Key($0, sort: sort) })
        }
        async let before = rows(question, .before(question.key))
        async let after = rows(question, .after(question.key))
        let (first, last) = (try await before.get(), try await after.get())
        return PlaceAnswer(
            before: first.rows.map { Key($0, sort: sort) },
            after: last.rows.map { Key($0, sort: sort) },
            isComplete: first.failures.isEmpty && last.failures.isEmpty
        )
    }

    /// The rows of a question that a page has.
    private func rows(
        _ question: PlaceQuestion,
        _ start: PageRequest.Start
    ) async -> Result<Page, RemoteDataError> {
        let column = Where.Operand.column(ColumnPath(idColumn))
        let filter = question.ids.map { .isIn(column, $0.map { .literal($0.value) }) } ?? query.filter
        let limit = max(1, min(question.limit, capabilities.maximumPageSize))
        let request = PageRequest(Query(filter, sort: sort), start: start, limit: limit)
        do throws(RemoteDataError) {
            return .success(
                try await within(deadline, surroundings) { [base] () async throws(RemoteDataError) in
                    try await base.page(request)
                }
            )
        } catch {
            return .failure(error)
        }
    }
}
