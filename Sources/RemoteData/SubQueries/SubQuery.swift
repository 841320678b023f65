/// `SELECT column FROM table WHERE …`: the values of a column in some rows of another table, what an operand can be `IN`.
///
/// Null is no value, arrays and objects count as their JSON text, and a table that is not there has none.
public struct SubQuery: Hashable, Sendable {
    /// The column whose values count.
    public let column: ColumnPath
    /// The table's name.
    public let table: String
    /// Which rows; nil for all.
    public let filter: Where?

    /// Asks for the values of a column.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - table: The table's name.
    ///   - filter: Which rows; nil for all.
    public init(_ column: ColumnPath, from table: String, where filter: Where? = nil) {
        (self.column, self.table, self.filter) = (column, table, filter)
    }

    /// The rows whose values count.
    package var rows: Query {
        let hasValue = Where.not(.isNull(.column(column)))
        return Query(filter.map { .and([$0, hasValue]) } ?? hasValue)
    }
}

extension SubQuery: CustomStringConvertible {
    /// The sub-query as a where clause spells it.
    public var description: String {
        "SELECT \(column) FROM \(ColumnPath(table))" + (filter.map { " WHERE \($0)" } ?? "")
    }
}

extension Where {
    /// The sub-queries of the clause, but for those in other sub-queries.
    package var subQueries: Set<SubQuery> {
        switch self {
        case .isAmong(_, let query): [query]
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.subQueries) }
        case .not(let part): part.subQueries
        default: []
        }
    }

    /// Whether there is any sub-query.
    package var hasSubQuery: Bool {
        switch self {
        case .isAmong: true
        case .and(let parts), .or(let parts): parts.contains(where: \.hasSubQuery)
        case .not(let part): part.hasSubQuery
        default: false
        }
    }

    /// The tables of the sub-queries, those in others included.
    var otherTables: Set<String> {
        switch self {
        case .isAmong(_, let query): (query.filter?.otherTables ?? []).union([query.table])
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.otherTables) }
        case .not(let part): part.otherTables
        default: []
        }
    }

    /// How many sub-queries there are, those in others included.
    var subQueryCount: Int {
        switch self {
        case .isAmong(_, let query): 1 + (query.filter?.subQueryCount ?? 0)
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.subQueryCount }
        case .not(let part): part.subQueryCount
        default: 0
        }
    }

    /// The clause with lists in the place of sub-queries.
    func resolved(_ values: [SubQuery: [Value]]) -> Where {
        switch self {
        case .isAmong(let operand, let query):
            .isIn(operand, (values[query] ?? []).map { .literal($0) })
        case .and(let parts): .and(parts.map { $0.resolved(values) })
        case .or(let parts): .or(parts.map { $0.resolved(values) })
        case .not(let part): .not(part.resolved(values))
        default: self
        }
    }
}

extension Table {
    /// Refuses a clause with a sub-query, which a table cannot answer that knows of no others.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidClause`.
    package func refuseSubQueries(_ clause: Where?) throws(RemoteDataError) {
        guard let clause, clause.hasSubQuery else { return }
        throw RemoteDataError(
            .invalidClause,
            "The table \(name) cannot answer IN (SELECT …): only tables of table-server and of stores can."
        )
    }
}
