import Foundation
import Testing

@testable import live_table

struct JSONReaderTests {
    private func value(_ text: String) throws -> JSONValue {
        try #require(try JSONReader.values(in: text.utf8).first)
    }

    @Test func membersKeepTheirOrder() throws {
        #expect(try value(#"{"z":1,"a":{"y":2,"b":3},"m":[]}"#).json == #"{"z":1,"a":{"y":2,"b":3},"m":[]}"#)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0", "-1"])
    func wholeNumbersKeepAllDigits(text: String) throws {
        #expect(try value(text) == .integer(try #require(Int64(text))))
        #expect(try value(text).json == text)
    }

    @Test(
        "Whole numbers beyond 64 bits keep their digits",
        arguments: [
            "9223372036854775808", "18446744073709551616", "-123456789012345678901234567890",
            "10000000000000000000000", "12345678901234567890123456789012345678",
        ]
    )
    func largeWholeNumbers(text: String) throws {
        #expect(try value(text).json == text)
        let row = try JSONDecoder().decode(LiveRow.self, from: Data(#"{"n":\#(text)}"#.utf8))
        #expect(row.value.json == #"{"n":\#(text)}"#)
        #expect(String(decoding: try JSONEncoder().encode(row), as: UTF8.self) == #"{"n":\#(text)}"#)
    }

    @Test("Whole numbers whose digits would not all be kept are refused")
    func tooManyDigits() {
        let text = String(repeating: "1", count: 39)
        #expect(throws: JSONReader.Problem.self) { try value(text) }
        #expect(throws: JSONReader.Problem.self) { try value("-" + text) }
    }

    @Test(arguments: [("1.5e3", 1500.0), ("-0.25", -0.25), ("1e300", 1e300)])
    func otherNumbersAreDoubles(text: String, number: Double) throws {
        #expect(try value(text) == .double(number))
    }

    @Test func escapesStandForTheirCharacters() throws {
        #expect(try value(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == .text("\"\\/\u{8}\u{C}\n\r\té😀"))
    }

    @Test func theLastOfEqualNamesCounts() throws {
        #expect(try value(#"{"a":1,"b":2,"a":3}"#).json == #"{"a":3,"b":2}"#)
    }

    @Test func valuesMayFollowOneAnother() throws {
        #expect(try JSONReader.values(in: "{\"a\":1}\n{\"a\":2}\r\n [3] ".utf8).count == 3)
        #expect(try JSONReader.values(in: "  ".utf8).isEmpty)
    }

    @Test(arguments: [
        (#"{"a":1,}"#, 7), (#"{"a" 1}"#, 5), ("[1 2]", 3), ("01", 0), ("1.", 2), ("-", 0), ("tru", 0),
        (#""abc"#, 4),
        (#""\x""#, 3), (#""\ud83d""#, 7), ("\"a\nb\"", 2), ("nan", 0), ("1e999", 5), ("{", 1),
    ])
    func whatIsWrongHasAPosition(text: String, position: Int) throws {
        let problem = try #require(throws: JSONReader.Problem.self) { try JSONReader.values(in: text.utf8) }
        #expect(problem.position == position)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: JSONReader.Problem.self) { try JSONReader.values(in: [0x22, 0xFF, 0x22]) }
    }

    @Test func nestingHasALimit() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONReader.Problem.self) { try JSONReader.values(in: text.utf8) }
    }
}
