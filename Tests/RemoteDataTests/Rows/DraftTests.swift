@testable import RemoteData
import Testing

@Suite struct DraftTests {
    private func draft(_ json: String) throws(RemoteDataError) -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    private func text(_ row: Row) -> String { row.text }

    @Test func anAbsentOrNullIdLeavesTheChoiceToTheTable() throws {
        for json in [#"{"a":1}"#, #"{"objectId":null,"a":1}"#, #"{"a":1,"objectId":null}"#] {
            let draft = try draft(json)
            #expect(draft.id == nil)
            #expect(draft.row(id: "x", idColumn: "objectId").text == #"{"objectId":"x","a":1}"#)
        }
        #expect(
            try draft(" { } ").row(id: 5, idColumn: "objectId").text.filter { $0 != " " }
                == #"{"objectId":5}"#
        )
    }

    @Test func aChosenIdIsKeptWithTheBytes() throws {
        let draft = try draft(#" { "a" : 1, "objectId" : "x" } "#)
        #expect(draft.id == "x")
        let row = draft.row(id: "x", idColumn: "objectId", revision: Revision(2))
        #expect(row.text == #"{ "a" : 1, "objectId" : "x" }"#)
        #expect(row.revision == Revision(2))
    }

    @Test(arguments: [
        "[]", "", "{", #"{"objectId":1.5}"#, #"{"objectId":true}"#, #"{"objectId":{}}"#, #"{"objectId":""}"#,
        #"{"objectId":1,"objectId":1}"#, #"{"objectId":null,"objectId":1}"#, #"{"a":1} x"#,
    ])
    func whatCannotBeARowIsRefused(json: String) {
        let error = #expect(throws: RemoteDataError.self) { try draft(json) }
        #expect(error?.code == .invalidRow)
    }

    @Test func theIdColumnIsFoundByItsBytes() throws {
        let draft = try Draft(Array(#"{"\#u{212A}":1}"#.utf8)[...], idColumn: "K")
        #expect(draft.id == nil)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"b":3}"#, #"{"a":1,"b":3}"#),
        (#"{"a":1}"#, #"{"c":{"x":1},"a":null}"#, #"{"a":null,"c":{"x":1}}"#),
        (#"{ "a" : [1, 2] }"#, "{}", #"{"a":[1, 2]}"#), ("{}", #"{"a":1}"#, #"{"a":1}"#),
        (#"{"\u0061":1}"#, #"{"a":2}"#, #"{"a":2}"#), (#"{"q\"":1}"#, #"{"b\n":2}"#, #"{"q\"":1,"b\n":2}"#),
        (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":3}}"#, #"{"a":{"x":3}}"#),
    ])
    func aPatchPutsItsMembersInPlaceOfTheRows(json: String, patch: String, result: String) throws {
        let merged = try JSONObject.merging(Array(patch.utf8)[...], into: Array(json.utf8)[...])
        #expect(String(decoding: merged, as: UTF8.self) == result)
    }

    @Test(arguments: ["[]", "5", "{", #"{"a":}"#, ""])
    func aPatchThatIsNoObjectIsRefused(patch: String) {
        #expect(throws: RemoteDataError.self) {
            try JSONObject.merging(Array(patch.utf8)[...], into: Array("{}".utf8)[...])
        }
    }

    /// `\u{E9}` and `e\u{301}` are the same letter to Swift's `String`, and two columns to a table.
    @Test func aPatchMayHaveAColumnThatOnlyLooksLikeTheIds() throws {
        let patch = Array(#"{"e\#u{301}":2}"#.utf8)[...]
        for id: RowID? in [1, nil] {
            let members = try JSONObject.patch(patch, of: id, idColumn: "\u{E9}")
            #expect(JSONObject.object(of: members) == patch)
        }
    }
}
