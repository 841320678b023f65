import RemoteData

/// The statements that read a query's rows from one table.
struct QuerySQL: Sendable {
    private let table: Int64
    private let filter: SQLFragment?
    private let order: OrderSQL
    /// The columns that have the same value in all rows of the query.
    private let fixed: Set<ColumnPath>

    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - table: The number of the table.
    ///   - idColumn: The column that holds a row's id.
    ///   - condition: What else is true of the rows.
    init(_ query: Query, table: Int64, idColumn: String, _ condition: SQLFragment? = nil) {
        self.table = table
        order = OrderSQL(query.sort, idColumn: idColumn)
        fixed = Set(query.filter?.conjuncts.compactMap(\.fixedColumn) ?? [])
        let clause = WhereSQL(idColumn: idColumn)
        let implied = query.filter.map { Self.implied(by: $0, query.sort, clause.columns) } ?? []
        let parts =
            [condition].compactMap(\.self) + (query.filter.map { [clause.filter($0)] } ?? []) + implied
        filter = parts.isEmpty ? nil : .joined(parts, by: " AND ")
    }

    /// Counts the rows.
    var count: SQLFragment { SQLFragment("SELECT count(*) FROM t\(table)") + condition([filter]) }

    /// The values of a column in the rows, each once; the last parameter is a limit.
    func values(of column: ColumnPath, _ columns: ColumnSQL) -> SQLFragment {
        SQLFragment("SELECT DISTINCT \(columns.value(column)) FROM t\(table)") + condition([filter])
            + SQLFragment(" LIMIT ?")
    }

    /// Every row in order: id, revision, json.
    var all: SQLFragment { select(OrderSQL.whole, reversed: false) }

    /// The statements whose results, one after another, are a page; the last parameters are limit and offset.
    ///
    /// In front of a key the rows come backward.
    func page(_ start: PageRequest.Start, revision: String = "revision") -> [SQLFragment] {
        let (segments, isBefore) =
            switch start {
            case .offset: ([OrderSQL.whole], false)
            case .after(let key), .beyond(let key, _): (order.segments(beyond: key, isBefore: false), false)
            case .before(let key): (order.segments(beyond: key, isBefore: true), true)
            }
        return segments.map { select($0, reversed: isBefore, revision) + SQLFragment(" LIMIT ? OFFSET ?") }
    }

    private func select(
        _ segment: OrderSQL.Segment,
        reversed: Bool,
        _ revision: String = "revision"
    ) -> SQLFragment {
        SQLFragment("SELECT id,\(revision),json FROM t\(table)") + condition([filter, segment.condition])
            + SQLFragment(" ORDER BY " + order.terms(segment, reversed: reversed, fixed: fixed))
    }

    private func condition(_ conditions: [SQLFragment?]) -> SQLFragment {
        let conditions = conditions.compactMap(\.self)
        return conditions.isEmpty
            ? SQLFragment("") : SQLFragment(" WHERE ") + .joined(conditions, by: " AND ")
    }

    /// What the filter says of the first sort column, said again of the expression it sorts by.
    ///
    /// So the index it is walked by also bounds it. A comparison is only true of a value that is there, and
    /// then both are the same.
    private static func implied(by filter: Where, _ sort: [SortTerm], _ columns: ColumnSQL) -> [SQLFragment] {
        guard let first = sort.first, columns.sortValue(first) != columns.value(first.column) else {
            return []
        }
        return filter.conjuncts.compactMap { condition in
            guard let (column, comparison, value) = condition.comparisonOfColumn, column == first.column,
                comparison != .notEqual
            else { return nil }
            return SQLFragment("\(columns.sortValue(first)) \(comparison.rawValue) ?", [Binding(value)])
        }
    }
}
