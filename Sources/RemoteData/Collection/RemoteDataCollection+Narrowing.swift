public import Foundation

// A collection of fewer rows, from what is here.
extension RemoteDataCollection {
    /// Opens a collection of those rows that match a further clause, without a request where they are all here.
    ///
    /// That is known where this collection is right at one revision (see ``Coverage/revision``) and everything is loaded, or
    /// the clause lies within what is: with the rows sorted by age and those up to 50 loaded, `age < 40` does (see
    /// ``Coverage/contains(_:)-(Where)``). The new collection then begins with the rows and the revision of this one, and
    /// follows the changes since on its own; a column that the table does not have is noticed when they are
    /// subscribed to. Otherwise, and where the table cannot resume changes from a revision or sorts text in an order of its own,
    /// it is opened as any other, with one request, and this blocks until that is answered.
    ///
    /// - Parameters:
    ///   - clause: Which of this collection's rows, such as `age < 40`; empty for all.
    ///   - sort: In which order; nil for that of this collection.
    ///   - options: How the new collection behaves; nil for as this one does.
    /// - Returns: The collection, which lives without this one.
    /// - Throws: ``RemoteDataError`` like opening a collection.
    /// - Complexity: O(loaded rows) where they are all here, and sorting those that match.
    public func narrowed(
        where clause: String,
        sort: String? = nil,
        options: CollectionOptions? = nil
    ) throws(RemoteDataError) -> RemoteDataCollection {
        try narrowed(try narrowing(Where.parse(clause, for: Element.self, in: table), sort, options))
    }

    /// Opens a collection of those rows that match a further clause, without a request where they are all here; does not block.
    ///
    /// - Parameters:
    ///   - clause: Which of this collection's rows, such as `age < 40`; empty for all.
    ///   - sort: In which order; nil for that of this collection.
    ///   - options: How the new collection behaves; nil for as this one does.
    /// - Returns: The collection, which lives without this one.
    /// - Throws: ``RemoteDataError`` like opening a collection.
    /// - Complexity: O(loaded rows) where they are all here, and sorting those that match.
    public func narrowed(
        where clause: String,
        sort: String? = nil,
        options: CollectionOptions? = nil
    ) async throws(RemoteDataError) -> RemoteDataCollection {
        try await narrowed(try narrowing(Where.parse(clause, for: Element.self, in: table), sort, options))
    }

    /// Opens a collection of those rows for which a predicate holds; blocks for one request where they are not all here.
    ///
    /// - Parameters:
    ///   - predicate: Which of this collection's rows.
    ///   - sort: In which order; nil for that of this collection.
    ///   - options: How the new collection behaves; nil for as this one does.
    /// - Returns: The collection, which lives without this one.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, and like opening a collection.
    public func narrowed(
        where predicate: Predicate<Element>,
        sort: String? = nil,
        options: CollectionOptions? = nil
    ) throws(RemoteDataError) -> RemoteDataCollection {
        try narrowed(try narrowing(Where(predicate, in: table), sort, options))
    }

    /// Opens a collection of those rows for which a predicate holds: at most one request, without blocking.
    ///
    /// - Parameters:
    ///   - predicate: Which of this collection's rows.
    ///   - sort: In which order; nil for that of this collection.
    ///   - options: How the new collection behaves; nil for as this one does.
    /// - Returns: The collection, which lives without this one.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, and like opening a collection.
    public func narrowed(
        where predicate: Predicate<Element>,
        sort: String? = nil,
        options: CollectionOptions? = nil
    ) async throws(RemoteDataError) -> RemoteDataCollection {
        try await narrowed(try narrowing(Where(predicate, in: table), sort, options))
    }

    /// A collection to open.
    private struct Narrowing: Sendable {
        let clause: Where?
        let query: Query
        let options: CollectionOptions
    }

    private func narrowing(
        _ clause: Where?,
        _ sort: String?,
        _ options: CollectionOptions?
    ) throws(RemoteDataError) -> Narrowing {
        let order = if let sort { try SortTerm.parse(sort, for: Element.self, in: table) } else { query.sort }
        // What the clause says already needs not be said to the table again.
        let saysAll = query.filter.map { filter in clause?.implies(filter) ?? false } ?? true
        let filter = saysAll && table.capabilities.binaryOrder ? clause : both(clause)
        let options = (options ?? self.options).fitted(to: table)
        return Narrowing(clause: clause, query: Query(filter, sort: order), options: options)
    }

    private func narrowed(_ narrowing: Narrowing) throws(RemoteDataError) -> RemoteDataCollection {
        if let seeded = seeded(narrowing) { return seeded }
        return try RemoteDataCollection(
            table: table,
            query: narrowing.query,
            options: narrowing.options,
            family: family
        )
    }

    private func narrowed(_ narrowing: Narrowing) async throws(RemoteDataError) -> RemoteDataCollection {
        if let seeded = seeded(narrowing) { return seeded }
        return try await RemoteDataCollection(
            table: table,
            query: narrowing.query,
            options: narrowing.options,
            family: family
        )
    }

    /// The collection from the rows that are here; nil where more may match, or what changed since could not be learned.
    private func seeded(_ narrowing: Narrowing) -> RemoteDataCollection? {
        let follows = narrowing.options.isLive && table.capabilities.liveChanges
        guard !follows || table.capabilities.resume else { return nil }
        let look = look()
        guard let revision = look.coverage.revision, look.holdsAll(of: narrowing.clause, in: table) else {
            return nil
        }
        let matcher = narrowing.clause.map { Where.Matcher($0) }
        var rows: [Row] = []
        for case .rows(let part) in look.parts {
            rows += part.rows[part.range].filter { matcher?.matches($0) ?? true }
        }
        if narrowing.query.sort != query.sort { rows.sort(by: narrowing.query.sort) }
        return RemoteDataCollection(
            Opening(count: Count(rows.count, revision: revision)),
            rows: rows,
            table: table,
            query: narrowing.query,
            options: narrowing.options,
            family: family
        )
    }
}

extension [Row] {
    fileprivate mutating func sort(by terms: [SortTerm]) {
        let keys = map { (key: Key($0, sort: terms), row: $0) }
        self = keys.sorted { Key.order($0.key, $1.key, sort: terms) == .ascending }.map(\.row)
    }
}
