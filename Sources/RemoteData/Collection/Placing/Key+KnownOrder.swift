extension Key {
    /// The order of two keys in any table; nil where that depends on how the table sorts text.
    static func knownOrder(_ left: Key, _ right: Key, sort: [SortTerm]) -> Order? {
        for (index, term) in sort.enumerated() where index < left.values.count && index < right.values.count {
            guard isKnown(left.values[index], right.values[index]) else { return nil }
            let order = term.order(left.values[index], right.values[index])
            if order != .same { return order }
        }
        return isKnown(left.id.value, right.id.value) ? Value.order(left.id.value, right.id.value) : nil
    }

    private static func isKnown(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.null, _), (_, .null): true
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.text, _), (_, .text), (.json, _), (_, .json): false
        default: true
        }
    }
}
