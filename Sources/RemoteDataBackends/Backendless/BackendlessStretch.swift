import RemoteData

/// A part of a query's order that a server is asked for.
///
/// Nobody says where Backendless sorts nulls. So rows with a null in the first term of an order and those without are two
/// stretches; those with a null are the same in it, and are sorted by the next term.
struct BackendlessStretch: Sendable, Equatable {
    /// What its rows have in common, besides matching the query.
    var conditions: [Where] = []
    /// In how many terms its rows are the same.
    var level = 0
    /// Whether none of them has a null in the next term.
    var hasValues = false
    /// The key behind which it begins in the direction of reading, and the term from which on that matters; nil for all of it.
    var start: Start?

    struct Start: Sendable, Equatable {
        let key: Key
        var level = 0
    }

    /// Whether the server sorts it as the query says: by one term that is never null, or by the id alone.
    func isSettled(_ order: BackendlessOrder) -> Bool {
        level == order.terms.count || (hasValues && level == order.terms.count - 1)
    }

    /// Whether it has to be parted.
    func isMixed(_ order: BackendlessOrder) -> Bool { level < order.terms.count && !hasValues }

    /// The rows with a null in the next term and those without, in order.
    func parts(_ order: BackendlessOrder) -> [BackendlessStretch] {
        let term = order.terms[level]
        let column = Where.Operand.column(term.column)
        var (nulls, others) = (self, self)
        others.hasValues = true
        nulls.level += 1
        nulls.conditions.append(.isNull(column))
        // Only on the way of the key, its value tells what lies in front of it.
        guard let start, start.level == level else {
            if term.column == "objectId" { return [others] }
            others.conditions.append(.not(.isNull(column)))
            return term.nullsFirst ? [nulls, others] : [others, nulls]
        }
        guard start.key.values[level] == .null else {
            if term.column == "objectId" { return [others] }
            nulls.start = nil
            return term.nullsFirst ? [others] : [others, nulls]
        }
        nulls.start?.level += 1
        others.start = nil
        others.conditions.append(.not(.isNull(column)))
        return term.nullsFirst ? [nulls, others] : [nulls]
    }

    /// The rows that have a value in the next term, and those with greater ones.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isFirst: Whether the key behind which the stretch begins may have the same value.
    ///   - order: The order.
    /// - Returns: The two stretches.
    func parts(at value: Value, isFirst: Bool, _ order: BackendlessOrder) -> [BackendlessStretch] {
        var group = self
        group.hasValues = false
        group.level += 1
        group.conditions.append(.comparison(.column(order.terms[level].column), .equal, .literal(value)))
        if !isFirst { group.start = nil }
        var rest = self
        rest.start = nil
        rest.conditions.append(beyond(value, order, isInFront: false))
        return [group, rest]
    }

    /// The rows in front of those that have a value in the next term, or behind them.
    func beyond(_ value: Value, _ order: BackendlessOrder, isInFront: Bool) -> Where {
        let term = order.terms[level]
        let comparison: Where.Comparison = term.isAscending == isInFront ? .less : .greater
        return .comparison(.column(term.column), comparison, .literal(value))
    }

    /// What the stretch comes to as a clause; nil for everything.
    ///
    /// - Parameters:
    ///   - sort: The query's order.
    ///   - isReversed: Whether it is read from its end.
    /// - Returns: The clause.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for a key that no clause can name.
    func clause(_ sort: [SortTerm], isReversed: Bool) throws(RemoteDataError) -> Where? {
        var parts = conditions
        if let start {
            var terms = Array(sort[start.level...])
            let key = Key(values: Array(start.key.values[start.level...]), id: start.key.id)
            if hasValues, start.level == level, let first = terms.first {
                // There are no nulls, so none lie behind the key.
                terms[0] = SortTerm(
                    first.column,
                    ascending: first.isAscending,
                    nullsFirst: !isReversed
                )
            }
            let boundary =
                isReversed
                ? Where.inFront(of: key, sort: terms, idColumn: "objectId")
                : .behind(key, sort: terms, idColumn: "objectId")
            guard let boundary else {
                throw RemoteDataError(
                    .invalidRequest,
                    "Backendless cannot be asked for what sorts behind a list or an object."
                )
            }
            parts.append(boundary)
        }
        return parts.count > 1 ? .and(parts) : parts.first
    }
}
