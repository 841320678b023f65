/// The elements that arrays are to have, made ready to be looked for in many.
package struct ElementMatcher: Sendable {
    /// What is looked for: ascending, nothing twice.
    private let values: [Value]
    private let areAllWanted: Bool
    /// Whether a value is wanted that nothing is the same as.
    private let isHopeless: Bool

    /// Sorts the values; O(n log n).
    package init(_ elements: Where.Elements) {
        let possible = elements.values.filter { Value.order($0, $0) == .same && $0 != .null }
        if case .all = elements { areAllWanted = true } else { areAllWanted = false }
        isHopeless = areAllWanted && possible.count < elements.values.count
        values = possible.sorted { Value.order($0, $1) == .ascending }.reduce(into: []) { values, value in
            if let last = values.last, Value.order(last, value) == .same { return }
            values.append(value)
        }
    }

    /// What the condition is for the value that starts at a position of valid JSON: unknown for null, false for what is no
    /// array.
    ///
    /// - Complexity: O(bytes of the array × log(values looked for)).
    package func truth(in bytes: borrowing Span<UInt8>, at start: Int) -> Truth {
        var position = start
        JSONScanner.skipSpace(bytes, &position)
        guard position < bytes.count, bytes[position] != UInt8(ascii: "n") else { return .unknown }
        guard bytes[position] == UInt8(ascii: "["), !isHopeless else { return .false }
        if areAllWanted, values.isEmpty { return .true }
        return Truth((try? fits(bytes, position)) ?? false)
    }

    private func fits(_ bytes: borrowing Span<UInt8>, _ start: Int) throws(JSONSyntaxError) -> Bool {
        var position = start
        var isFound = [Bool](repeating: false, count: values.count)
        var missing = areAllWanted ? values.count : 1
        var elements = try JSONScanner.Elements(bytes, &position, depth: 0)
        while try elements.next(bytes, &position) {
            let start = position
            try JSONScanner.skipValue(bytes, &position, depth: 1)
            guard let index = index(of: JSONObject.scalar(bytes, start..<position)), !isFound[index] else {
                continue
            }
            isFound[index] = true
            missing -= 1
            if missing == 0 { return true }
        }
        return false
    }

    /// Where a value is among those looked for, by bisection.
    private func index(of value: Value) -> Int? {
        var range = 0..<values.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            switch Value.order(value, values[middle]) {
            case .same: return middle
            case .ascending: range = range.lowerBound..<middle
            case .descending: range = middle + 1..<range.upperBound
            }
        }
        return nil
    }
}
