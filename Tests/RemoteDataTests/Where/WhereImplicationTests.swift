import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct WhereImplicationTests {
    @Test(arguments: [
        ("age > 20", "age > 10"), ("age > 20", "age >= 20"), ("age = 20", "age > 10"),
        ("age > 10 and age < 5", "name = 'x'"), ("10 < age", "age > 9.5"),
        ("age between 3 and 5", "age between 2 and 6"), ("age between 3 and 5", "age > 2 and not age > 5"),
        ("age not between 3 and 5", "age < 3 or age > 5"), ("age in (1, 2)", "age = 2 or age < 2"),
        ("age in (1, 2)", "age in (2, 3, 1)"), ("age not in (1, 2, 3)", "age <> 2"),
        ("age in (1, null)", "age = 1"),
        ("age not in (1, null)", "age = 7"), ("age = null", "age = 7"), ("age <> 3", "age is not null"),
        ("age < 3 or age > 5", "not age between 3 and 5"),
        ("not (age < 3 or age > 5)", "age between 3 and 5"),
        ("age > 3 and name = 'a'", "name = 'a'"), ("name = 'a'", "age > 3 or name = 'a'"),
        ("(a = 1 or a = 2) and b = 3", "a = 1 and b = 3 or a = 2"), ("a = 1", "a = 1 or b = 2"),
        ("a = 1 and b = 1 or a = 2 and b = 2", "a < 3 and b < 3"), ("a is null", "not a is not null"),
        ("name like 'Anna%'", "name like 'An%'"), ("name like 'An%'", "name >= 'An' and name < 'Ao'"),
        ("name = 'Anna'", "name like 'An%'"),
        ("name in ('Anna', 'Anton')", "name like 'A%a' or name like '%on'"),
        ("name like 'A%'", "name like '%'"), ("name like '%nna'", "name like '%na'"),
        ("name like 'A_c'", "name like 'A%'"),
        ("name like '%abc%'", "name like '%b%'"), ("name ilike 'AN%'", "name ilike 'a%'"),
        ("name like 'An%'", "name ilike 'aN%'"),
        ("name not like 'An%'", "name not like 'Anna%'"), ("name like 'An%'", "name is not null"),
        ("name like '%x'", "name >= ''"),
        ("name like 'a!%b' escape '!'", "name = 'a%b'"), ("active", "active <> 0"),
        ("not active", "active is not null"),
        ("active = true", "active"), ("active = 1", "active = true"), ("age > 20", "not age <= 20"),
        ("a < b", "b > a"), ("a < b", "a <= b and a <> b"), ("a = b", "a is not null and b is not null"),
        ("a <= b and a <> b", "a < b"),
        ("a < 5 and b > 7", "a < b"), ("a = 5 and b = 5", "a = b"), ("a < a", "b = 1"),
        ("a = a", "a is not null"),
        ("not a < b", "a >= b"), ("a in (b, 3)", "a is not null"), ("1 = 2", "a = 1"), ("a = 1", "2 > 1"),
        ("a.b > 2", "a.b > 1"), ("age > 9007199254740993", "age > 9007199254740992.0"),
        ("name > 'a'", "name > 5"),
        ("name like '\u{D7FF}%'", "name < '\u{E000}'"), ("age < 5", "age < 'a'"),
        ("tags contains 'a'", "tags contains 'a' or b = 1"),
        ("tags contains 'a' and b = 1", "tags contains 'a'"),
        ("tags not contains 'a'", "not tags contains 'a'"), ("tags not contains 'a'", "tags is not null"),
        ("tags contains 'a' and tags not contains 'a'", "b = 1"),
        ("not (not tags contains 1)", "tags contains 1"),
        ("name matches '^a'", "name is not null"), ("b = 1 and name not matches 'a'", "name not matches 'a'"),
        ("distance(a, b, 1, 2) <= 5", "distance(a, b, 1, 2) <= 5.0 and a is not null and b is not null"),
        ("not distance(a, b, 1, 2) < 5", "b is not null"), ("null contains 1", "b = 1"),
        ("'ab' matches 'c'", "b = 1"),
        ("name >= 'Ana' and name < 'Anb'", "name ilike 'an%'"),
    ])
    func isSeen(_ clause: String, _ other: String) throws {
        #expect(try Where(clause).implies(Where(other)))
    }

    @Test(arguments: [
        ("age > 10", "age > 20"), ("age >= 20", "age > 20"), ("age > 10", "name = 'a'"),
        ("age = 1 or age = 2", "age = 1"),
        // Null is neither, and what is not text is in front of all text.
        ("not age is null or age is null", "age = 1 or age <> 1"), ("name < 'b'", "name >= ''"),
        ("name <> 'a'", "name like '%'"),
        ("name >= '[' and name < '\\'", "name like '[%'"), ("name = '[]'", "name like '[%'"),
        ("name not like 'a%'", "name >= ''"),
        ("name like 'An%'", "name like 'Anna%'"), ("name ilike 'an%'", "name like 'an%'"),
        ("name like 'a%'", "name like 'a_%'"),
        ("active", "active = 1"), ("name", "name = 'x'"), ("a <= b", "a < b"), ("a <> 1", "a < 1"),
        ("a = 1", "a.b = 1"), ("tags contains 'a'", "tags contains 'b'"),
        ("tags contains any (1, 2)", "tags contains 1"),
        ("tags is not null", "tags contains 'a' or tags = 'x'"), ("name matches 'a'", "name matches 'b'"),
        ("not tags contains 'a' or tags is null", "tags not contains 'a'"),
        ("name matches 'a'", "name like 'a'"),
        ("distance(a, b, 1, 2) <= 5", "distance(a, b, 1, 2) < 5"),
        ("distance(a, b, 1, 2) <= 5", "distance(b, a, 1, 2) <= 5"),
        ("age not in (1, 2)", "age not in (1, 2, 3)"), ("a < b", "a < 5"), ("a not like 'x'", "a is null"),
    ])
    func isNotTrue(_ clause: String, _ other: String) throws {
        #expect(try !Where(clause).implies(Where(other)))
    }

    @Test func aLiteralThatIsNoNumberImpliesNothing() {
        let odd = Where.comparison(.column("a"), .less, .literal(.double(.nan)))
        #expect(!odd.implies(odd))
    }

    @Test func givesUpOnWhatTakesTooLong() throws {
        let choices = (0..<40).map { "(a\($0) = 1 or b\($0) = 1 or c\($0) = 1)" }.joined(separator: " and ")
        #expect(try !Where(choices).implies(Where("d = 1")))
        let many = (0..<3_000).map { "(a\($0) = 1 or b\($0) = 1)" }.joined(separator: " and ")
        #expect(try !Where(many).implies(Where("d = 1")))
        let long = (0..<2_000).map { "a = \($0)" }.joined(separator: " or ")
        #expect(try Where(long).implies(Where("a >= 0 and a < 2000")))
    }
}

/// Clauses over few columns and values, and rows that stand for all that matter to them.
private struct ImplicationGenerator {
    var random: SeededGenerator
    /// Whether every condition is one on a single column that a set of values says exactly.
    let isPlain: Bool

    static let literals: [Value] = [0, 1, 2, 1.5, "", "a", "ab", "b", "[1]", true, nil]
    /// All that can be told apart by comparing with the literals.
    static let contents = [
        "null", "-1", "0", "0.5", "1", "true", "1.2", "1.5", "1.7", "2", "3", #""""#, #""A""#, #""a""#,
        #""aa""#,
        #""ab""#, #""abc""#, #""b""#, #""ba""#, "[1]", #""[1]""#, "[2]", #"{"a":1}"#,
    ]

    private static let letter = try? Where.RegexPattern("^a")
    private static let place = try? GeoPoint(latitude: 1, longitude: 1)

    static let rows: [Row] = contents.flatMap { first in
        contents.map { second in
            Row(id: "x", json: Array(#"{"a":\#(first),"b":\#(second)}"#.utf8)[...])
        }
    }

    mutating func column() -> Where.Operand { .column(random.pick(["a", "b"])) }
    mutating func literal() -> Where.Operand { .literal(random.pick(Self.literals)) }
    mutating func operand() -> Where.Operand { !isPlain && random.chance(4) ? column() : literal() }

    mutating func clause(depth: Int) -> Where {
        if depth > 0, random.chance(2) {
            switch random.number(0..<5) {
            case 0, 1: return .and((0..<2).map { _ in clause(depth: depth - 1) })
            case 2, 3: return .or((0..<2).map { _ in clause(depth: depth - 1) })
            default: return .not(clause(depth: depth - 1))
            }
        }
        switch random.number(0..<8) {
        case 0: return .isNull(column())
        case 1: return .truth(column())
        case 2: return .isIn(column(), (0..<random.number(0..<4)).map { _ in operand() })
        case 3: return .between(column(), low: operand(), high: operand())
        case 4: return .like(column(), pattern())
        case 6 where !isPlain:
            return random.pick([
                .contains(column(), .any([random.pick(Self.literals)])), .contains(column(), .all([1])),
                Self.letter.map { .regex(column(), $0) } ?? .truth(column()),
                Self.place.map { .near(latitude: "a", longitude: "b", of: $0, within: 150_000) }
                    ?? .truth(column()),
            ])
        case 5 where !isPlain: return .comparison(literal(), random.pick(Where.Comparison.allCases), column())
        default: return .comparison(column(), random.pick(Where.Comparison.allCases), operand())
        }
    }

    mutating func pattern() -> Where.LikePattern {
        if isPlain { return Where.LikePattern(random.pick(["a%", "ab", "b%", "ab%"])) }
        let text = random.text(of: ["a", "A", "b", "%", "_", "[1]", "!"], upTo: 3)
        return Where.LikePattern(text, escape: random.chance(3) ? "!" : nil, ignoresCase: random.chance(3))
    }

    /// A clause and one that it has something to do with.
    mutating func pair() -> (Where, Where) {
        let clause = clause(depth: 2)
        switch random.number(0..<4) {
        case 0: return (.and([clause, self.clause(depth: 1)]), clause)
        case 1: return (clause, .or([self.clause(depth: 1), clause]))
        default: return (clause, self.clause(depth: 2))
        }
    }
}

@Suite struct WhereImplicationPropertyTests {
    /// The first row for which one clause is true and another is not.
    private func exception(_ clause: Where, _ other: Where, among rows: [Row]) -> Row? {
        let (first, second) = (Where.Matcher(clause), Where.Matcher(other))
        return rows.first { first.matches($0) && !second.matches($0) }
    }

    @Test func noRowIsEverAnException() async {
        var generator = ImplicationGenerator(random: SeededGenerator(seed: 1), isPlain: false)
        let count = Campaign.size(quick: 100_000)
        var seen = 0
        for number in 0..<count {
            if number.isMultiple(of: 1_000) { await Task.yield() }
            let (clause, other) = generator.pair()
            guard clause.implies(other) else { continue }
            seen += 1
            let rows = (0..<20).map { _ in generator.random.pick(ImplicationGenerator.rows) }
            if let row = exception(clause, other, among: rows) {
                Issue.record("\(clause) does not imply \(other): \(row.text)")
                return
            }
        }
        #expect(seen > count / 5 * 2)
    }

    @Test func isSeenWhereverEachConditionIsOnOneColumn() async {
        var generator = ImplicationGenerator(random: SeededGenerator(seed: 2), isPlain: true)
        for number in 0..<Campaign.size(quick: 2_000) {
            if number.isMultiple(of: 100) { await Task.yield() }
            let (clause, other) = generator.pair()
            let isSo = exception(clause, other, among: ImplicationGenerator.rows) == nil
            guard clause.implies(other) != isSo else { continue }
            Issue.record("\(clause) implies \(other): \(isSo)")
            return
        }
    }
}
