extension Where {
    /// Every column the clause names.
    public var columns: Set<ColumnPath> {
        switch self {
        case .comparison(let left, _, let right): Self.columns([left, right])
        case .like(let operand, _), .isNull(let operand), .truth(let operand): Self.columns([operand])
        case .isIn(let operand, let list): Self.columns([operand] + list)
        case .between(let operand, let low, let high): Self.columns([operand, low, high])
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
