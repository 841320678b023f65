import RemoteData
import Testing

/// The JSON grammar (RFC 8259), through the reading of single values.
@Suite struct JSONValueTests {
    private func value(_ json: String) -> Value? { Value(json: Array(json.utf8)[...]) }

    @Test(
        arguments: [
            ("null", Value.null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("42", 42),
            ("-1", -1),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", 0x1p63), ("-9223372036854775809", -0x1p63), ("1.0", 1.0), ("0.5", 0.5),
            ("1e2", 100.0), ("1E+2", 100.0), ("1e-2", 0.01), ("-1.5e1", -15.0), ("1e999", .double(.infinity)),
            ("123456789012345678901234567890", 123456789012345678901234567890.0), (" \t\r\n1 ", 1),
            (#""""#, ""),
            (#""a""#, "a"), ("[]", .json("[]")), ("{}", .json("{}")),
            ("[ 1 , \"a b\" ]", .json(#"[1,"a b"]"#)),
            ("{ \"a\" : [ { } ] }", .json(#"{"a":[{}]}"#)), (#"[" \" "]"#, .json(#"[" \" "]"#)),
        ] as [(String, Value)]
    )
    func readsValues(json: String, expected: Value) {
        #expect(value(json) == expected)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "tru", "+1", "01", "-", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 2",
        "NaN", "Infinity", "'a'",
        "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\u{1}\"", "\"\n\"", "[", "]", "[1",
        "[1,", "[1,]", "[,1]", "[1 2]",
        "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{\"a\" 1}",
        "{\"a\":1 \"b\":2}", "{1:2}",
        "[1]]", "{}}", "\u{FEFF}1", "1,", "// x\n1",
    ])
    func refusesWhatIsNotJSON(json: String) {
        #expect(value(json) == nil)
    }

    @Test(arguments: [
        (#""\" \\ \/ \b \f \n \r \t""#, "\" \\ / \u{8} \u{C} \n \r \t"), (#""\u0041\u00e9\u6771""#, "Aé東"),
        (#""\ud83d\ude00""#, "😀"), (#""a\uD83D\uDE00b""#, "a😀b"), (#""\u0000""#, "\0"), (#""é東😀""#, "é東😀"),
        (#""\ud83d""#, "\u{FFFD}"), (#""\ud83dx\ude00""#, "\u{FFFD}x\u{FFFD}"),
        (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\\u0041""#, #"\u0041"#),
    ])
    func decodesEscapes(json: String, expected: String) {
        #expect(value(json) == .text(expected))
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xFF], [0xFE],
        ] as [[UInt8]]
    )
    func refusesInvalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(Value(json: ([quote] + bytes + [quote])[...]) == nil)
        #expect(Value(json: ([quote] + bytes)[...]) == nil)
    }

    @Test func readsTheEdgesOfUTF8() {
        let scalars: [UInt32] = [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
        for scalar in scalars.compactMap({ Unicode.Scalar($0) }) {
            #expect(value("\"\(scalar)\"") == .text(String(scalar)))
        }
    }

    @Test func nestsToALimit() {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(value(nested(128)) != nil)
        #expect(value(nested(129)) == nil)
        #expect(value(String(repeating: "[", count: 1_000_000)) == nil)
        #expect(value(String(repeating: "{\"a\":", count: 1_000_000)) == nil)
    }

    @Test func everyByteCutOffIsNoticed() {
        let json = Array(#"{"a":[1.5e3,true,null,"\u00e9é😀"],"b":{"c":-0.5}}"#.utf8)
        #expect(Value(json: json[...]) != nil)
        for end in 0..<json.count { #expect(Value(json: json[..<end]) == nil) }
    }

    @Test func aSliceIsReadFromItsOwnStart() {
        let bytes = Array("xx[1, 2]yy".utf8)
        #expect(Value(json: bytes[2..<8]) == .json("[1,2]"))
    }

    @Test func writingAndReadingGivesTheSameValue() {
        var generator = WhereGenerator(seed: 5)
        for _ in 0..<3_000 {
            let value = generator.value()
            #expect(Value(json: value.json[...]) == value)
        }
        #expect(Value.double(.nan).json == Array("null".utf8))
    }

    @Test func controlCharactersAreEscapedWhenWritten() {
        for scalar in (0..<0x20 as Range<UInt32>).compactMap({ Unicode.Scalar($0) }) {
            let json = Value.text(String(scalar)).json
            #expect(json.allSatisfy { $0 >= 0x20 })
            #expect(Value(json: json[...]) == .text(String(scalar)))
        }
    }
}
