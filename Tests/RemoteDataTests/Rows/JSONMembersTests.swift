import RemoteDataTesting
import Testing

@testable import RemoteData

/// Members that are looked for in one pass, beside those that are read one by one.
@Suite(.timeLimit(.minutes(5))) struct JSONMembersTests {
    private static let words = ["type", "id", "a", "ab", "revision", "previousKey", "row"]
    private static let names = JSONMembers.Names(words)
    private static let row = 6

    private static func members(_ json: [UInt8]) throws(RemoteDataError) -> JSONMembers {
        var likely = LikelyRow(idColumn: "id")
        // It is read where it is among others.
        let memory = [UInt8](#"[{"id":"b"},"#.utf8) + json + [UInt8](#","c"}]"#.utf8)
        return try JSONMembers(names, of: memory, 12..<(12 + json.count), row: row, &likely)
    }

    /// What some members are, each by itself; nil where the text is not one object.
    private static func reference(_ json: [UInt8]) -> [Value?]? {
        guard let members = try? JSONObject.members(of: json[...]) else { return nil }
        return words.map { word in
            guard let last = members.last(where: { $0.name == word }) else { return Value?.none }
            let value = JSONObject.value(of: last.json)
            return value == .null ? Value?.none : value
        }
    }

    @Test func whatIsFoundIsWhatEachByItselfIs() throws {
        var random = SeededGenerator(seed: 27)
        var (readable, total) = (0, 0)
        for _ in 0..<Campaign.size(quick: 5_000) {
            var json = Array(Self.object(&random).utf8)
            // A byte that is missing, or another one.
            if random.number(0..<4) == 0, let place = json.indices.randomElement(using: &random) {
                json[place] = Array(#"{}[]",: 1nx\"#.utf8).randomElement(using: &random) ?? 0
            }
            total += 1
            let expected = Self.reference(json)
            let text = String(decoding: json, as: UTF8.self)
            guard let members = try? Self.members(json) else {
                #expect(expected == nil, "\(text)")
                continue
            }
            readable += 1
            let values = Self.words.indices.map { members[$0] }
            #expect(values == expected, "\(text)")
            for index in Self.words.indices {
                let value: Value? = members[json: index].map { JSONObject.value(of: $0) }
                #expect(value == expected?[index], "\(text)")
            }
        }
        #expect(readable > total / 2 && readable < total * 95 / 100)
    }

    /// An object as servers may write it: its members in any order, others among them, some twice.
    private static func object(_ random: inout SeededGenerator) -> String {
        func space() -> String {
            random.number(0..<6) == 0 ? [" ", "\n", "\t "][random.number(0..<3)] : ""
        }
        let values = [
            "1", "-12", "1.5", #""x""#, #""\u0061\n""#, #""é""#, "null", "true", "false", #"{"id":"a"}"#,
            "[1,2]",
            #"{"id":7,"n":[{}]}"#, "123456789012", #""""#,
        ]
        var names = words + ["other", #"\u0069d"#, "a"]
        if random.number(0..<2) == 0 { names.shuffle(using: &random) }
        let members = names.filter { _ in random.number(0..<3) > 0 }
            .map { name in
                let value = values[random.number(0..<values.count)]
                return #"\#(space())"\#(name)"\#(space()):\#(space())\#(value)\#(space())"#
            }
        return space() + "{" + members.joined(separator: ",") + space() + "}" + space()
    }

    @Test func theRowIsReadWithItsID() throws {
        let json = Array(#"{"type":"x", "row" : {"n":1,"id":"a"} ,"id":2}"#.utf8)
        let members = try Self.members(json)
        let row = try #require(members.row(Self.row, revision: Revision(3)))
        #expect(row.id == "a" && row.text == #"{"n":1,"id":"a"}"# && row.revision == Revision(3))
        #expect(try Self.members(Array(#"{"row":null}"#.utf8)).row(Self.row, revision: nil) == nil)
        #expect(try Self.members(Array(#"{"row":{"n":1}}"#.utf8)).row(Self.row, revision: nil) == nil)
        // The last one counts.
        let twice = #"{"row":{"id":"a"},"row":"b"}"#
        #expect(try Self.members(Array(twice.utf8)).row(Self.row, revision: nil) == nil)
    }

    @Test func whatIsWrongIsTold() {
        let texts = [
            "", "[]", "1", "{", #"{"type"}"#, #"{"type":}"#, #"{"type":1,}"#, #"{"type":1}}"#,
            #"{"type":01}"#,
        ]
        for text in texts {
            #expect(throws: RemoteDataError.self, "\(text)") { try Self.members(Array(text.utf8)) }
        }
    }
}
