import RemoteData

/// How a server writes clauses.
///
/// A dialect says what a single condition is. What cannot be said exactly is said more widely or, among conditions that all have to
/// be true, left out; the rest is evaluated here. Negations are pushed down to the conditions: few servers have them, and fewer with
/// SQL's three values.
protocol ClauseDialect {
    /// A condition that has no conditions in it, for the rows for which it is true or, negated, for those for which it is false.
    ///
    /// Nothing is asked for rows for which it is neither.
    /// - Returns: What at least those rows match; nil where that cannot be said.
    func condition(_ condition: Where, isNegated: Bool) -> RenderedClause?

    /// Clauses of which all have to match, two at least.
    func all(_ parts: [RenderedClause]) -> RenderedClause

    /// Clauses of which one has to match, two at least; nil where that cannot be said.
    func any(_ parts: [RenderedClause]) -> RenderedClause?
}

extension ClauseDialect {
    /// What to ask a server for the rows for which a clause is true.
    ///
    /// - Returns: What at least those rows match; nil for all rows.
    /// - Complexity: O(size of the clause).
    func render(_ clause: Where) -> RenderedClause? { render(clause, isNegated: false) }

    private func render(_ clause: Where, isNegated: Bool) -> RenderedClause? {
        switch clause {
        case .not(let part): render(part, isNegated: !isNegated)
        case .and(let parts): isNegated ? any(of: parts, isNegated) : all(of: parts, isNegated)
        case .or(let parts): isNegated ? all(of: parts, isNegated) : any(of: parts, isNegated)
        case .distance(let distance) where !isNegated && distance.box != nil:
            // Few servers know distances, and all know numbers.
            distance.box.flatMap { render($0) }.map { box in
                var box = box
                box.isExact = false
                return box
            }
        default: condition(clause, isNegated: isNegated)
        }
    }

    private func all(of parts: [Where], _ isNegated: Bool) -> RenderedClause? {
        let rendered = parts.compactMap { render($0, isNegated: isNegated) }
        guard var clause = rendered.count > 1 ? all(rendered) : rendered.first else { return nil }
        clause.isExact = rendered.count == parts.count && rendered.allSatisfy(\.isExact)
        return clause
    }

    private func any(of parts: [Where], _ isNegated: Bool) -> RenderedClause? {
        let rendered = parts.compactMap { render($0, isNegated: isNegated) }
        guard rendered.count == parts.count else { return nil }
        guard var clause = rendered.count > 1 ? any(rendered) : rendered.first else { return nil }
        clause.isExact = rendered.allSatisfy(\.isExact)
        return clause
    }
}

extension Where {
    /// What a condition without a column is for every row; nil for one with a column.
    var constant: Truth? {
        let operands: [Operand] =
            switch self {
            case .comparison(let left, _, let right): [left, right]
            case .like(let operand, _), .contains(let operand, _), .regex(let operand, _),
                .isNull(let operand), .truth(let operand):
                [operand]
            case .isIn(let operand, let list): [operand] + list
            case .between(let operand, let low, let high): [operand, low, high]
            case .distance(let distance): [.column(distance.latitude)]
            case .isAmong, .and, .or, .not: [.column(ColumnPath(""))]
            }
        for case .column in operands { return nil }
        return truth(of: Row(id: 0, json: Array("{}".utf8)[...]))
    }
}
