import Foundation
import Testing

@testable import RemoteData

@Suite struct ElementCodecTests {
    private struct Plain: Codable, Identifiable, Hashable { var id: String?; var name: String; var age: Int? }

    private struct Keyed: Codable, Identifiable, Hashable {
        var id: UUID
        var name: String
        enum CodingKeys: String, CodingKey { case id = "objectId", name }
    }

    private struct Numbered: Codable, Identifiable, Hashable { var id: Int32; var name: String }

    private struct Named: Codable, Identifiable, Hashable {
        var objectId: String?
        var name: String
        var id: String? { objectId }
    }

    private struct Computed: Codable, Identifiable, Hashable {
        var iata: String
        var id: String { iata }
    }

    private struct Code: RawRepresentable, Hashable, Codable { var rawValue: String }

    private struct Coded: Codable, Identifiable, Hashable { var id: Code; var name: String }

    private struct Nested: Codable, Identifiable, Hashable {
        struct Address: Codable, Hashable {
            var street: String; var city: String; var zip: Int?; var tags: [String: Int]
        }
        var id: String
        var address: Address?
        var note: String?
    }

    private struct Dated: Codable, Identifiable, Hashable { var id: String; var at: Date? }

    private func codec<Element>(
        _ type: Element.Type,
        idColumn: String = "objectId",
        dates: DateConvention = .epochMilliseconds
    ) -> ElementCodec<Element> { ElementCodec(idColumn: idColumn, dates: dates) }

    private func row(_ json: String, idColumn: String = "objectId") throws -> Row {
        try Row.parse(Array(json.utf8)[...], idColumn: idColumn)
    }

    private func text(_ json: ArraySlice<UInt8>) -> String { String(decoding: json, as: UTF8.self) }

    // MARK: Decoding

    @Test func readsTheIDColumnAsID() throws {
        let codec = codec(Plain.self)
        let person = try codec.decode(row(#"{"objectId":"a","name":"Ann","age":3}"#))
        #expect(person == Plain(id: "a", name: "Ann", age: 3))
        #expect(
            try codec.decode(row(#"{"name":"Bo","age":null,"objectId":"b"}"#)) == Plain(id: "b", name: "Bo")
        )
    }

    @Test func readsAnIDByItsCodingKey() throws {
        let id = UUID()
        let row = try row(#"{"objectId":"\#(id.uuidString)","name":"Ann"}"#)
        #expect(try codec(Keyed.self).decode(row) == Keyed(id: id, name: "Ann"))
    }

    @Test func readsAUUIDInLowerCase() throws {
        let id = UUID()
        let row = try row(#"{"objectId":"\#(id.uuidString.lowercased())","name":"Ann"}"#)
        #expect(try codec(Keyed.self).decode(row) == Keyed(id: id, name: "Ann"))
    }

    @Test func readsIDsOfIntegersAndRawValues() throws {
        #expect(
            try codec(Numbered.self).decode(row(#"{"objectId":7,"name":"x"}"#)) == Numbered(id: 7, name: "x")
        )
        let coded = try codec(Coded.self).decode(row(#"{"objectId":"k","name":"x"}"#))
        #expect(coded == Coded(id: Code(rawValue: "k"), name: "x"))
    }

    @Test func readsAnIDThatIsComputed() throws {
        #expect(
            try codec(Named.self).decode(row(#"{"objectId":"a","name":"x"}"#))
                == Named(objectId: "a", name: "x")
        )
        let row = try row(#"{"iata":"ZRH"}"#, idColumn: "iata")
        #expect(try codec(Computed.self, idColumn: "iata").decode(row).id == "ZRH")
    }

    @Test func refusesAnIDThatIsNotTheTables() throws {
        let row = try row(#"{"objectId":"1","iata":"ZRH"}"#)
        #expect { try codec(Computed.self).decode(row) } throws: { error in
            let error = error as? RemoteDataError
            return error?.code == .invalidRow && error?.message.contains("objectId") ?? false
        }
    }

    @Test func namesTheRowAndTheKeyThatDoNotDecode() throws {
        let codec = codec(Numbered.self)
        let cases = [
            (#"{"objectId":7}"#, "name is missing"),
            (#"{"objectId":7,"name":null}"#, "name is null"),
            (#"{"objectId":7,"name":1}"#, "name is no String"),
        ]
        for (json, problem) in cases {
            #expect { try codec.decode(row(json)) } throws: { error in
                let message = (error as? RemoteDataError)?.message ?? ""
                return message.contains("Row 7") && message.contains(problem)
            }
        }
        #expect { try codec.decode(row(#"{"objectId":"x","name":"n"}"#)) } throws: { error in
            (error as? RemoteDataError)?.message.contains("id is no Int32") ?? false
        }
    }

    @Test func oneRowThatDoesNotDecodeLeavesTheOthersOfItsChunk() throws {
        let rows = try [
            #"{"objectId":"a","name":"x"}"#, #"{"objectId":"b"}"#, #"{"objectId":"c","name":"z"}"#,
        ]
        .map { try row($0) }
        let codec = codec(Plain.self)
        for _ in 0..<2 {
            let chunk = codec.decode(rows)
            #expect(chunk.elements.map(\.name) == ["x", "z"])
            #expect(chunk.failures.keys.sorted() == [1])
            #expect(try chunk.element(at: 2).name == "z")
            #expect(throws: RemoteDataError.self) { try chunk.element(at: 1) }
        }
    }

    @Test func aColumnCalledIDStaysWhereItIsNotTheTablesID() throws {
        struct Ticket: Codable, Identifiable, Hashable {
            var objectId: String; var number: Int; var id: String { objectId }
        }
        let row = try row(#"{"objectId":"a","id":"other","number":1}"#)
        let codec = codec(Ticket.self)
        let ticket = try codec.decode(row)
        #expect(ticket == Ticket(objectId: "a", number: 1))
        #expect(try text(codec.encode(ticket).json) == #"{"number":1,"objectId":"a"}"#)
    }

    // MARK: Encoding

    @Test func writesTheIDUnderTheTablesName() throws {
        let draft = try codec(Plain.self).encode(Plain(id: "a", name: "Ann"))
        #expect(draft.id == "a")
        let row = Row(id: "a", json: draft.json)
        #expect(row["objectId"] == "a")
        #expect(row["id"] == .null)
    }

    @Test(arguments: [nil, ""]) func leavesTheIDToTheTable(id: String?) throws {
        let draft = try codec(Plain.self).encode(Plain(id: id, name: "Ann"))
        #expect(draft.id == nil)
        #expect(text(draft.json) == #"{"name":"Ann"}"#)
    }

    @Test func writesIDsOfEveryKind() throws {
        let id = UUID()
        #expect(try codec(Keyed.self).encode(Keyed(id: id, name: "x")).id == .text(id.uuidString))
        #expect(try codec(Numbered.self).encode(Numbered(id: -3, name: "x")).id == -3)
        #expect(try codec(Coded.self).encode(Coded(id: Code(rawValue: "k"), name: "x")).id == "k")
        #expect(try codec(Computed.self, idColumn: "iata").encode(Computed(iata: "ZRH")).id == "ZRH")
        #expect(try codec(Computed.self).encode(Computed(iata: "ZRH")).id == "ZRH")
    }

    // MARK: Patching

    @Test func aPatchHoldsWhatDiffersAndNothingElse() throws {
        let old = Plain(id: "a", name: "Ann", age: 3)
        let codec = codec(Plain.self)
        #expect(try text(codec.patch(from: old, to: old)) == "{}")
        #expect(try text(codec.patch(from: old, to: Plain(id: "a", name: "Ann", age: 4))) == #"{"age":4}"#)
        #expect(try text(codec.patch(from: old, to: Plain(id: "a", name: "Ann"))) == #"{"age":null}"#)
        #expect(try text(codec.patch(from: Plain(id: "a", name: "Ann"), to: old)) == #"{"age":3}"#)
    }

    @Test func aPatchHoldsEverythingButTheIDWhereTheOldRowIsUnknown() throws {
        let patch = try text(codec(Plain.self).patch(from: nil, to: Plain(id: "a", name: "Ann", age: 3)))
        #expect(patch == #"{"age":3,"name":"Ann"}"#)
    }

    @Test func aPatchHoldsANestedObjectOnlyWhenItDiffers() throws {
        let tags = Dictionary(uniqueKeysWithValues: (0..<20).map { ("tag\($0)", $0) })
        let reversed = Dictionary(uniqueKeysWithValues: (0..<20).reversed().map { ("tag\($0)", $0) })
        let old = Nested(id: "a", address: .init(street: "s", city: "c", tags: tags), note: "n")
        var new = Nested(id: "a", address: .init(street: "s", city: "c", tags: reversed), note: "n")
        let codec = codec(Nested.self)
        #expect(try text(codec.patch(from: old, to: new)) == "{}")
        new.address = nil
        #expect(try text(codec.patch(from: old, to: new)) == #"{"address":null}"#)
    }

    // MARK: Dates

    @Test(arguments: [
        (DateConvention.epochMilliseconds, "1700000000123", 1_700_000_000.123),
        (.epochSeconds, "1700000000.5", 1_700_000_000.5),
        (.iso8601, #""2023-11-14T22:13:20.000Z""#, 1_700_000_000),
        (.iso8601, #""2023-11-14T22:13:20.123Z""#, 1_700_000_000.123),
        (.iso8601, #""1969-12-31T23:59:58.999Z""#, -1.001),
        (.epochMilliseconds, "-86400001", -86400.001),
        (.spacedISO8601, #""2023-11-14 22:13:20.123Z""#, 1_700_000_000.123),
    ])
    func datesTravelByTheTablesConvention(dates: DateConvention, json: String, seconds: Double) throws {
        let codec = codec(Dated.self, dates: dates)
        let row = try row(#"{"objectId":"a","at":\#(json)}"#)
        let dated = try codec.decode(row)
        let at = try #require(dated.at)
        #expect(abs(at.timeIntervalSince1970 - seconds) < 0.000_1)
        #expect(try Row(id: "a", json: codec.encode(dated).json)["at"] == row["at"])
        #expect(try dates.value(at) == row["at"])
    }

    @Test(
        arguments: [Double.nan, .infinity, -.infinity, 1e300],
        [
            DateConvention.epochMilliseconds, .epochSeconds, .iso8601,
        ]
    )
    func aDateThatCannotBeWrittenIsRefusedByItsKey(seconds: Double, dates: DateConvention) throws {
        let date = Date(timeIntervalSince1970: seconds)
        // A number of seconds has no limit.
        if dates == .epochSeconds, seconds.isFinite { return }
        #expect(throws: EncodingError.self) { try dates.value(date) }
        let error = #expect(throws: RemoteDataError.self) {
            try codec(Dated.self, dates: dates).encode(Dated(id: "a", at: date))
        }
        #expect(error?.code == .invalidRow)
        #expect(error?.message.hasSuffix(": at cannot be written.") == true)
        #expect(error?.description.isEmpty == false)
        guard case EncodingError.invalidValue(_, let context)? = error?.cause else {
            Issue.record("the cause is no EncodingError")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["at"])
    }

    @Test func aDateWithoutAYearOfFourDigitsIsRefusedAsText() {
        for (seconds, isWritable) in [
            (253_402_300_799.999, true), (253_402_300_800, false), (-62_135_769_600, true),
            (-62_135_769_600.001, false),
        ] {
            let text = try? DateConvention.iso8601.value(Date(timeIntervalSince1970: seconds))
            #expect((text != nil) == isWritable, "\(seconds)")
        }
    }

    @Test func aRefusedNumberIsNotTold() throws {
        struct Measured: Codable, Identifiable { var id: String; var level: Double }
        let error = #expect(throws: RemoteDataError.self) {
            try codec(Measured.self).encode(Measured(id: "a", level: -.infinity))
        }
        #expect(error?.message.hasSuffix(": level cannot be written.") == true)
        #expect(error?.description.contains("inf") == false, "\(error?.description ?? "")")
    }

    @Test func emptyTextIsNoDateWhereATableSpellsItSo() throws {
        let rows = try [
            row(#"{"objectId":"a","at":"2023-11-14 22:13:20.000Z"}"#), row(#"{"objectId":"b","at":""}"#),
            row(#"{"objectId":"c","at":""}"#),
        ]
        let codec = codec(Dated.self, dates: .spacedISO8601)
        #expect(try codec.decode(rows[1]).at == nil)
        #expect(
            codec.decode(rows).elements.map(\.at) == [Date(timeIntervalSince1970: 1_700_000_000), nil, nil]
        )
        #expect(throws: RemoteDataError.self) { try codec.decode(row(#"{"objectId":"d","at":"soon"}"#)) }
        let other = self.codec(Dated.self, dates: .iso8601)
        #expect(throws: RemoteDataError.self) { try other.decode(rows[1]) }
    }

    @Test func otherSpellingsOfAnInstantAreRead() throws {
        let codec = codec(Dated.self, dates: .iso8601)
        for (text, seconds) in [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14T23:13:20+01:00", 1_700_000_000),
            ("2023-11-14T22:13:20.5Z", 1_700_000_000.5), ("2023-11-15T00:13:20.250+02:00", 1_700_000_000.25),
        ] {
            let dated = try codec.decode(row(#"{"objectId":"a","at":"\#(text)"}"#))
            #expect(dated.at == Date(timeIntervalSince1970: seconds), "\(text)")
        }
        #expect(throws: RemoteDataError.self) {
            try codec.decode(row(#"{"objectId":"a","at":"yesterday"}"#))
        }
    }
}
