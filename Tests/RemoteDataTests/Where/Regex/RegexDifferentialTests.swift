import RemoteDataTesting
import Foundation
import RemoteData
import Testing

@Suite struct RegexDifferentialTests {
    @Test func agreesWithTheDefinitionOnGeneratedPatterns() async throws {
        var random = SeededGenerator(seed: 21)
        var found = 0
        let count = Campaign.size(quick: 10_000)
        for number in 0..<count {
            if number.isMultiple(of: 200) { await Task.yield() }
            let flags = RegexTree.Flags(
                ignoresCase: false,
                hasLines: random.chance(2),
                takesLineFeeds: random.chance(2)
            )
            let tree = RegexTree(&random)
            let pattern = try Where.RegexPattern(flags.text + tree.text)
            for _ in 0..<3 {
                let text = random.text(of: ["a", "b", "B", "é", "\n", ".", " "], upTo: 7)
                let expected = tree.isFound(in: Array(text.unicodeScalars), flags)
                if expected { found += 1 }
                #expect(pattern.matches(text) == expected, "'\(pattern.text)' in '\(text)'")
            }
        }
        // Both answers are common.
        #expect(found > count / 2 && found < count * 5 / 2)
    }

    @Test func agreesWithTheDefinitionWhereCaseIsIgnored() throws {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<Campaign.size(quick: 3_000) {
            let letters = (0..<random.number(1..<4)).map { _ in
                RegexTree.scalar(random.pick(["a", "B", "É", "\u{212A}", "k", "İ", "i", "Σ", "ς"]))
            }
            let tree = random.chance(2) ? RegexTree.sequence(letters) : .choice(letters)
            let flags = RegexTree.Flags(ignoresCase: true)
            let pattern = try Where.RegexPattern(flags.text + tree.text)
            let text = random.text(of: ["A", "b", "é", "K", "k", "İ", "I", "σ", "Σ"], upTo: 4)
            let expected = tree.isFound(in: Array(text.unicodeScalars), flags)
            #expect(pattern.matches(text) == expected, "'\(pattern.text)' in '\(text)'")
        }
    }

    /// Without line feeds, ICU means the same by all of this.
    @Test func agreesWithNSRegularExpression() async throws {
        var random = SeededGenerator(seed: 23)
        let count = Campaign.size(quick: 2_000)
        var compared = 0
        for number in 0..<count {
            if number.isMultiple(of: 200) { await Task.yield() }
            let tree = RegexTree(&random, ofLettersOnly: true)
            guard !tree.repeatsNothing else { continue }
            compared += 1
            let pattern = tree.text
            let other = try NSRegularExpression(pattern: pattern)
            let own = try Where.RegexPattern(pattern)
            for _ in 0..<3 {
                let text = random.text(of: ["a", "b", "c", ".", "_", " "], upTo: 8)
                let range = NSRange(location: 0, length: text.utf16.count)
                let expected = other.firstMatch(in: text, range: range) != nil
                #expect(own.matches(text) == expected, "'\(pattern)' in '\(text)'")
            }
        }
        #expect(compared > count / 2)
    }
}
