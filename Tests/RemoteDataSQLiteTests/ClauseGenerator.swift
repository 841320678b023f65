import RemoteData
import RemoteDataTesting

/// Makes rows, clauses, sort orders and keys that look for trouble; the same for the same seed.
struct ClauseGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let names = [
        "a", "b", "c", "d", "", "a.b", "a\"b", "a'b", "\u{E9}", "e\u{301}", "[0]", "$", "two words",
        "nul\u{0}",
        "back\\slash", "日本", "objectId", "line\nbreak", "#",
    ]

    private static let numbers = [
        "0", "-0", "-0.0", "0.0", "1", "1.0", "-1", "2", "10", "5", "5.5", "1e0", "1E2", "100", "0.1",
        "0.30000000000000004",
        "0.1234567890123456789", "9007199254740991", "9007199254740992", "9007199254740993",
        "9007199254740992.0",
        "9007199254740993.0", "9223372036854775807", "9223372036854775808", "9223372036854775806.0",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e999", "-1e999", "1e-400",
        "1e308",
        "123456789012345678901234567890", "1e19", "-1.5e-7", "3.141592653589793238462643383279",
    ]

    private static let texts = [
        #""""#, #""a""#, #""A""#, #""abc""#, #""aBC""#, #""5""#, #""1""#, #""0""#, #""é""#, #""e\u0301""#,
        #""\u00E9""#,
        #""ß""#, #""İi""#, #""ẞSS""#, #""a%b""#, #""a_b""#, #""a'b""#, #""a\"b""#, #""back\\slash""#,
        #""a\/b""#,
        #""nul\u0000end""#, #""\ud83d\ude00""#, #""😀""#, #""\ud83d""#, #""日本語""#, #""\n""#, #"" ""#,
        #""null""#, #""true""#,
        #""[1,2]""#, #""{\"a\":1}""#, #""Σς""#, #""zzzz""#, #""ab""#, #""abcabc""#, #""\uffff""#,
        #""\udbff\udfff""#,
    ]

    private static let containers = [
        "[]", "{}", "[1,2]", "[ 1 , 2 ]", #"{"a":1}"#, #"{ "a" : 1 , "b" : [ "x y" ] }"#,
        #"[" spaced ",{"b":null}]"#,
        "[true]", #"{"a":"\u00e9"}"#, "[1.0,\"a\",null]", #"["\u00e9",0,"abc"]"#,
    ]

    // MARK: Rows

    mutating func rows(_ count: Int) -> [Row] { (0..<count).map { row(number: $0) } }

    mutating func row(number: Int) -> Row {
        let id: RowID =
            random.chance(4) ? .integer(Int64(number) - 5) : .text("r\(number * 7919 % 1_000)-\(number)")
        var members = [(name: "objectId", value: String(decoding: id.value.json, as: UTF8.self))]
        for name in Self.names where name != "objectId" && !random.chance(3) {
            members.append((name, value(depth: 0)))
            // Of a name given twice the first one counts.
            if random.chance(20) { members.append((name, value(depth: 0))) }
        }
        members.append(("o", random.chance(4) ? value(depth: 0) : object(depth: 0)))
        members.shuffle(using: &random)
        let space = random.chance(3) ? " " : ""
        let text = members.map { "\(space)\(spelled($0.name))\(space):\(space)\($0.value)\(space)" }
        return Row(id: id, json: Array("{\(text.joined(separator: ","))}".utf8)[...])
    }

    private mutating func object(depth: Int) -> String {
        let names = ["a", "b", "", "o", "é"].filter { _ in !random.chance(3) }
        let members = names.map { name in
            spelled(name) + ":"
                + (name == "o" && depth < 3 ? object(depth: depth + 1) : value(depth: depth + 1))
        }
        return "{" + members.joined(separator: random.chance(2) ? "," : " , ") + "}"
    }

    private mutating func value(depth: Int) -> String {
        switch random.number(0..<10) {
        case 0: "null"
        case 1: random.pick(["true", "false"])
        case 2: random.pick(Self.containers)
        case 3...5: random.pick(Self.numbers)
        default: random.pick(Self.texts)
        }
    }

    /// A name as JSON, some of its letters escaped though they need not be.
    private mutating func spelled(_ name: String) -> String {
        guard random.chance(4) else { return String(decoding: Value.text(name).json, as: UTF8.self) }
        let units = name.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + units.joined() + "\""
    }

    // MARK: Clauses

    mutating func clause(depth: Int = 4) -> Where {
        switch random.number(0..<(depth > 0 ? 13 : 9)) {
        case 0, 1:
            return .comparison(operand(), random.pick(Where.Comparison.allCases), operand())
        case 2: return .like(operand(), pattern())
        case 3:
            let list = (0..<random.number(0..<5)).map { _ in operand() }
            return .isIn(operand(), list)
        case 4: return .between(operand(), low: operand(), high: operand())
        case 5: return random.chance(2) ? .isNull(operand()) : .truth(operand())
        case 6: return .contains(operand(), elements())
        case 7: return regex().map { .regex(operand(), $0) } ?? .truth(operand())
        case 8: return distance()
        case 9, 10: return .and(parts(depth))
        case 11: return .or(parts(depth))
        default: return .not(clause(depth: depth - 1))
        }
    }

    private mutating func elements() -> Where.Elements {
        let values = (0..<random.number(0..<4)).map { _ in literal() }
        return random.chance(3) ? .all(values) : .any(values)
    }

    private mutating func regex() -> Where.RegexPattern? {
        let parts = [
            "a", "b", "A", "[a-z]", "[^a]", ".", "^", "$", "\\b", "(b|c)+", "\\d", "\\W*", "é", "e\u{301}",
            "😀", "日", "'",
            "\u{0}", "5?", "\\x{0}",
        ]
        return try? Where.RegexPattern(random.pick(["", "(?i)", "(?s)"]) + random.text(of: parts, upTo: 4))
    }

    private mutating func distance() -> Where {
        let numbers = ["0", "1", "2", "10", "5.5", "-1", "90", "-90"]
        let columns = "\(column()), \(random.chance(3) ? column() : "b")"
        let metres = random.pick(["0", "1", "111195.08", "160000", "700000", "2e7", "-1", "1e999"])
        let text = "distance(\(columns), \(random.pick(numbers)), \(random.pick(numbers)))"
        return (try? Where(text + " \(random.pick(["<", "<=", ">", ">="])) \(metres)")) ?? .truth(operand())
    }

    private mutating func parts(_ depth: Int) -> [Where] {
        (0..<random.number(2..<4)).map { _ in clause(depth: depth - 1) }
    }

    private mutating func operand() -> Where.Operand {
        random.number(0..<5) < 3 ? .column(column()) : .literal(literal())
    }

    mutating func column() -> ColumnPath {
        switch random.number(0..<10) {
        case 0: ColumnPath("missing")
        case 1:
            ColumnPath(
                names: ["o"] + (random.chance(2) ? ["o"] : []) + [
                    random.pick(["a", "b", "", "é", "e\u{301}"])
                ]
            )
        case 2: ColumnPath(names: ["a", "b"])
        default: ColumnPath(random.pick(Self.names + ["a", "b", "c", "o"]))
        }
    }

    /// Any value but a container, which a clause cannot hold.
    mutating func literal() -> Value {
        guard let value = Value(json: Array(value(depth: 0).utf8)[...]) else { return .null }
        guard case .json(let text) = value else { return value }
        return .text(text)
    }

    private mutating func pattern() -> Where.LikePattern {
        let parts = [
            "%", "_", "a", "A", "b", "bc", "\u{E9}", "e\u{301}", "\\", "!", "ß", "S", "日", "'", "\"", "😀",
            "i", "\u{0}", "5",
            "\u{D7FF}", "\u{10FFFF}",
        ]
        let escapes: [Unicode.Scalar?] = [nil, nil, "\\", "!", "%", "_", "a"]
        let text = random.text(of: parts, upTo: 5)
        return Where.LikePattern(text, escape: random.pick(escapes), ignoresCase: random.chance(2))
    }

    // MARK: Orders

    mutating func sort(upTo count: Int = 3) -> [SortTerm] {
        (0..<random.number(0..<(count + 1))).map { _ in
            SortTerm(column(), ascending: random.chance(2), nullsFirst: random.chance(2))
        }
    }

    /// A key that may or may not belong to a row.
    mutating func key(_ sort: [SortTerm], of rows: [Row]) -> Key {
        let near = Key(random.pick(rows), sort: sort)
        if random.chance(3) { return near }
        let values = near.values.map { random.chance(2) ? $0 : literal() }
        return Key(values: values, id: random.chance(2) ? near.id : .text("r5"))
    }
}
