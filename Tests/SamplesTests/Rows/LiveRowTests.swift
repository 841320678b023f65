import Foundation
import RemoteData
import Testing

@testable import live_table

struct LiveRowTests {
    private let text = #"{"a":[1,{"b":null}],"big":9007199254740993,"half":0.5,"objectId":"x","yes":true}"#

    @Test func anyRowSurvivesDecodingAndEncoding() throws {
        let row = try JSONDecoder().decode(LiveRow.self, from: Data(text.utf8))
        #expect(row.id == "x")
        #expect(row.value.json == text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(row), as: UTF8.self) == text)
    }

    @Test func idsAreTextOrIntegersOrMissing() throws {
        #expect(LiveRow(id: 7).id == 7)
        #expect(LiveRow(id: "7").id == "7")
        #expect(LiveRow(members: []).id == nil)
        #expect(LiveRow(members: [JSONMember(name: "objectId", value: .text(""))]).id == nil)
    }

    @Test func dottedNamesReachIntoObjects() throws {
        let row = try #require(LiveRow(Row(id: "x", json: Array(#"{"a":{"b":{"c":1}},"a.b":2}"#.utf8)[...])))
        #expect(row["a.b.c"] == .integer(1))
        #expect(row["a.b"] == .integer(2))
        #expect(row["a.x"] == .null)
    }

    @Test func columnsComeInTheOrderOfTheFirstPage() {
        let order = ColumnOrder()
        let rows = [#"{"objectId":"1","z":1,"b":2}"#, #"{"objectId":"2","a":3,"b":4}"#]
        order.note(Page(rows: rows.map { Row(id: "1", json: Array($0.utf8)[...]) }))
        #expect(order.names == ["objectId", "z", "b", "a"])
        let row = LiveRow(members: ["a", "b", "objectId"].map { JSONMember(name: $0, value: .null) })
        #expect(order.ordered(row).members.map(\.name) == ["objectId", "b", "a"])
    }

    @Test func aWordOfDigitsMayBeAnIntegerOrText() {
        #expect(RowID.candidates("42") == [42, "42"])
        #expect(RowID.candidates("042") == ["042"])
        #expect(RowID.candidates("x") == ["x"])
    }
}
