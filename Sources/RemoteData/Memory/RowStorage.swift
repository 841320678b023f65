/// What a ``Write`` needs of the place that keeps a table's rows.
///
/// Whoever runs a write undoes what it did when it throws.
package protocol RowStorage {
    /// The row with an id as the write has left it so far.
    mutating func row(_ id: RowID) throws(RemoteDataError) -> Row?
    /// The rows that match, all for nil, up to a number, and no more once they have more bytes than `bytes`.
    mutating func rows(matching filter: Where?, limit: Int, bytes: Int) throws(RemoteDataError) -> [Row]
    /// Stores a row in place of the one with its id, if any.
    mutating func put(_ row: Row, replacing before: Row?) throws(RemoteDataError)
    /// Removes a row.
    mutating func remove(_ row: Row) throws(RemoteDataError)
    /// Removes the rows that match, all for nil: how many, and how many of them matched each of `filters`.
    mutating func removeAll(
        _ predicate: Where?,
        counting filters: Set<Where>
    ) throws(RemoteDataError) -> (count: Int, counts: [Where: Int])
}

extension RowStorage {
    /// The rows that match, all for nil, up to a number.
    package mutating func rows(matching filter: Where?, limit: Int) throws(RemoteDataError) -> [Row] {
        try rows(matching: filter, limit: limit, bytes: .max)
    }
}
