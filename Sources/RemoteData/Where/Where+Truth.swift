extension Where {
    /// What the clause is for a row.
    ///
    /// For many rows prepare a ``Matcher`` once: it spares the walk over the clause's columns.
    /// - Complexity: O(bytes of the row), in one pass however many columns the clause names.
    public func truth(of row: Row) -> Truth { Matcher(self).truth(of: row) }

    /// Whether the clause is true for a row; not when it is false or unknown.
    ///
    /// - Complexity: O(bytes of the row), in one pass however many columns the clause names.
    public func matches(_ row: Row) -> Bool { truth(of: row) == .true }
}

// The meaning of each condition, on values.
extension Where {
    /// Unknown when either is null, otherwise as ``Value/order(_:_:)`` says.
    static func compare(_ left: Value, _ comparison: Comparison, _ right: Value) -> Truth {
        if left == .null || right == .null { return .unknown }
        return Truth(comparison.holds(Value.order(left, right)))
    }

    /// True when any of the list is the same as the value; otherwise unknown when the value or any of the
    /// list is null; false for an empty list, even for null.
    static func isIn(_ value: Value, _ list: some Sequence<Value>) -> Truth {
        list.reduce(.false) { truth, candidate in truth.or(compare(value, .equal, candidate)) }
    }

    /// `low <= value AND value <= high`: false as soon as one side is, even when the other bound is null.
    static func isBetween(_ value: Value, _ low: Value, _ high: Value) -> Truth {
        compare(value, .greaterOrEqual, low).and(compare(value, .lessOrEqual, high))
    }

    /// Unknown for null, false for whatever else is not text (containers included).
    static func isLike(_ value: Value, _ pattern: LikeMatcher) -> Truth {
        switch value {
        case .null: .unknown
        case .text(let text): Truth(pattern.matches(text))
        default: .false
        }
    }

    /// Unknown for null, false for whatever else is not text (containers included).
    static func isFound(_ pattern: RegexPattern, in value: Value) -> Truth {
        switch value {
        case .null: .unknown
        case .text(let text): Truth(pattern.matches(text))
        default: .false
        }
    }

    /// A value as a condition: unknown for null, true for numbers other than zero, false for text and
    /// containers.
    static func isTrue(_ value: Value) -> Truth {
        switch value {
        case .null: .unknown
        case .bool(let value): Truth(value)
        case .integer(let value): Truth(value != 0)
        case .double(let value): Truth(value != 0)
        case .text, .json: .false
        }
    }
}
