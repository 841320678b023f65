import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Patterns against SQLite's own `LIKE`, which shares no code with them.
struct LikeTests {
    /// 400 patterns on 50 texts each for every one of these: 100,000 pairs for each test.
    private static let seeds = 1...5 as ClosedRange<UInt64>

    /// Letters with and without case; the NUL character ends a text for SQLite.
    private static let letters = [
        "a", "A", "b", "ab", "%", "_", "\\", "!", "'", " ", "\n", "0", "日", "本", "😀", "\u{E9}", "e\u{301}",
        "ß", "Σ", "ς", "İ", "\u{7F}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}",
    ]
    /// Those that are the same in either case beyond ASCII, where SQLite knows no case.
    private static let caselessLetters = letters.filter { letter in
        letter.unicodeScalars.allSatisfy {
            $0.isASCII || $0.properties.lowercaseMapping == $0.properties.uppercaseMapping
        }
    }
    private static let escapes: [Unicode.Scalar?] = [nil, "\\", "!", "%", "_", "a", "日", "😀"]

    /// Texts, some of them made of the pattern's own parts so that many fit.
    private func text(_ pattern: String, _ letters: [String], _ random: inout SeededGenerator) -> String {
        guard !random.chance(3) else { return random.text(of: letters, upTo: 5) }
        var text = ""
        for scalar in pattern.unicodeScalars {
            switch (random.number(0..<8), scalar) {
            case (0, _): continue
            case (1, _): text += random.text(of: letters, upTo: 2)
            case (2...5, "%"): text += random.text(of: letters, upTo: 3)
            case (2...5, "_"): text += random.pick(letters)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private func compare(ignoresCase: Bool, letters: [String], seed: UInt64) throws {
        print("LIKE against SQLite's, ignoring case: \(ignoresCase), seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(path: ":memory:", isReader: false)
        try connection.execute("PRAGMA case_sensitive_like = \(ignoresCase ? "OFF" : "ON")")
        var (fitting, pairs) = (0, 0)
        for _ in 0..<400 {
            let pattern = random.text(of: letters + ["%", "_", "%", "_"], upTo: 6)
            let escape = random.pick(Self.escapes)
            let like = Where.LikePattern(pattern, escape: escape, ignoresCase: ignoresCase)
            for _ in 0..<50 {
                let text = text(pattern, letters, &random)
                let expected = try answer(text, like, connection)
                pairs += 1
                fitting += expected ? 1 : 0
                #expect(
                    like.matches(text) == expected,
                    "seed \(seed): \(text.debugDescription) LIKE \(pattern.debugDescription) ESCAPE \(escape?.description ?? "nothing"), ignoring case: \(ignoresCase)"
                )
            }
        }
        #expect(pairs == 20_000)
        // Neither answer is rare.
        #expect(fitting > pairs / 20 && fitting < pairs * 19 / 20, "seed \(seed): \(fitting) of \(pairs) fit")
    }

    /// What SQLite says.
    private func answer(_ text: String, _ like: Where.LikePattern, _ connection: Connection) throws -> Bool {
        let values = [Binding.text(text), .text(like.text)]
        let result =
            if let escape = like.escape {
                try connection.first("SELECT ? LIKE ? ESCAPE ?", values + [.text(String(escape))]) {
                    $0.integer(0)
                }
            } else { try connection.first("SELECT ? LIKE ?", values) { $0.integer(0) } }
        return try #require(result) == 1
    }

    @Test(arguments: seeds) func likeIsSQLites(seed: UInt64) throws {
        try compare(ignoresCase: false, letters: Self.letters, seed: seed)
    }

    @Test(arguments: seeds) func ilikeIsSQLitesWhereSQLiteKnowsTheCase(seed: UInt64) throws {
        try compare(ignoresCase: true, letters: Self.caselessLetters, seed: seed + 100)
    }
}
