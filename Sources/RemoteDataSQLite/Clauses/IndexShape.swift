import RemoteData

/// The index a query would use: the columns it fixes, then its order, or a column it bounds.
struct IndexShape: Hashable, Sendable {
    /// The indexed expressions; the id follows by itself.
    let expressions: [String]

    /// The shape of a query; nil when the order by id is all it can use.
    init?(_ query: Query, idColumn: String) {
        let columns = ColumnSQL(idColumn: idColumn)
        var fixed: Set<String> = []
        var bounded: [String] = []
        for condition in query.filter?.conjuncts ?? [] {
            switch condition.bound {
            case .fixed(let column): fixed.insert(columns.value(column))
            case .range(let column): bounded.append(columns.value(column))
            case nil: break
            }
        }
        // A condition on the id leaves few rows, or an order that is there already.
        guard !fixed.contains("id") else { return nil }
        var expressions = fixed.sorted()
        let sort = query.sort.filter { !columns.isID($0.column) && !fixed.contains(columns.value($0.column)) }
        if !sort.isEmpty {
            expressions += OrderSQL(sort, idColumn: idColumn).indexTerms
        } else if let first = bounded.first(where: { $0 != "id" && !fixed.contains($0) }) {
            expressions.append(first)
        }
        guard !expressions.isEmpty else { return nil }
        self.expressions = expressions
    }

    /// A name that says the shape, for table number `table` (FNV-1a, 64 bits).
    func name(table: Int64) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in expressions.joined(separator: "\u{1F}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return "x\(table)_" + String(hash, radix: 16)
    }

    /// The statement that makes the index.
    func statement(table: Int64) -> String {
        "CREATE INDEX IF NOT EXISTS \(name(table: table)) ON t\(table)(\(expressions.joined(separator: ",")))"
    }
}

extension Where {
    /// How a condition limits one column to what an index holds together.
    enum Bound {
        case fixed(ColumnPath)
        case range(ColumnPath)
    }

    /// The conditions that must all be true.
    var conjuncts: [Where] {
        guard case .and(let parts) = self else { return [self] }
        return parts.flatMap(\.conjuncts)
    }

    /// The column this condition limits to a value or range.
    var bound: Bound? {
        switch self {
        case .comparison(.column(let column), let comparison, .literal),
            .comparison(.literal, let comparison, .column(let column)):
            switch comparison {
            case .equal: .fixed(column)
            case .notEqual: nil
            case .less, .lessOrEqual, .greater, .greaterOrEqual: .range(column)
            }
        case .isNull(.column(let column)): .fixed(column)
        case .between(.column(let column), .literal, .literal): .range(column)
        case .isIn(.column(let column), let list) where list.allSatisfy(\.isLiteral): .range(column)
        case .distance(let distance) where distance.box != nil: .range(distance.latitude)
        case .like(.column(let column), let pattern) where pattern.prefixRange != nil: .range(column)
        default: nil
        }
    }

    /// The column this condition limits to one value.
    var fixedColumn: ColumnPath? {
        guard case .fixed(let column) = bound else { return nil }
        return column
    }

    /// The comparison with the column on the left and a value other than null on the right.
    var comparisonOfColumn: (column: ColumnPath, comparison: Comparison, value: Value)? {
        switch self {
        case .comparison(.column(let column), let comparison, .literal(let value)) where value != .null:
            (column, comparison, value)
        case .comparison(.literal(let value), let comparison, .column(let column)) where value != .null:
            (column, comparison.flipped, value)
        default: nil
        }
    }
}

extension Where.Operand {
    fileprivate var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }
}
