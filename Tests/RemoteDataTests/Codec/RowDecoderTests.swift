import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData

/// What the decoder of rows makes of a row is what Foundation makes of it; what it is not sure of it leaves to Foundation.
@Suite(.timeLimit(.minutes(5))) struct RowDecoderTests {
    // MARK: Types

    private struct Plain: Codable, Equatable {
        enum CodingKeys: CodingKey { case a, b, c, d, e }

        var a: String
        var b: Int
        var c: Double?
        var d: Bool?
        var e: Int64?
    }

    private struct Widths: Codable, Equatable {
        var a: Int8?
        var b: UInt8?
        var c: Int16?
        var d: UInt32?
        var e: UInt64?
    }

    private struct Rich: Codable, Equatable {
        enum Kind: String, Codable { case abc, x = "" }
        struct Part: Codable, Equatable {
            var a: Int?
            var b: [String]?
        }

        var a: Kind?
        var b: Part?
        var c: [Part?]?
        var d: [String: Int]?
        var e: Date?
    }

    private struct Odd: Codable, Equatable {
        var a: Float?
        var b: URL?
        var c: Decimal?
        var d: Data?
        var e: UUID?
    }

    /// One that looks for itself.
    private struct Curious: Decodable, Equatable {
        enum Keys: String, CodingKey { case a, b, c, d, e }
        private struct AnyKey: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var words: [String] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            words.append(decoder.codingPath.map(\.stringValue).joined(separator: "."))
            words += try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted()
            for key in [Keys.a, .b] {
                if let number = try? container.decode(Int.self, forKey: key) {
                    words.append("\(number)")
                } else if let text = try? container.decode(String.self, forKey: key) {
                    words.append(text)
                } else if container.contains(key) {
                    words.append(try container.decodeNil(forKey: key) ? "null" : "something")
                }
            }
            if var list = try? container.nestedUnkeyedContainer(forKey: .c) {
                while !list.isAtEnd {
                    let index = list.currentIndex
                    if try list.decodeNil() {
                        words.append("nil \(index)")
                    } else if let inner = try? list.nestedContainer(keyedBy: Keys.self) {
                        words.append(inner.codingPath.map(\.stringValue).joined(separator: "."))
                    } else if let value = try? list.decode(Double.self) {
                        words.append("\(value)")
                    } else {
                        words.append(try list.decode(String.self))
                    }
                }
            }
            if let inner = try? container.nestedContainer(keyedBy: Keys.self, forKey: .d) {
                words += inner.allKeys.map(\.stringValue).sorted()
            }
            if container.contains(.e) {
                words.append(
                    try container.superDecoder(forKey: .e).singleValueContainer().decode(String.self)
                )
            }
        }
    }

    // MARK: Rows

    private struct Maker {
        var random: SeededGenerator
        /// What most often is in a column.
        var usual: [String: [String]] = [:]

        private static let plain = [
            #""""#, #""abc""#, #""é 😀""#, "0", "1", "-7", "42", "1.5", "-0.25", "0.1", "12345.678", "true",
            "false", "null",
            "1700000000000", #""2026-11-21T10:00:00.000Z""#,
        ]
        private static let odd = [
            "-0", "-0.0", "1.0", "5e0", "1e3", "1E-2", "127", "128", "-129", "255", "256", "65536",
            "4294967296", "9007199254740993",
            "9007199254740992.5", "123456789012345.6", "0.30000000000000004", "999999999999999999",
            "9223372036854775807",
            "9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
            "1e308", "1e309",
            "1e-400", "3.4e39", "0.1234567890123456789", "100000000000000000000", #""a\nb""#, #""\"\\\/""#,
            #""\u00e9""#, #""\ud83d\ude00""#,
            #""\ud83d""#, #""nul\u0000""#, #""5""#, #""true""#, #""aGVsbG8=""#, #""http://x.y/z?q=1""#,
            #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#,
            "[]", "{}", #"{"a":1,"b":["x","y"]}"#, #"{"a":null}"#, #"[null,{"a":2},{}]"#, #"["a",1]"#,
            #"{"x":1,"y":2}"#, #"{"x":1.5}"#,
            "[1,2.5,\"z\",null,{\"a\":1}]", #"{ "a" : 1 , "b" : [ ] }"#, #"{"a":1,"a":2}"#, "[[1],[2]]",
        ]
        private static let names = ["a", "b", "c", "d", "e"]
        private static let oddNames = [
            "", "é", "e\u{301}", #"\u0061"#, #"a\""#, "f", "long name of a column", "A",
        ]

        mutating func value(_ name: String = "") -> String {
            if let usual = usual[name], !random.chance(12) { return random.pick(usual) }
            return random.pick(random.chance(3) ? Self.odd : Self.plain)
        }

        mutating func row() -> String {
            var members = Self.names.filter { _ in !random.chance(8) }.map { "\"\($0)\":\(value($0))" }
            if random.chance(6) { members.append("\"\(random.pick(Self.oddNames))\":\(value())") }
            if random.chance(12) { members.append("\"\(random.pick(Self.names))\":\(value())") }
            if random.chance(3) { members.shuffle(using: &random) }
            let space = random.chance(5) ? " \n" : ""
            return "\(space){\(space)\(members.joined(separator: "\(space),\(space)"))\(space)}\(space)"
        }

        /// Some rows, many of them with the same members as the one before.
        mutating func rows(_ count: Int) -> [String] {
            var rows: [String] = []
            while rows.count < count {
                let row = row()
                rows += Array(repeating: row, count: min(count - rows.count, random.pick([1, 1, 2, 10])))
            }
            return rows
        }

        /// A row that nothing is odd about.
        mutating func plainRow() -> String {
            let text = random.pick([#""abc""#, #""é 😀""#, #""line\nbreak""#])
            return
                #"{"a":\#(text),"b":\#(random.number(0..<99)),"c":\#(random.pick(["1.5", "null", "7"])),"d":true,"x":[1]}"#
        }
    }

    private func decoder(_ dates: DateConvention) -> (RowDecoder, JSONDecoder) {
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = dates.decoding
        return (RowDecoder(foundation, dateScale: dates.scale), foundation)
    }

    /// How many rows of each kind are decoded: of fewer, too many may happen to be left to Foundation.
    private static let rowCount = max(1_000, Campaign.size(quick: 2_000))

    /// How many of many rows were decoded without Foundation, none otherwise than by it.
    private func agree<Element: Decodable & Equatable>(
        _ type: Element.Type,
        dates: DateConvention = .epochMilliseconds,
        _ usual: [String],
        seed: UInt64
    ) -> (decoded: Int, left: Int) {
        var (decoder, foundation) = decoder(dates)
        let words = usual.map { $0.split(separator: "|").map(String.init) }
        let names = zip(["a", "b", "c", "d", "e"], words)
        var maker = Maker(
            random: SeededGenerator(seed: seed),
            usual: Dictionary(uniqueKeysWithValues: names.map { ($0, $1) })
        )
        var (decoded, left) = (0, 0)
        // The same row comes several times in turn, and Foundation takes far longer.
        var last: (row: String, expected: Result<Element, any Error>)?
        var remaining = Self.rowCount
        while remaining > 0 {
            let rows = maker.rows(min(remaining, maker.random.number(1..<100)))
            remaining -= rows.count
            for (row, element) in zip(rows, decoder.elements(of: type, rows)) {
                if last?.row != row {
                    last = (row, Result { try foundation.decode(type, from: Data(row.utf8)) })
                }
                switch (element, last?.expected) {
                case (nil, .success?): left += 1
                case (nil, _): break
                case (let element?, .success(let expected)?):
                    decoded += 1
                    if element != expected { Issue.record("seed \(seed), \(type): \(row)") }
                case (_?, let other):
                    decoded += 1
                    Issue.record("seed \(seed), \(type): \(row): Foundation has \(other as Any)")
                }
            }
        }
        return (decoded, left)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>) func whatItDecodesFoundationDecodesAlike(seed: UInt64) {
        let plain = [
            #""abc"|""|"é 😀"|"a\nb"|"\u00e9"|"\ud83d""#, "0|-7|42|5e0|1.0|9223372036854775807",
            "1.5|0.1|7|1e3|-0", "true|null", "1|-5",
        ]
        let widths = [
            "1|127|128|-128", "0|255|256|-1", "-32768|5|70000", "4294967295|null|1.0",
            "18446744073709551615|7|1e3",
        ]
        let rich = [
            #""abc"|""|"y""#, #"{"a":1}|{"b":["x"]}|{ "a" : 1 , "b" : [ ] }|{"a":1,"a":2}"#,
            #"[null,{"a":2},{}]|[]|null"#,
            #"{"x":1,"y":2}|{}|{"x":1.5}|{"é":1}"#,
        ]
        let odd = [
            "1.5|0.1|3.4e39|7", #""http://x.y/z?q=1"|"é""#, "1.5|123456789012345678901234567890|0.1",
            #""aGVsbG8="|"-""#,
            #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F"|"e621e1f8-c36c-495a-93fc-0c247a3e6e5f"|"x""#,
        ]
        let curious = [
            #"1|"x"|null|[]"#, #"2|"y"|1.5"#, #"[1,2.5,"z",null,{"a":1}]|[]"#, #"{"a":1,"e":2}|{}"#,
        ]
        let (milliseconds, seconds, text) = (
            ["1700000000000|1.5|null"], ["1700000000.25|0"], [#""2026-11-21T10:00:00.000Z"|"no""#]
        )
        for (decoded, left) in [
            agree(Plain.self, plain, seed: seed), agree(Widths.self, widths, seed: seed),
            agree(Rich.self, rich + milliseconds, seed: seed),
            agree(Rich.self, dates: .iso8601, rich + text, seed: seed),
            agree(Rich.self, dates: .epochSeconds, rich + seconds, seed: seed),
            agree(Odd.self, odd, seed: seed),
            agree(Curious.self, curious, seed: seed),
        ] {
            // Otherwise nothing was compared, or nearly everything is left to Foundation.
            let isEnough = decoded > Self.rowCount / 20 && left < Self.rowCount / 2
            #expect(isEnough, "\(decoded) decoded, \(left) left")
        }
    }

    @Test func nothingThatIsPlainIsLeftToFoundation() throws {
        var (decoder, foundation) = decoder(.epochMilliseconds)
        var maker = Maker(random: SeededGenerator(seed: 9))
        for _ in 0..<500 {
            let json = Array(maker.plainRow().utf8)
            let element = decoder.decode(Plain.self, from: json[...])
            #expect(try element == foundation.decode(Plain.self, from: Data(json)))
        }
        // A part of other bytes, as rows are parts of pages.
        let page = Array(#"[{"a":"x","b":1},{"a":"y","b":2}]"#.utf8)
        #expect(decoder.decode(Plain.self, from: page[17...31])?.a == "y")
    }

    /// What is remembered of a row helps with the next one, and must not be taken for what that one has.
    @Test func eachRowIsDecodedAsItIsWhateverTheOneBeforeWas() throws {
        struct Near: Codable, Equatable {
            var a: Int?
            var ab: Int?
            var name: String?
            var abcdefgh: Int?
            var abcdefghi: Int?
            var part: [Int]?
        }
        let rows = [
            #"{"a":1,"ab":2,"name":"x","abcdefgh":3,"abcdefghi":4,"part":[5]}"#,
            #"{"a":6,"ab":7,"name":"y\n","abcdefgh":8,"abcdefghi":9,"part":[]}"#,
            #"{"ab":7,"name":"z","abcdefghi":9}"#, #"{}"#, #"{"a":1}"#, #"{"part":[1,2],"a":3}"#,
            #"{"name":"x","a":1,"ab":2}"#, #"{"name" : "x" , "a": 1,"ab" :2 }"#,
            #"{"a":1,"A":2,"ab":3,"b":{"a":4}}"#,
            #"{"abcdefghi":1,"abcdefgh":2}"#, #"{"a":null,"ab":2}"#, #"{"abc":1,"a":2}"#,
        ]
        var (decoder, foundation) = decoder(.epochMilliseconds)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<Campaign.size(quick: 5_000) {
            let json = Array(random.pick(rows).utf8)
            let element = decoder.decode(Near.self, from: json[...])
            #expect(try element == foundation.decode(Near.self, from: Data(json)))
        }
        // Behind what is remembered the text may end, or go wrong.
        let broken = [
            #"{"abc":1,"a":2"#, #"{"abc":1,"a":"#, #"{"abc":1,"#, #"{"abc":1 "a":2}"#, #"{"abc":1,"a":2]"#,
        ]
        for broken in broken {
            _ = decoder.decode(Near.self, from: Array(rows[11].utf8)[...])
            #expect(decoder.decode(Near.self, from: Array(broken.utf8)[...]) == nil, "\(broken)")
        }
    }

    @Test func anElementMayKeepItsDecoder() throws {
        struct Keeper: Decodable {
            let container: KeyedDecodingContainer<Plain.CodingKeys>
            let list: any UnkeyedDecodingContainer

            init(from decoder: any Decoder) throws {
                container = try decoder.container(keyedBy: Plain.CodingKeys.self)
                list = try container.nestedUnkeyedContainer(forKey: .c)
            }
        }
        var (decoder, _) = decoder(.epochMilliseconds)
        let rows = (0..<100).map { #"{"a":"\#($0)","b":\#($0),"c":[\#($0)]}"# }
        let keepers = decoder.apart(of: Keeper.self, rows).compactMap(\.self)
        #expect(keepers.count == 100)
        for (number, keeper) in keepers.enumerated() {
            var list = keeper.list
            #expect(try list.decode(Int.self) == number)
            #expect(try keeper.container.decode(Int.self, forKey: .b) == number)
        }
    }

    /// Looked through one by one, so many would take for ever.
    @Test func anObjectOfManyMembersIsLeftToFoundation() throws {
        var (decoder, foundation) = decoder(.epochMilliseconds)
        for count in [200, 256, 100_000] {
            let members = (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
            let json = Array("{\(members)}".utf8)
            let element = decoder.decode([String: Int].self, from: json[...])
            #expect((element == nil) == (count > 256))
            guard let element else { continue }
            #expect(try element == foundation.decode([String: Int].self, from: Data(json)))
        }
    }

    @Test func doublesAreTheNearestOnes() throws {
        var (decoder, _) = decoder(.epochMilliseconds)
        var random = SeededGenerator(seed: 4)
        var fast = 0
        for _ in 0..<Campaign.size(quick: 50_000) {
            let digits = String(Int64.random(in: 0...999_999_999_999_999, using: &random))
            let point = random.number(0..<(digits.count + 1))
            let whole = point == 0 ? "0" : String(digits.prefix(point))
            let text =
                (random.chance(2) ? "-" : "") + whole
                + (point < digits.count ? "." + digits.dropFirst(point) : "")
            let json = Array("{\"c\":\(text)}".utf8)
            guard let value = decoder.decode([String: Double].self, from: json[...])?["c"] else { continue }
            fast += 1
            #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
        #expect(fast > Campaign.size(quick: 50_000) / 2)
    }
}
