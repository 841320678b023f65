/// A query whose filter is made ready to be evaluated on many rows.
package struct PreparedQuery: Sendable {
    /// The query.
    package let query: Query
    private let matcher: Where.Matcher?

    package init(_ query: Query) {
        self.query = query
        matcher = query.filter.map { Where.Matcher($0) }
    }

    package var filter: Where? { query.filter }
    package var sort: [SortTerm] { query.sort }

    /// Whether a row belongs to the query.
    package func matches(_ row: Row) -> Bool { matcher?.matches(row) ?? true }
}
