import RemoteData
import Testing

@Suite struct WhereFuzzTests {
    private static let parts = [
        "a", "b.c", "\"x y\"", "'", "\"", "(", ")", ",", "=", "<", ">", "!", "-", "+", ".", "5", "1e",
        "9223372036854775808",
        " ", " ", " ", "AND", "or", "Not", "IN", "LIKE", "ILIKE", "ESCAPE", "BETWEEN", "IS", "NULL", "TRUE",
        "CONTAINS", "SELECT", "(select a from", "WHERE", "any (", "ALL(", "MATCHES", "DISTANCE(", "90",
        "a, b,", "'(a'", "'[a]+'",
        "'x'", "'%'",
        "\u{301}", "é", "😀", "\0", "--", ";", "\n", "\u{FEFF}", "\u{202E}", "0", "E", "%", "_", "\\", "{",
        "]", "#",
    ]

    /// Reads the text; whatever it is, it reads back as itself or has an error inside the text.
    private func check(_ text: String, _ seed: Int) {
        do throws(RemoteDataError) {
            let clause = try Where(text)
            let again = try? Where(clause.description)
            #expect(again == clause, "seed \(seed): \(text)")
        } catch {
            #expect(error.code == .invalidClause)
            #expect((0...text.unicodeScalars.count).contains(error.position ?? -1), "seed \(seed): \(text)")
        }
    }

    @Test(arguments: 0..<10)
    func randomTextIsReadOrRefusedWithAPosition(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<1_000 { check(random.text(of: Self.parts, upTo: 20), seed) }
    }

    @Test(arguments: 0..<10)
    func randomScalarsAreReadOrRefusedWithAPosition(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let scalars = (0..<random.number(0..<12)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...(random.chance(3) ? 0x10FFFF : 0x7F), using: &random))
            }
            check(String(String.UnicodeScalarView(scalars)), seed)
        }
    }

    @Test(arguments: 0..<10)
    func damagedClausesAreReadOrRefusedWithAPosition(seed: Int) {
        var generator = WhereGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            var scalars = Array(generator.clause().description.unicodeScalars)
            for _ in 0..<generator.random.number(1..<4) {
                let place = generator.random.number(0..<(scalars.count + 1))
                switch generator.random.number(0..<3) {
                case 0:
                    scalars.removeSubrange(place..<min(scalars.count, place + generator.random.number(1..<5)))
                case 1:
                    scalars.insert(contentsOf: generator.random.pick(Self.parts).unicodeScalars, at: place)
                default: scalars.swapAt(place % scalars.count, generator.random.number(0..<scalars.count))
                }
                if scalars.isEmpty { scalars = ["a"] }
            }
            check(String(String.UnicodeScalarView(scalars)), seed)
        }
    }
}
