import RemoteData

// Clauses that find nothing because they compare numbers with text.
extension Session {
    /// Says so where a clause found nothing and compares a column with a value of another type.
    ///
    /// Asks the server for a row of each column that is compared, until one is of another type.
    func explainMismatch(in clause: Where) async throws(Failure) {
        for (column, value) in clause.comparisons {
            let page = try await request { () async throws(RemoteDataError) in
                try await table.page(PageRequest(Query(.not(.isNull(.column(column)))), limit: 1))
            }
            guard let found = page.rows.first?[column],
                let kind = found.kind, let other = value.kind, kind != other
            else { continue }
            return Output.complain(
                "live-table: \(column) has \(kind) in \(arguments.address.table), and is compared with "
                    + "\(other): no such row matches. Text stands in single quotes, numbers without."
            )
        }
    }
}

extension Value {
    /// What it is, in the plural; nil for what is compared with neither text nor numbers.
    fileprivate var kind: String? {
        switch self {
        case .text: "text"
        case .integer, .double: "numbers"
        case .null, .bool, .json: nil
        }
    }
}

extension Where {
    /// The columns that are compared with values, and those.
    fileprivate var comparisons: [(ColumnPath, Value)] {
        switch self {
        case .comparison(let left, _, let right): Self.pairs(left, [right]) + Self.pairs(right, [left])
        case .isIn(let operand, let list): Self.pairs(operand, list)
        case .between(let operand, let low, let high): Self.pairs(operand, [low, high])
        case .and(let parts), .or(let parts): parts.flatMap(\.comparisons)
        case .not(let part): part.comparisons
        case .like, .isAmong, .contains, .regex, .distance, .isNull, .truth: []
        }
    }

    private static func pairs(_ operand: Operand, _ others: [Operand]) -> [(ColumnPath, Value)] {
        guard case .column(let column) = operand else { return [] }
        for case .literal(let value) in others { return [(column, value)] }
        return []
    }
}
