import RemoteData
import Testing

/// What a search costs is counted in states that are looked at, never in time.
@Suite struct RegexStepsTests {
    /// Patterns over which a backtracking search of as many scalars never ends.
    @Test(arguments: [
        ("(a*)*b", false), ("(a|a)*c", false), ("(a+)+$b", false), ("^(a?a?a?)*$b", false),
        ("(.*)(.*)(.*)x", false),
        ("(a|aa)+c", false), ("((a*)*)*b", false), ("(|a)*b", false), ("(?i)(A|a)*c", false),
        ("\\b(a*)*\\b\\d", false),
        ("(a*)*$", true), ("([a-z]+)*[^a]", false),
    ])
    func aHostilePatternTakesStepsForEachScalarAndStateAtMost(pattern: String, isFound: Bool) throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 100_000)
        let pattern = try Where.RegexPattern(pattern)
        var steps = 0
        #expect(pattern.matches(text.span, steps: &steps) == isFound)
        #expect(steps <= (text.count + 1) * pattern.stateCount)
        #expect(steps > 0)
    }

    @Test func optionalPartsBeforeAsManyNeededOnesTakeNoMore() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 500)
        let pattern = try Where.RegexPattern("^(a?){500}a{500}$")
        var steps = 0
        #expect(pattern.matches(text.span, steps: &steps))
        #expect(steps <= 501 * pattern.stateCount)
    }

    @Test func aSearchEndsWithTheFirstMatch() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 100_000)
        var steps = 0
        #expect(try Where.RegexPattern("a").matches(text.span, steps: &steps))
        #expect(steps < 10)
    }

    @Test func aPatternBoundToTheStartIsNotLookedForElsewhere() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 100_000)
        for pattern in ["^b", "^(ab|ac)", "\\Aaab"] {
            var steps = 0
            #expect(try !Where.RegexPattern(pattern).matches(text.span, steps: &steps))
            #expect(steps < 20, "\(pattern)")
        }
    }
}
