/// Which rows, in which order.
///
/// The id is always the last sort term, ascending, so the order is total.
public struct Query: Hashable, Sendable {
    /// The rows wanted; nil for all.
    public var filter: Where?
    /// The order wanted; empty sorts by id alone.
    public var sort: [SortTerm]

    /// Creates a query; all rows by id unless said otherwise.
    public init(_ filter: Where? = nil, sort: [SortTerm] = []) {
        self.filter = filter
        self.sort = sort
    }

    /// Every column the filter and the sort name.
    public var columns: Set<ColumnPath> { (filter?.columns ?? []).union(sort.map(\.column)) }
}
