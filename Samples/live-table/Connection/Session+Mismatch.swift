import RemoteData

// Clauses that find nothing because they compare numbers with text.
extension Session {
    /// How many columns are looked at.
    private static var columnLimit: Int { 3 }

    /// Explains that no row matches where a clause compares a column with a value of another type.
    ///
    /// Calls the server for a row of each such column, three at most; says nothing where that fails.
    ///
    /// - Parameter clause: A clause that has found no row.
    func explainMismatch(in clause: Where) async {
        var seen: Set<ColumnPath> = []
        for (column, value) in clause.requirements where seen.insert(column).inserted {
            guard seen.count <= Self.columnLimit else { return }
            let request = PageRequest(Query(.not(.isNull(.column(column)))), limit: 1)
            guard let page = try? await table.page(request), let found = page.rows.first?[column],
                let kind = found.kind, let other = value.kind, kind != other
            else { continue }
            return Output.complain(
                "live-table: \(column) has \(kind) in \(arguments.address.table), and is compared with "
                    + "\(other), which does not match. Text stands in single quotes, numbers without."
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
    /// The columns that have to be of a value's type for a row to match, and a value of each.
    ///
    /// Numbers come before all text, so that `elevation < 'x'` is true of all of them.
    fileprivate var requirements: [(ColumnPath, Value)] {
        switch self {
        case .comparison(.column(let column), let comparison, .literal(let value)):
            comparison.needsType(of: value, isReversed: false) ? [(column, value)] : []
        case .comparison(.literal(let value), let comparison, .column(let column)):
            comparison.needsType(of: value, isReversed: true) ? [(column, value)] : []
        case .isIn(.column(let column), let list): Self.first(of: list).map { [(column, $0)] } ?? []
        case .between(.column(let column), let low, let high):
            Self.first(of: [low, high]).map { [(column, $0)] } ?? []
        case .and(let parts), .or(let parts): parts.flatMap(\.requirements)
        case .comparison, .isIn, .between, .not, .like, .isAmong, .contains, .regex, .distance, .isNull,
            .truth:
            []
        }
    }

    private static func first(of operands: [Operand]) -> Value? {
        for case .literal(let value) in operands where value.kind != nil { return value }
        return nil
    }
}

extension Where.Comparison {
    /// Whether it is false of every value of the other type, of text and numbers.
    fileprivate func needsType(of value: Value, isReversed: Bool) -> Bool {
        switch self {
        case .equal: true
        case .notEqual: false
        case .greater, .greaterOrEqual: (value.kind == "text") != isReversed
        case .less, .lessOrEqual: (value.kind == "text") == isReversed
        }
    }
}
