import RemoteData
import Testing

@Suite struct RowTests {
    private func row(_ json: String, idColumn: String = "objectId") throws(RemoteDataError) -> Row {
        try Row.parse(Array(json.utf8)[...], idColumn: idColumn)
    }

    private func page(_ json: String) throws(RemoteDataError) -> Page {
        try Page.parse(Array(json.utf8), idColumn: "objectId", revision: Revision(3))
    }

    @Test func anIdIsTextOrAnInteger() throws {
        #expect(try row(#"{"objectId":"a"}"#).id == "a")
        #expect(try row(#"{"x":{"objectId":1},"objectId":-7}"#).id == -7)
        #expect(try row(#" {"k":"\u0061"} "#, idColumn: "k").id == "a")
        #expect(try row(#"{"\u006b":1}"#, idColumn: "k").id == 1)
        #expect(try row(#"{"objectId":"1"}"#).id != row(#"{"objectId":1}"#).id)
    }

    @Test(arguments: [
        ("[]", "an object expected"), ("5", "an object expected"), ("", "the text ends early"),
        ("{}", "objectId is missing"),
        (#"{"objectId":null}"#, "objectId is neither text nor a 64-bit integer"),
        (#"{"objectId":1.5}"#, "objectId is neither"), (#"{"objectId":true}"#, "objectId is neither"),
        (#"{"objectId":[]}"#, "objectId is neither"),
        (#"{"objectId":9223372036854775808}"#, "objectId is neither"),
        (#"{"objectId":1,"objectId":2}"#, "objectId is there twice (at byte 25)"),
        (#"{"objectId":1} x"#, "something follows the object (at byte 15)"),
        (#"{"objectId":1"#, "the text ends early (at byte 13)"),
        (#"{"objectId":1,"a":}"#, "a value expected (at byte 18)"),
    ])
    func whatIsNoRowIsRefusedWithTheReason(json: String, reason: String) {
        let error = #expect(throws: RemoteDataError.self) { try row(json) }
        #expect(error?.code == .invalidRow)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    /// Strings are read eight bytes at a time.
    @Test func everyByteOfAStringIsCheckedWhereverItLies() throws {
        for offset in 0..<20 {
            for byte in UInt8.min...UInt8.max {
                let (front, behind) = (String(repeating: " ", count: offset), "nnnnnnnnn")
                let start = Array(#"{"objectId":1,"a":"\#(front)"#.utf8) + [byte]
                let row = try? Row.parse((start + Array("\(behind)\"}".utf8))[...], idColumn: "objectId")
                let isText = (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"")
                #expect((row != nil) == isText, "byte \(byte) at \(offset)")
                let letter = byte == UInt8(ascii: "\\") ? "" : String(UnicodeScalar(byte))
                let end = letter.isEmpty ? "\n" + behind.dropFirst() : behind
                #expect(!isText || row?["a"] == .text(front + letter + end), "byte \(byte) at \(offset)")
            }
        }
    }

    @Test func aRowKeepsItsBytesWithoutSpaceAround() throws {
        #expect(try row(" \n{ \"objectId\" : 1 } \t").text == "{ \"objectId\" : 1 }")
    }

    @Test func columnsAreReadByPath() throws {
        let row = try row(#"{"objectId":1,"a":{"b":{"c":2},"d":null},"a.b":3,"e":[{"f":1}],"g":"x","g":"y"}"#)
        #expect(row[ColumnPath(names: ["a", "b", "c"])] == 2)
        #expect(row[ColumnPath(names: ["a", "b"])] == .json(#"{"c":2}"#))
        #expect(row["a.b"] == 3)
        #expect(row[ColumnPath(names: ["a", "d"])] == nil)
        #expect(row[ColumnPath(names: ["a", "d", "x"])] == nil)
        #expect(row[ColumnPath(names: ["e", "f"])] == nil)
        #expect(row["z"] == nil)
        #expect(row["g"] == "x")
    }

    @Test func aPageIsCutIntoRows() throws {
        let page = try page(" [ {\"objectId\":1} , {\"objectId\":\"b\",\"x\":[]} ] ")
        let rows = page.rows
        #expect(rows.map(\.id) == [1, "b"])
        #expect(rows.map(\.text) == [#"{"objectId":1}"#, #"{"objectId":"b","x":[]}"#])
        #expect(page.revision == Revision(3))
        #expect(page.failures.isEmpty)
        let empty = try self.page("[]")
        #expect(empty.rows.isEmpty && empty.failures.isEmpty)
    }

    @Test(arguments: [
        "", "{}", "5", "null", "[", "[{\"objectId\":1}", "[{\"objectId\":1},", "[{\"objectId\":1},]",
        "[{\"objectId\":1}] x",
        "[{\"objectId\":1", "[{\"objectId\":1}{\"objectId\":2}]", "[{\"objectId\":tru}]", "<html>",
        "\n <!DOCTYPE html>",
        "[{\"objectId\":\"\u{1}\"}]", "[{},{\"objectId\":1}", "[5,{}", "[{\"a\":1,}]", "[{}] {}", "[nul]",
    ])
    func anAnswerThatIsNoJSONArrayIsInvalid(json: String) {
        let error = #expect(throws: RemoteDataError.self) { try page(json) }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func invalidUTF8MakesAnAnswerInvalid() {
        let bytes = Array("[{\"objectId\":\"".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
        let error = #expect(throws: RemoteDataError.self) { try Page.parse(bytes, idColumn: "objectId") }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func anAnswerInHTMLIsCalledThat() {
        let error = #expect(throws: RemoteDataError.self) { try page(" \n<html></html>") }
        #expect(error?.message.contains("HTML") == true)
    }

    @Test(arguments: [
        ("5", "an object expected", 17), ("null", "an object expected", 17),
        ("[{}]", "an object expected", 17),
        (#""{""#, "an object expected", 17), ("{}", "objectId is missing", 17),
        (#"{"ObjectID":3}"#, "objectId is missing", 17),
        (#"{"objectId":[]}"#, "objectId is neither text nor a 64-bit integer", 29),
        (#"{"objectId":null,"a":{}}"#, "objectId is neither text nor a 64-bit integer", 29),
        (#"{"objectId":1.5}"#, "objectId is neither text nor a 64-bit integer", 29),
        (#"{"objectId":2,"objectId":2}"#, "objectId is there twice", 42),
    ])
    func anElementThatIsNoRowIsNamedAndTheOthersAreRead(json: String, problem: String, byte: Int) throws {
        let page = try page(#"[{"objectId":11},"# + json + #", {"objectId":"b"} ,"# + json + "]")
        #expect(page.rows.map(\.text) == [#"{"objectId":11}"#, #"{"objectId":"b"}"#])
        #expect(page.failures.map(\.position) == [1, 3])
        let error = try #require(page.failures.first?.error)
        #expect(error.code == .invalidRow)
        #expect(
            error.message
                == "Row 1 of the page, counted from 0, cannot be read: \(problem) (at byte \(byte))."
        )
    }

    @Test func whatAnUnreadableRowHoldsIsNotTold() throws {
        let page = try page(#"[{"secret":"hunter2"},"hunter2",{"objectId":["hunter2"]}]"#)
        #expect(page.rows.isEmpty && page.failures.count == 3)
        for failure in page.failures { #expect(!failure.error.description.contains("hunter2")) }
    }

    @Test func idsOfComposedAndDecomposedTextAreTwo() {
        let composed = RowID.text("\u{E9}")
        let decomposed = RowID.text("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, "\u{E9}"]).count == 2)
        #expect(Value.text("\u{E9}") != Value.text("e\u{301}"))
        #expect(Set<Value>(["\u{E9}", "e\u{301}"]).count == 2)
        #expect(ColumnPath("\u{E9}") != ColumnPath("e\u{301}"))
    }

    @Test func valuesOfDifferentKindsAreDifferent() {
        let values: [Value] = [nil, true, 1, 1.0, "1", .json("1")]
        #expect(Set(values).count == 6)
    }

    @Test func aDescriptionShowsTheIdAlone() throws {
        #expect(try row(#"{"objectId":7,"secret":"x"}"#).description == "row 7")
    }
}
