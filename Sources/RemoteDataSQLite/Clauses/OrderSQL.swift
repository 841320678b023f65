import RemoteData

/// Renders a sort order, and pages behind or in front of a key, so that SQLite can walk an index.
struct OrderSQL: Sendable {
    /// A part of a page: rows that satisfy `condition`, in the order of the page.
    ///
    /// A page behind a key `(a, b, id)` is the rows with the same `a` and `b` and a later id, then those with the same `a` and a later
    /// `b`, then those with a later `a`. Each is one range of an index, which `OR` or row values are not once nulls are involved.
    struct Segment: Sendable {
        let condition: SQLFragment?
    }

    private let columns: ColumnSQL
    private let sort: [SortTerm]

    init(_ sort: [SortTerm], idColumn: String) {
        columns = ColumnSQL(idColumn: idColumn)
        self.sort = sort
    }

    /// The terms of `ORDER BY`, the id last.
    func terms(reversed: Bool) -> String {
        let terms = sort.map { columns.sortValue($0) + ($0.isAscending != reversed ? "" : " DESC") }
        return (terms + [reversed ? "id DESC" : "id"]).joined(separator: ",")
    }

    /// The expressions of an index for this order.
    var indexTerms: [String] { sort.map { columns.sortValue($0) + ($0.isAscending ? "" : " DESC") } }

    /// The parts of a page that starts at an offset: all rows.
    static let whole = [Segment(condition: nil)]

    /// The parts of the page behind a key, or in front of it with the rows to be read backward, nearest to the key first.
    func segments(beyond key: Key, isBefore: Bool) -> [Segment] {
        var equal = SQLFragment("")
        var levels: [[SQLFragment]] = []
        for (term, value) in zip(sort, key.values) {
            levels.append(beyond(term, value, isBefore: isBefore).map { equal + $0 })
            equal = equal + self.equal(term, value) + SQLFragment(" AND ")
        }
        levels.append([equal + SQLFragment(isBefore ? "id < ?" : "id > ?", [Binding(key.id)])])
        return levels.reversed().joined().map { Segment(condition: $0) }
    }

    private func equal(_ term: SortTerm, _ value: Value) -> SQLFragment {
        let expression = columns.sortValue(term)
        guard case .null = value else { return SQLFragment("\(expression) = ?", [Binding(value)]) }
        return SQLFragment(
            ColumnSQL.replacesNull(term) && !columns.isID(term.column)
                ? "\(expression) = x''" : "\(expression) IS NULL"
        )
    }

    /// The ranges of a term's values behind (or in front of) a value, nearest first.
    private func beyond(_ term: SortTerm, _ value: Value, isBefore: Bool) -> [SQLFragment] {
        let expression = columns.sortValue(term)
        let isUp = term.isAscending != isBefore
        if ColumnSQL.replacesNull(term) {
            // Null is the greatest value, an empty blob.
            if case .null = value { return isUp ? [] : [SQLFragment("\(expression) < x''")] }
            return [SQLFragment(expression + (isUp ? " > ?" : " < ?"), [Binding(value)])]
        }
        // Null is the least value, and comparing with it finds nothing.
        if case .null = value { return isUp ? [SQLFragment("\(expression) >= -1e999")] : [] }
        if isUp { return [SQLFragment("\(expression) > ?", [Binding(value)])] }
        return [
            SQLFragment("\(expression) < ?", [Binding(value)]), SQLFragment("\(expression) IS NULL"),
        ]
    }
}
