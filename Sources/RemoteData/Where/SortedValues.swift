/// Many literals, of which one is looked for in O(log n).
struct SortedValues: Sendable {
    /// Fewer are as soon looked at one by one.
    private static let leastCount = 8

    /// In order; no null among them.
    private let values: [Value]
    private let hasNull: Bool

    /// Sorts a list; nil for one that is short, or has columns or what is not a number in it.
    init?(_ list: [Where.Operand]) {
        guard list.count >= Self.leastCount else { return nil }
        var values: [Value] = []
        var hasNull = false
        for operand in list {
            guard case .literal(let value) = operand else { return nil }
            switch value {
            case .null: hasNull = true
            case .double(let number) where number.isNaN: return nil
            default: values.append(value)
            }
        }
        self.values = values.sorted { Value.order($0, $1) == .ascending }
        self.hasNull = hasNull
    }

    /// Whether a value is one of them, as ``Where/isIn(_:_:)`` says.
    func truth(of value: Value) -> Truth {
        if value == .null { return .unknown }
        if case .double(let number) = value, number.isNaN { return .false }
        var range = values.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            switch Value.order(values[middle], value) {
            case .same: return .true
            case .ascending: range = (middle + 1)..<range.upperBound
            case .descending: range = range.lowerBound..<middle
            }
        }
        return hasNull ? .unknown : .false
    }
}
