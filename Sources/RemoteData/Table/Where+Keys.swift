// Stretches of an order as clauses, for tables of servers that page by clauses alone.
extension Where {
    /// The rows that sort behind a key: what a page after it has in common, besides matching its query.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sort: The order.
    ///   - idColumn: The column that holds a row's id, which the order ends with.
    /// - Returns: Nil where the key holds a list or an object, which a clause cannot name.
    public static func behind(_ key: Key, sort: [SortTerm], idColumn: String) -> Where? {
        let interval = KeyInterval(lower: .init(key: key, isIncluded: false))
        return interval.conditions(sort: sort, idColumn: idColumn)?.first
    }

    /// The rows that sort in front of a key; see ``behind(_:sort:idColumn:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sort: The order.
    ///   - idColumn: The column that holds a row's id.
    /// - Returns: Nil where the key holds a list or an object.
    public static func inFront(of key: Key, sort: [SortTerm], idColumn: String) -> Where? {
        let interval = KeyInterval(upper: .init(key: key, isIncluded: false))
        return interval.conditions(sort: sort, idColumn: idColumn)?.first
    }
}
