/// One column of a sort order.
public struct SortTerm: Hashable, Sendable {
    /// The column.
    public let column: ColumnPath
    /// Whether small values come first.
    public let isAscending: Bool
    /// Whether rows without a value come before all others; unrelated to the direction.
    public let nullsFirst: Bool

    /// Creates a term; ascending with nulls last unless said otherwise.
    public init(_ column: ColumnPath, ascending: Bool = true, nullsFirst: Bool = false) {
        self.column = column
        self.isAscending = ascending
        self.nullsFirst = nullsFirst
    }

    /// The order of two values under this term.
    public func order(_ left: Value, _ right: Value) -> Order {
        switch (left, right) {
        case (.null, .null): .same
        case (.null, _): nullsFirst ? .ascending : .descending
        case (_, .null): nullsFirst ? .descending : .ascending
        default: isAscending ? Value.order(left, right) : Value.order(left, right).reversed
        }
    }
}

extension SortTerm: CustomStringConvertible {
    /// The term as text, such as `name DESC NULLS FIRST`.
    public var description: String {
        "\(column)" + (isAscending ? "" : " DESC") + (nullsFirst ? " NULLS FIRST" : "")
    }
}
