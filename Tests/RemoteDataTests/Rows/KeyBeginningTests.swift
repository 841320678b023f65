import RemoteDataTesting
import Testing

@testable import RemoteData

/// The numbers that keys are told apart by.
struct KeyBeginningTests {
    private static let values: [Value] = [
        .null, false, true, 0, 1, -1, 1.0, 0.5, -0.5, .double(-0.0), .integer(.max), .integer(.min), 0x1p63,
        -0x1p63,
        9_007_199_254_740_993, 9_007_199_254_740_992.0, .double(.infinity), .double(-.infinity),
        .double(.leastNonzeroMagnitude), "",
        "a", "b", "a\0", "abcdefgh", "abcdefghi", "é", "\u{10FFFF}", .json("[1]"), .json("{}"),
    ]

    @Test(arguments: [true, false], [true, false])
    func valuesOfDifferentNumbersAreInTheOrderOfThose(ascending: Bool, nullsFirst: Bool) {
        let term = SortTerm("v", ascending: ascending, nullsFirst: nullsFirst)
        for left in Self.values {
            for right in Self.values {
                let (first, second) = (term.beginning(of: left), term.beginning(of: right))
                if first < second { #expect(term.order(left, right) == .ascending, "\(left) and \(right)") }
                if first > second { #expect(term.order(left, right) == .descending, "\(left) and \(right)") }
            }
        }
    }

    @Test func differentNumbersMakeDifferentBeginnings() {
        let term = SortTerm("v")
        let dates = (0..<1_000).map { term.beginning(of: .integer(1_700_000_000_000 + $0)) }
        #expect(Set(dates).count == 1_000)
        #expect(dates == dates.sorted())
    }

    @Test func aKeyBeginsWithItsFirstValueOrItsID() {
        let sort = [SortTerm("v"), SortTerm("w")]
        let row = Row(id: 7, json: Array(#"{"v":3,"w":4}"#.utf8)[...])
        #expect(Key(row, sort: sort).beginning(sort: sort) == sort[0].beginning(of: 3))
        #expect(Key.beginning(of: row, sort: sort) == sort[0].beginning(of: 3))
        #expect(Key.beginning(of: row, sort: []) == SortTerm("id").beginning(of: 7))
        #expect(Key(row, sort: []).beginning(sort: []) == Key.beginning(of: row, sort: []))
    }
}
