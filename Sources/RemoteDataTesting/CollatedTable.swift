public import RemoteData

/// A table that sorts text in an order of its own, as a server does whose columns have a collation.
///
/// It holds the rows of the table behind, and says of itself that its order cannot be reproduced. Clauses compare as they do
/// there. For tests with no more rows than a page of the table behind holds: each page is sorted anew.
public final class CollatedTable: WrappingTable {
    /// The name of the table behind.
    public var name: String { base.name }
    /// The id column of the table behind.
    public var idColumn: String { base.idColumn }
    /// The dates of the table behind.
    public var dates: DateConvention { base.dates }
    /// What the table behind can do, but for `binaryOrder`.
    public var capabilities: Capabilities {
        var capabilities = base.capabilities
        capabilities.binaryOrder = false
        return capabilities
    }

    /// The table behind.
    public var wrapped: any Table { base }

    private let base: any Table
    private let collation: @Sendable (String) -> String

    /// Gives a table another order.
    ///
    /// - Parameters:
    ///   - base: The table.
    ///   - collation: What texts are sorted by, ids included; those for which it is the same are equals, but for ids.
    public init(_ base: any Table, collation: @escaping @Sendable (String) -> String = { $0.lowercased() }) {
        self.base = base
        self.collation = collation
    }

    /// How many rows the query has.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count { try await base.count(query) }

    /// A page in the order of the collation.
    ///
    /// - Complexity: O(n log n) in the rows of the query.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let query = request.query
        let page = try await base.page(PageRequest(query, limit: base.capabilities.maximumPageSize))
        let keyed = page.rows.map { (key: collated(Key($0, sort: query.sort)), row: $0) }
        let sorted = keyed.sorted { order($0.key, $1.key, query.sort) }
        let rows: ArraySlice<(key: Key, row: Row)> =
            switch request.start {
            case .offset(let offset): sorted.dropFirst(offset).prefix(request.limit)
            case .after(let key):
                sorted.drop { !order(collated(key), $0.key, query.sort) }.prefix(request.limit)
            case .beyond(let key, let offset):
                sorted.drop { !order(collated(key), $0.key, query.sort) }.dropFirst(offset).prefix(
                    request.limit
                )
            case .before(let key):
                sorted.prefix { order($0.key, collated(key), query.sort) }.suffix(request.limit)
            }
        return Page(rows: rows.map(\.row), revision: page.revision)
    }

    /// The row with an id.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    /// Makes a change.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    /// The changes after a revision.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    /// Delivers changes.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed { try await base.subscribe(to: query, since: revision) }

    /// A key that sorts by its bytes where the other one sorts by the collation; the id itself settles what is left.
    private func collated(_ key: Key) -> Key {
        Key(values: (key.values + [key.id.value]).map(collated), id: key.id)
    }

    private func collated(_ value: Value) -> Value {
        if case .text(let text) = value { .text(collation(text)) } else { value }
    }

    private func order(_ left: Key, _ right: Key, _ sort: [SortTerm]) -> Bool {
        Key.order(left, right, sort: sort + [SortTerm(ColumnPath(idColumn))]) == .ascending
    }
}
