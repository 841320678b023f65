@testable import RemoteData
import Testing

/// The id of a row may lie in its JSON, or apart from it: nobody can tell.
@Suite struct RowIdentityTests {
    private static let ids: [RowID] = [
        "", "a", "b", "ab", "eightlet", "eightlets", "0", "1", "-1", "e\u{301}", "\u{E9}", "a\"b", "a\\b",
        "\n", "null",
        "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6F9619FF-8B86-D011-B42D-00CF4FC964FE",
        .text(String(repeating: "x", count: 65_535)), .text(String(repeating: "x", count: 65_536)),
        0, 1, -1, 10, 123_456_789_012_345_678, .integer(.min), .integer(.max),
    ]

    private static func escaped(_ text: String) -> String {
        text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A row with an id, in all ways of making it.
    private static func rows(_ id: RowID) throws -> [Row] {
        let value = String(decoding: id.value.json, as: UTF8.self)
        let json = #"{"n":17,"id":"# + value + #","s":"x"}"#
        var rows = [
            Row(id: id, json: bytes(json)[...]),
            Row(id: id, json: bytes("{}")[...]),
            Row(
                id: id,
                revision: nil,
                in: bytes(value + json + value),
                value.utf8.count..<(value + json).utf8.count
            ),
            Row(id: id, json: bytes("[" + json + "]").dropFirst().dropLast()),
            try Row.parse(bytes(json)[...], idColumn: "id"),
            try Row.parse(bytes("  " + json + " ").dropFirst(), idColumn: "id"),
        ]
        rows += try Page.parse(
            bytes("[" + Array(repeating: json, count: 3).joined(separator: " ,") + "]"),
            idColumn: "id"
        ).rows
        let frame = JSONMembers.Names(["row"])
        var likely = LikelyRow(idColumn: "id")
        for lead in ["", "", "{},"] {
            let memory = bytes(lead + #"{"a":1,"row":"# + json + "}")
            let part = lead.utf8.count..<memory.count
            let members = try JSONMembers(frame, of: memory, part, row: 0, &likely)
            rows.append(try #require(members.row(0, revision: nil)))
        }
        if case .text(let text) = id, text.utf8.count < 100 {
            let json = #"{"id":""# + escaped(text) + #""}"#
            rows.append(try Row.parse(bytes(json)[...], idColumn: "id"))
            rows += try Page.parse(bytes("[" + json + "," + json + "]"), idColumn: "id").rows
        }
        return rows + rows.map { $0.at(SortPlace(between: nil, and: nil)) }
    }

    @Test func aRowIsTheSameInMemoryOfItsOwn() throws {
        var moved = 0
        for id in Self.ids {
            for row in try Self.rows(id) {
                var other = row.at(Revision(7))
                other.takeMemory()
                #expect(other.id == id)
                #expect(other.idMark == id.mark)
                #expect(other.idBeginning == id.beginning)
                #expect(other.text == row.text)
                #expect(other.revision == Revision(7))
                #expect(other.place == row.place)
                if row.json.startIndex > row.json.count { #expect(other.json.startIndex == 0) }
                if row.json.startIndex > 0, other.json.startIndex == 0 { moved += 1 }
            }
        }
        #expect(moved > Self.ids.count)
    }

    @Test func whereAnIDLiesCannotBeTold() throws {
        for id in Self.ids {
            for row in try Self.rows(id) {
                #expect(row.id == id)
                #expect(row.idMark == id.mark)
                #expect(row.idBeginning == id.beginning)
            }
        }
    }

    @Test func rowsAreTheSameAndInOrderAsTheirIDsAre() throws {
        let rows = try Self.ids.map { (id: $0, rows: try Self.rows($0)) }
        for (id, own) in rows {
            for (other, others) in rows {
                let (same, order) = (id == other, Value.order(id.value, other.value))
                // Two long ones take long to compare.
                let isLong = min(id.description.utf8.count, other.description.utf8.count) > 1_000
                let compared = isLong ? others.prefix(3) : others[...]
                for row in own {
                    let isRight = compared.allSatisfy {
                        row.hasSameID(as: $0) == same && Row.orderOfIDs(row, $0) == order
                    }
                    #expect(isRight, "\(id) and \(other)")
                    #expect(row.has(other) == same)
                    #expect(Row.orderOfIDs(other, row) == Value.order(other.value, id.value))
                }
            }
        }
    }

    @Test func aPlaceAndARevisionLeaveTheRestAsItIs() throws {
        for id in Self.ids {
            for row in try Self.rows(id) {
                let place = SortPlace(between: nil, and: nil)
                var other = row.at(Revision(7)).at(place)
                #expect(other.id == id)
                #expect(other.json == row.json)
                #expect(other.revision == Revision(7))
                #expect(other.place == place)
                other.place = nil
                #expect(other == row.at(Revision(7)))
                #expect(other.hashValue == row.at(Revision(7)).hashValue)
                #expect(other != row)
                #expect(other.at(nil) == row)
            }
        }
    }

    /// Numbers that fit into a row, and numbers that do not.
    private static let numbers: [Int64] = [
        0, 1, 1 << 32 - 1, 1 << 32, 1_754_000_000_000, 1 << 48 - 2, 1 << 48 - 1, 1 << 48, .max, -1, .min,
    ]

    private static let revisions: [Revision?] =
        [nil]
        + numbers.flatMap { number in
            ([0, 1, 0x8000_0000, .max] as [UInt32]).map { Revision(number, epoch: Epoch(rawValue: $0)) }
        }

    @Test("A row keeps any revision and its epoch")
    func aRowKeepsAnyRevision() throws {
        let place = SortPlace(between: nil, and: nil)
        for id: RowID in ["a", "a\"b", -17, .text(String(repeating: "x", count: 32_768))] {
            // Comparing a long id takes long: each epoch once, with numbers that fit and with others.
            let step = id.description.utf8.count > 1_000 ? 9 : 1
            for row in try Self.rows(id) {
                for index in stride(from: 0, to: Self.revisions.count, by: step) {
                    let revision = Self.revisions[index]
                    let other = row.at(revision)
                    let others = [
                        other, other.at(place), row.at(place).at(revision), row.at(nil).at(revision),
                    ]
                    for found in others {
                        #expect(found.revision == revision)
                        #expect(found.id == id && found.idMark == id.mark && found.has(id))
                        #expect(found.hasSameID(as: row) && found.json == row.json)
                        #expect(found == other && found.hashValue == other.hashValue)
                    }
                    #expect(others[2].place == place)
                    let next = Self.revisions[(index + 1) % Self.revisions.count]
                    #expect(other != row.at(next) && other.at(next) == row.at(next))
                    #expect(other.at(nil) == row.at(nil))
                    var moved = other
                    moved.takeMemory()
                    #expect(moved == other && moved.revision == revision)
                }
            }
        }
    }

    @Test("Rows with ids of any length that a page may hold are read alike")
    func idsOfTheLongestLengths() throws {
        for count in [32_766, 32_767, 32_768, 65_536] {
            let id = RowID.text(String(repeating: "y", count: count))
            for row in try Self.rows(id) {
                #expect(row.id == id && row.idMark == id.mark && row.hasSameID(as: Row(id: id, json: [])))
            }
        }
    }

    @Test func aRowOfAPageSharesItsBytesAndTakesFortyOfItsOwn() throws {
        let json = #"{"id":"6F9619FF-8B86-D011-B42D-00CF4FC964FF","name":"Ada"}"#
        let page = Self.bytes("[" + Array(repeating: json, count: 3).joined(separator: ",") + "]")
        let rows = try Page.parse(page, idColumn: "id").rows
        for (number, row) in rows.enumerated() {
            #expect(row.json.startIndex == 1 + number * (json.utf8.count + 1))
            #expect(row.text == json)
        }
        #expect(MemoryLayout<Row>.stride == 40)
    }

    @Test func anIDThatIsKnownIsFoundInTheJSON() {
        let bytes = Self.bytes(#"{"n":-17,"id":"aab","m":17}"#)
        #expect(FoundID("aab", in: bytes.span, bytes.indices) == .text(15..<18))
        #expect(FoundID(-17, in: bytes.span, bytes.indices) == .integer(5..<8))
        #expect(FoundID(17, in: bytes.span, bytes.indices) == .integer(6..<8))
        #expect(FoundID(17, in: bytes.span, 9..<bytes.count) == .integer(24..<26))
        #expect(FoundID("aab", in: bytes.span, 0..<17) == .apart("aab"))
        #expect(FoundID("", in: bytes.span, 3..<5) == .text(3..<3))
        let long = RowID.text(String(repeating: "x", count: 65_536))
        let json = Self.bytes(#"{"id":""# + long.description + #""}"#)
        #expect(FoundID(long, in: json.span, json.indices) == .apart(long))
    }

    /// Looking for it takes no longer than reading the JSON, whatever somebody has written there.
    @Test(.timeLimit(.minutes(1))) func anIDThatTheJSONIsFullOfIsNotLookedForWithoutEnd() {
        let id = RowID.text(String(repeating: "a", count: 30_000) + "b")
        let json = Self.bytes(
            #"{"x":""# + String(repeating: "a", count: 8_000_000) + #"","id":""# + id.description + #""}"#
        )
        #expect(FoundID(id, in: json.span, json.indices) == .apart(id))
        #expect(Row(id: id, json: json[...]).has(id))
    }

    /// As many bytes as the id has are looked at in a JSON that has its first letter all over.
    @Test func anIDIsFoundWhereverItLies() {
        for count in 0..<20 {
            let letters = String(repeating: "a", count: count)
            let row = Row(id: "aab", json: Self.bytes(#"{"n":""# + letters + #"","id":"aab"}"#)[...])
            #expect(row.id == "aab")
            #expect(Row(id: "aab", json: Self.bytes(#"{"id":""# + letters)[...]).id == "aab")
        }
    }
}
