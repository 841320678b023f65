import RemoteData
import Testing

@Suite struct LikePatternTests {
    private func like(_ text: String, _ pattern: String, escape: Unicode.Scalar? = nil) -> Bool {
        Where.LikePattern(pattern, escape: escape).matches(text)
    }

    private func ilike(_ text: String, _ pattern: String) -> Bool {
        Where.LikePattern(pattern, ignoresCase: true).matches(text)
    }

    @Test func percentStandsForAnyRun() {
        #expect(like("", "%"))
        #expect(like("abc", "%"))
        #expect(like("abc", "a%"))
        #expect(like("abc", "%c"))
        #expect(like("abc", "%b%"))
        #expect(like("abc", "abc%"))
        #expect(!like("abc", "b%"))
        #expect(!like("abc", "%b"))
    }

    @Test func underscoreStandsForOneScalar() {
        #expect(like("abc", "a_c"))
        #expect(like("a😀c", "a_c"))
        #expect(like("e\u{301}", "__"))
        #expect(!like("e\u{301}", "_"))
        #expect(!like("ac", "a_c"))
        #expect(!like("", "_"))
    }

    @Test func aPatternFitsTheWholeText() {
        #expect(!like("abcd", "abc"))
        #expect(!like("abc", ""))
        #expect(like("", ""))
    }

    @Test func theEndsDoNotOverlap() {
        #expect(!like("aba", "ab%ba"))
        #expect(like("abba", "ab%ba"))
        #expect(!like("é", "_%_"))
    }

    @Test func anEscapedWildcardIsItself() {
        #expect(like("100%", "100!%", escape: "!"))
        #expect(!like("1000", "100!%", escape: "!"))
        #expect(like("a_b!", "a!_b!!", escape: "!"))
        #expect(like("x", "!x", escape: "!"))
    }

    @Test func theEscapeCharacterMayBeAWildcard() {
        #expect(like("a%b", "a%%b", escape: "%"))
        #expect(!like("axb", "a%%b", escape: "%"))
    }

    @Test func aPatternEndingInABareEscapeFitsNothing() {
        #expect(!like("a", "a!", escape: "!"))
        #expect(!like("a!", "a!", escape: "!"))
    }

    @Test func caseMattersUnlessIgnored() {
        #expect(!like("ABC", "abc"))
        #expect(ilike("ABC", "a_c"))
        #expect(ilike("straße ÄÖÜ", "STRAßE äöü"))
        #expect(ilike("ΣΊΣΥΦΟΣ", "σίσυφοσ"))
        #expect(!ilike("straße", "STRASSE"))
    }

    @Test func aScalarWithTwoLowercaseScalarsStaysOne() {
        #expect(ilike("İ", "_"))
        #expect(ilike("İ", "İ"))
        #expect(!ilike("İ", "i̇"))
    }

    @Test func composedAndDecomposedLettersDiffer() {
        #expect(!like("\u{E9}", "e\u{301}"))
        #expect(!like("e\u{301}", "%\u{E9}%"))
    }

    @Test func aHostilePatternTakesNoLongerThanTheTextTimesItself() {
        let text = String(repeating: "a", count: 20_000)
        #expect(!like(text, String(repeating: "%a", count: 5_000) + "%b"))
        #expect(!like(text, "%" + String(repeating: "a", count: 10_000) + "b%"))
        #expect(!like(text, String(repeating: "%_a", count: 50) + "%b_%"))
    }

    @Test func agreesWithTheDefinitionOnGeneratedPatterns() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let text = generator.text(of: ["a", "b", "A", "é"], upTo: 7)
            let pattern = generator.text(of: ["a", "b", "B", "é", "%", "_", "!"], upTo: 6)
            let isCaseBlind = Bool.random(using: &generator)
            let found = Where.LikePattern(pattern, escape: "!", ignoresCase: isCaseBlind).matches(text)
            let expected = Self.definition(
                Array((isCaseBlind ? text.lowercased() : text).unicodeScalars)[...],
                Array((isCaseBlind ? pattern.lowercased() : pattern).unicodeScalars)[...]
            )
            #expect(found == expected, "'\(text)' LIKE '\(pattern)'")
        }
    }

    @Test func findsEveryRepetitiveStretch() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<5_000 {
            let text = generator.text(of: ["a", "a", "b"], upTo: 14)
            let part = generator.text(of: ["a", "a", "b"], upTo: 6)
            #expect(like(text, "%\(part)%") == text.contains(part), "'\(text)' LIKE '%\(part)%'")
        }
    }

    /// LIKE with the escape character `!`, straight from its definition.
    private static func definition(
        _ text: ArraySlice<Unicode.Scalar>,
        _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case "%":
            return (0...text.count).contains { definition(text.dropFirst($0), pattern.dropFirst()) }
        case "_": return !text.isEmpty && definition(text.dropFirst(), pattern.dropFirst())
        case "!":
            guard let literal = pattern.dropFirst().first else { return false }
            return text.first == literal && definition(text.dropFirst(), pattern.dropFirst(2))
        default: return text.first == first && definition(text.dropFirst(), pattern.dropFirst())
        }
    }
}
