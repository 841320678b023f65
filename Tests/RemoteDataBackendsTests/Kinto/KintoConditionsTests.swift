import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

@Suite struct KintoConditionsTests {
    /// What is read back from the text is what was written, whatever it is.
    @Test func textIsReadBack() {
        let values: [Value] = [
            .null, true, false, 0, -7, 9_007_199_254_740_993, 2.5, -1e300, "", "a", "a,b", "\"", "\\u002c",
            "&=%+ ", "ä😀", "\u{301}",
        ]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var conditions = KintoConditions()
            for name in ["n", "in_stock", "größe", "a.b"] where random.number(0..<2) == 0 {
                conditions.add(KintoConditions(name, condition(values, &random)), sortsTextByBytes: true)
            }
            #expect(KintoConditions(conditions.text).text == conditions.text)
            #expect(KintoConditions(conditions.text).count == conditions.count)
        }
    }

    private func condition(_ values: [Value], _ random: inout SeededGenerator) -> KintoCondition {
        var condition = KintoCondition()
        func some() -> [Value] { (0...random.number(0..<3)).map { _ in random.pick(values) } }
        if random.number(0..<2) == 0 { condition.allowed = some() }
        if random.number(0..<2) == 0 { condition.lower = .init(value: random.pick(values), isIncluded: true) }
        if random.number(0..<2) == 0 {
            condition.upper = .init(value: random.pick(values), isIncluded: false)
        }
        if random.number(0..<2) == 0 { condition.excluded = some() }
        return condition
    }

    @Test func theInnerEndOfTwoStretchesCounts() {
        func lower(_ value: Value, _ isIncluded: Bool = true) -> KintoCondition {
            KintoCondition(lower: .init(value: value, isIncluded: isIncluded))
        }
        #expect(lower(1).and(lower(2), sortsTextByBytes: true) == lower(2))
        #expect(lower(2).and(lower(1), sortsTextByBytes: true) == lower(2))
        #expect(lower(2).and(lower(2, false), sortsTextByBytes: true) == lower(2, false))
        #expect(lower(2, false).and(lower(2), sortsTextByBytes: true) == lower(2, false))
        // Text, numbers, truth values: that is how Kinto sorts kinds.
        #expect(lower("z").and(lower(2), sortsTextByBytes: true) == lower(2))
        #expect(lower(false).and(lower(2), sortsTextByBytes: true) == lower(false))
        #expect(lower(.null).and(lower(""), sortsTextByBytes: true) == lower(""))
        // The empty text is the least of all in any order.
        #expect(lower("").and(lower("Z"), sortsTextByBytes: false) == lower("Z"))
        #expect(lower("Z").and(lower(""), sortsTextByBytes: false) == lower("Z"))
    }

    @Test func numbersAreNoTruthValues() {
        let both = KintoCondition.any(of: [1, true]).and(.any(of: [true]), sortsTextByBytes: true)
        #expect(both == .any(of: [true]))
        #expect(KintoCondition.any(of: [1]).and(.any(of: [true]), sortsTextByBytes: true).isNever)
        #expect(KintoCondition.any(of: [1]).and(.any(of: [1.0]), sortsTextByBytes: true) == .any(of: [1]))
    }
}
