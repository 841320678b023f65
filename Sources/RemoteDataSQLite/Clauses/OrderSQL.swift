import RemoteData

/// Renders a sort order, and pages behind or in front of a key, so that SQLite can walk an index.
struct OrderSQL: Sendable {
    /// A part of a page: rows that satisfy `condition`, in the order of the page.
    ///
    /// A page behind a key `(a, b, id)` is the rows with the same `a` and `b` and a later id, then those with
    /// the same `a` and a later `b`, then those with a later `a`. Each is one range of an index, which `OR`
    /// or row values are not once nulls are involved.
    struct Segment: Sendable {
        /// The range; nil for all rows.
        let condition: SQLFragment?
        /// How many terms, from the first one, are the same for all these rows.
        let fixedTerms: Int
    }

    private let columns: ColumnSQL
    private let sort: [SortTerm]

    init(_ sort: [SortTerm], idColumn: String) {
        columns = ColumnSQL(idColumn: idColumn)
        self.sort = sort
    }

    /// The terms of `ORDER BY` for a part of a page, the id last.
    ///
    /// What is the same for all rows is left out, as SQLite would not see that, and sort what is sorted.
    func terms(_ segment: Segment, reversed: Bool, fixed: Set<ColumnPath>) -> String {
        let terms = sort.dropFirst(segment.fixedTerms).filter { !fixed.contains($0.column) }
            .map { columns.sortValue($0) + ($0.isAscending != reversed ? "" : " DESC") }
        return (terms + [reversed ? "id DESC" : "id"]).joined(separator: ",")
    }

    /// The expressions of an index for this order.
    var indexTerms: [String] { sort.map { columns.sortValue($0) + ($0.isAscending ? "" : " DESC") } }

    /// The one part of a page that starts at an offset.
    static let whole = Segment(condition: nil, fixedTerms: 0)

    /// The parts of the page behind a key, or in front of it with the rows to be read backward, nearest to
    /// the key first.
    func segments(beyond key: Key, isBefore: Bool) -> [Segment] {
        var equal = SQLFragment("")
        var levels: [[Segment]] = []
        for (index, (term, value)) in zip(sort, key.values).enumerated() {
            levels.append(
                beyond(term, value, isBefore: isBefore).map { range in
                    Segment(condition: equal + range.condition, fixedTerms: index + (range.isNull ? 1 : 0))
                }
            )
            equal = equal + self.equal(term, value) + SQLFragment(" AND ")
        }
        let last = SQLFragment(isBefore ? "id < ?" : "id > ?", [Binding(key.id)])
        levels.append([Segment(condition: equal + last, fixedTerms: sort.count)])
        return Array(levels.reversed().joined())
    }

    /// Values of one term.
    private struct Range {
        let condition: SQLFragment
        var isNull = false

        init(_ sql: String, _ bindings: [Binding] = [], isNull: Bool = false) {
            condition = SQLFragment(sql, bindings)
            self.isNull = isNull
        }
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
    private func beyond(_ term: SortTerm, _ value: Value, isBefore: Bool) -> [Range] {
        let expression = columns.sortValue(term)
        let isUp = term.isAscending != isBefore
        if ColumnSQL.replacesNull(term) {
            // Null is the greatest value, an empty blob.
            if case .null = value { return isUp ? [] : [Range("\(expression) < x''")] }
            return [Range(expression + (isUp ? " > ?" : " < ?"), [Binding(value)])]
        }
        // Null is the least value, and comparing with it finds nothing.
        if case .null = value { return isUp ? [Range("\(expression) >= -1e999")] : [] }
        if isUp { return [Range("\(expression) > ?", [Binding(value)])] }
        return [
            Range("\(expression) < ?", [Binding(value)]), Range("\(expression) IS NULL", isNull: true),
        ]
    }
}
