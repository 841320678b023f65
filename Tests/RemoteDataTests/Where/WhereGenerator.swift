import RemoteData

/// Makes random clauses of every form, with odd names and values among them.
struct WhereGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let names = [
        "a", "b", "name", "_x1", "größe", "東京", "e\u{301}", "\u{E9}", "a b", "a.b", "and", "NULL", "first",
        "contains", "MATCHES", "distance", "any", "All", "", "\"", "'", "5",
        "x\"\u{301}", "\u{301}", "\r\n", "K", "\u{212A}", "desc", "a\"\"b", "😀", "-- ",
    ]
    private static let pieces = [
        "a", "B", "'", "''", "\"", "%", "_", "!", "\\", " ", "\n", "\0", "é", "e\u{301}", "\u{301}", "😀", "(",
        ")", "NULL",
    ]
    private static let doubles = [
        .leastNonzeroMagnitude, 0.0, -0.0, 1.0, -1.0, 0.1, 1e16, 1e-7, .greatestFiniteMagnitude, 0x1p53,
        0x1p63, -0x1p63, .infinity,
        -.infinity, .pi, 100_000, 1e21, 123456.789,
    ]
    private static let integers: [Int64] = [0, 1, -1, 42, .max, .min, 1 << 53, (1 << 53) + 1]

    mutating func path() -> ColumnPath {
        ColumnPath(
            names: (0...(random.chance(3) ? random.number(0..<3) : 0)).map { _ in random.pick(Self.names) }
        )
    }

    mutating func value() -> Value {
        switch random.number(0..<6) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2:
            .integer(
                random.chance(2) ? random.pick(Self.integers) : .random(in: .min ... .max, using: &random)
            )
        case 3: .double(random.chance(2) ? random.pick(Self.doubles) : double())
        default: .text(random.text(of: Self.pieces, upTo: 5))
        }
    }

    private mutating func double() -> Double {
        let value = Double(bitPattern: random.next())
        return value.isNaN ? 0.5 : value
    }

    mutating func operand() -> Where.Operand { random.chance(2) ? .column(path()) : .literal(value()) }

    mutating func clause(depth: Int = 4) -> Where {
        if depth > 0, random.chance(2) {
            switch random.number(0..<3) {
            case 0: return .and((0..<random.number(2..<4)).map { _ in clause(depth: depth - 1) })
            case 1: return .or((0..<random.number(2..<4)).map { _ in clause(depth: depth - 1) })
            default: return .not(clause(depth: depth - 1))
            }
        }
        switch random.number(0..<10) {
        case 8: return .isAmong(operand(), subQuery(depth))
        case 0: return .like(operand(), pattern())
        case 1: return .isIn(operand(), (0..<random.number(0..<4)).map { _ in operand() })
        case 2: return .between(operand(), low: operand(), high: operand())
        case 3: return .isNull(operand())
        case 4: return .truth(operand())
        case 5: return .contains(operand(), elements())
        case 6: return .regex(operand(), regex())
        case 7: return distance()
        default: return .comparison(operand(), random.pick(Where.Comparison.allCases), operand())
        }
    }

    private mutating func subQuery(_ depth: Int) -> SubQuery {
        let table = random.text(of: Self.pieces, upTo: 3)
        return SubQuery(path(), from: table, where: depth > 0 ? clause(depth: depth - 1) : nil)
    }

    private mutating func elements() -> Where.Elements {
        let values = (0..<random.number(0..<4)).map { _ in value() }
        return random.chance(2) ? .any(values) : .all(values)
    }

    /// A regular expression that can be read: text of any kind, or one made of parts.
    private mutating func regex() -> Where.RegexPattern {
        let flags = random.pick(["", "", "(?i)", "(?ms)"])
        let text = random.chance(2) ? random.text(of: Self.pieces, upTo: 5) : RegexTree(&random).text
        for pattern in [flags + text, text] {
            if let pattern = try? Where.RegexPattern(pattern) { return pattern }
        }
        return regex()
    }

    private mutating func distance() -> Where {
        let latitude: Double = random.pick([0, -90, 51.5, .random(in: -90...90, using: &random)])
        let longitude: Double = random.pick([0, 180, -0.12, .random(in: -180...180, using: &random)])
        let metres = random.chance(2) ? random.pick(Self.doubles) : .random(in: 0...1e6, using: &random)
        let text =
            "distance(\(path()), \(path()), \(latitude), \(longitude))"
            + " \(random.pick(["<", "<=", ">", ">="])) \(Where.Operand.literal(.double(metres)))"
        return (try? Where(text)) ?? .truth(.literal(.text(text)))
    }

    private mutating func pattern() -> Where.LikePattern {
        let text = random.text(of: Self.pieces, upTo: 5)
        let escape: Unicode.Scalar? = random.chance(2) ? nil : random.pick(["!", "\\", "'", "%", "é"])
        guard let escape else { return Where.LikePattern(text, ignoresCase: random.chance(2)) }
        // Doubling every escape character keeps the last one from standing alone.
        let doubled = text.unicodeScalars.reduce(into: "") { text, scalar in
            text.unicodeScalars += scalar == escape ? [scalar, scalar] : [scalar]
        }
        return Where.LikePattern(doubled, escape: escape, ignoresCase: random.chance(2))
    }
}
