public import Foundation

// Opening a collection with a predicate.
extension RemoteDataCollection {
    /// Opens a collection of the rows for which a predicate holds; blocks for one request.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - predicate: Which rows, such as `#Predicate { $0.age > 20 }`.
    ///   - sort: In which order; empty for the order of the ids.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, naming the expression, and like the
    ///   initializer with text.
    public convenience init(
        table: any Table,
        where predicate: Predicate<Element>,
        sort: String = "",
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) throws(RemoteDataError) {
        let terms = try SortTerm.parse(sort, for: Element.self, in: table)
        let query = Query(try Where(predicate, in: table), sort: terms)
        try self.init(table: table, query: query, options: options, cache: cache)
    }

    /// Opens a collection of the rows for which a predicate holds: one request, without blocking.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - predicate: Which rows, such as `#Predicate { $0.age > 20 }`.
    ///   - sort: In which order; empty for the order of the ids.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, naming the expression, and like the
    ///   initializer with text.
    public convenience init(
        table: any Table,
        where predicate: Predicate<Element>,
        sort: String = "",
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) async throws(RemoteDataError) {
        let terms = try SortTerm.parse(sort, for: Element.self, in: table)
        let query = Query(try Where(predicate, in: table), sort: terms)
        try await self.init(table: table, query: query, options: options, cache: cache)
    }

    /// Removes the rows of the collection for which a predicate holds, in one request; does not block.
    ///
    /// - Parameter predicate: Which of the collection's rows.
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, or the table refuses or cannot be asked.
    @discardableResult
    public func removeAll(where predicate: Predicate<Element>) async throws(RemoteDataError) -> Int {
        try await removeAll(both(try Where(predicate, in: table)))
    }

    /// Removes the rows of the collection for which a predicate holds; blocks for one request.
    ///
    /// - Parameter predicate: Which of the collection's rows.
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, or the table refuses or does not answer.
    @discardableResult
    public func removeAll(where predicate: Predicate<Element>) throws(RemoteDataError) -> Int {
        let clause = both(try Where(predicate, in: table))
        return try blocking { () async throws(RemoteDataError) in try await self.removeAll(clause) }
    }
}

extension Where {
    /// Translates a predicate for a table: a property coded as `id` is the table's id column.
    init<Element: Codable>(_ predicate: Predicate<Element>, in table: any Table) throws(RemoteDataError) {
        let clause = try Where(predicate, dates: table.dates)
        self = clause.replacing(ColumnPath("id"), with: ColumnPath(table.idColumn))
    }
}
