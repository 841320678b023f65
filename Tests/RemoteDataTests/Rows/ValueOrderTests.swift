import RemoteData
import Testing

@Suite struct ValueOrderTests {
    /// From first to last; those in one list are the same.
    private static let ordered: [[Value]] = [
        [nil], [.double(-.infinity)], [.double(-.greatestFiniteMagnitude)], [.double((-0x1p63).nextDown)],
        [.integer(.min), -0x1p63], [.integer(.min + 1)], [.double((-0x1p63).nextUp)],
        [-9_007_199_254_740_993],
        [-9_007_199_254_740_992, -0x1p53], [-1.5], [-1, -1.0], [.double(-.leastNonzeroMagnitude)],
        [0, 0.0, -0.0, false], [.double(.leastNonzeroMagnitude)], [0.5], [1, 1.0, true], [1.5], [2],
        [9_007_199_254_740_991], [9_007_199_254_740_992, 0x1p53], [9_007_199_254_740_993],
        [.double((0x1p53).nextUp)],
        [.double((0x1p63).nextDown)], [.integer(.max - 1)], [.integer(.max)], [0x1p63],
        [.double(.greatestFiniteMagnitude)], [.double(.infinity)], [""], ["1"], ["A"], [.json("[1]"), "[1]"],
        ["a"], ["aa"], ["b"],
        ["e\u{301}"], ["\u{E9}"], ["\u{FFFD}"], ["😀"],
    ]

    @Test func valuesOrderAsListed() {
        for (first, left) in Self.ordered.enumerated() {
            for (second, right) in Self.ordered.enumerated() {
                let expected: Order = first < second ? .ascending : first > second ? .descending : .same
                for left in left {
                    for right in right { #expect(Value.order(left, right) == expected, "\(left) \(right)") }
                }
            }
        }
    }
}
