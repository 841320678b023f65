extension Where {
    /// Every column the clause names; those in sub-queries are columns of other tables.
    public var columns: Set<ColumnPath> {
        switch self {
        case .comparison(let left, _, let right): Self.columns([left, right])
        case .like(let operand, _), .contains(let operand, _), .regex(let operand, _), .isNull(let operand),
            .truth(let operand), .isAmong(let operand, _):
            Self.columns([operand])
        case .isIn(let operand, let list): Self.columns([operand] + list)
        case .between(let operand, let low, let high): Self.columns([operand, low, high])
        case .distance(let distance): [distance.latitude, distance.longitude]
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.columns) }
        case .not(let part): part.columns
        }
    }

    private static func columns(_ operands: [Operand]) -> Set<ColumnPath> {
        operands.reduce(into: []) { columns, operand in
            if case .column(let column) = operand { columns.insert(column) }
        }
    }
}

extension Where {
    /// The clause with one column in place of another.
    func replacing(_ column: ColumnPath, with other: ColumnPath) -> Where {
        guard column != other, columns.contains(column) else { return self }
        func replaced(_ operand: Operand) -> Operand { operand == .column(column) ? .column(other) : operand }
        return switch self {
        case .comparison(let left, let comparison, let right):
            .comparison(replaced(left), comparison, replaced(right))
        case .like(let operand, let pattern): .like(replaced(operand), pattern)
        case .isIn(let operand, let list): .isIn(replaced(operand), list.map(replaced))
        case .isAmong(let operand, let query): .isAmong(replaced(operand), query)
        case .between(let operand, let low, let high):
            .between(replaced(operand), low: replaced(low), high: replaced(high))
        case .contains(let operand, let elements): .contains(replaced(operand), elements)
        case .regex(let operand, let pattern): .regex(replaced(operand), pattern)
        case .distance(let distance): .distance(distance.replacing(column, with: other))
        case .isNull(let operand): .isNull(replaced(operand))
        case .truth(let operand): .truth(replaced(operand))
        case .and(let parts): .and(parts.map { $0.replacing(column, with: other) })
        case .or(let parts): .or(parts.map { $0.replacing(column, with: other) })
        case .not(let part): .not(part.replacing(column, with: other))
        }
    }
}

extension Where.Distance {
    fileprivate func replacing(_ column: ColumnPath, with other: ColumnPath) -> Where.Distance {
        Where.Distance(
            latitude: latitude == column ? other : latitude,
            longitude: longitude == column ? other : longitude,
            to: point,
            comparison,
            metres: metres
        )
    }
}
