/// A stretch of a query's order.
package struct KeyInterval: Sendable, Hashable {
    /// Where a stretch begins or ends.
    package struct Bound: Sendable, Hashable {
        /// The key.
        package let key: Key
        /// Whether a row with that very key belongs to the stretch.
        package let isIncluded: Bool

        package init(key: Key, isIncluded: Bool) {
            self.key = key
            self.isIncluded = isIncluded
        }
    }

    /// Where it begins; nil for the start of the query.
    package var lower: Bound?
    /// Where it ends; nil for the end of the query.
    package var upper: Bound?

    package init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a key lies in it.
    package func contains(_ key: Key, _ sort: [SortTerm]) -> Bool {
        if let upper {
            switch Key.order(key, upper.key, sort: sort) {
            case .ascending: break
            case .same: if !upper.isIncluded { return false }
            case .descending: return false
            }
        }
        guard let lower else { return true }
        switch Key.order(key, lower.key, sort: sort) {
        case .ascending: return false
        case .same: return lower.isIncluded
        case .descending: return true
        }
    }
}

extension KeyInterval {
    /// Whether it and what lies from one key to another have anything in common.
    func meets(_ first: Key, _ last: Key, _ sort: [SortTerm]) -> Bool {
        let isBefore = upper.map { Key.order($0.key, first, sort: sort) == .ascending } ?? false
        let isAfter = lower.map { Key.order($0.key, last, sort: sort) == .descending } ?? false
        return !isBefore && !isAfter
    }
}

// MARK: - As a clause

extension KeyInterval {
    /// What the rows of the stretch have in common, besides matching the query; empty for the whole query.
    ///
    /// - Returns: Nil where a key holds a list or an object, which a clause cannot name.
    package func conditions(sort: [SortTerm], idColumn: String) -> [Where]? {
        var conditions: [Where] = []
        if let lower {
            guard let clause = Self.clause(lower, isLower: true, sort, idColumn) else { return nil }
            conditions.append(clause)
        }
        if let upper {
            guard let clause = Self.clause(upper, isLower: false, sort, idColumn) else { return nil }
            conditions.append(clause)
        }
        return conditions
    }

    /// The rows of a query that lie in the stretch; nil where no clause can say it.
    func query(within query: Query, idColumn: String) -> Query? {
        guard let conditions = conditions(sort: query.sort, idColumn: idColumn) else { return nil }
        let parts = (query.filter.map { [$0] } ?? []) + conditions
        return Query(parts.count > 1 ? .and(parts) : parts.first, sort: query.sort)
    }

    /// The rows behind a bound, or in front of it: lexicographically by each term, and by the id where those are the same.
    private static func clause(_ bound: Bound, isLower: Bool, _ sort: [SortTerm], _ idColumn: String)
        -> Where?
    {
        let (strict, inclusive): (Where.Comparison, Where.Comparison) =
            isLower ? (.greater, .greaterOrEqual) : (.less, .lessOrEqual)
        var clause = Where.comparison(
            .column(ColumnPath(idColumn)),
            bound.isIncluded ? inclusive : strict,
            .literal(bound.key.id.value)
        )
        for (term, value) in zip(sort, bound.key.values).reversed() {
            if case .json = value { return nil }
            clause = .and([isSame(term, value), clause])
            if let beyond = beyond(term, value, isLower: isLower) { clause = .or([beyond, clause]) }
        }
        return clause
    }

    private static func isSame(_ term: SortTerm, _ value: Value) -> Where {
        let column = Where.Operand.column(term.column)
        return value == .null ? .isNull(column) : .comparison(column, .equal, .literal(value))
    }

    /// What sorts behind a value, or in front of it, by one term; nil when nothing does.
    private static func beyond(_ term: SortTerm, _ value: Value, isLower: Bool) -> Where? {
        let column = Where.Operand.column(term.column)
        let nullsLieBeyond = isLower != term.nullsFirst
        if value == .null { return nullsLieBeyond ? nil : .not(.isNull(column)) }
        let comparison: Where.Comparison = isLower == term.isAscending ? .greater : .less
        let beyond = Where.comparison(column, comparison, .literal(value))
        return nullsLieBeyond ? .or([beyond, .isNull(column)]) : beyond
    }
}
