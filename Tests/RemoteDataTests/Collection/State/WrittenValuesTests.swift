import Testing

@testable import RemoteData

/// What own updates wrote.
struct WrittenValuesTests {
    private func leaves(_ json: String) throws -> JSONLeaves {
        try JSONObject.leaves(of: JSONObject.members(of: Array(json.utf8)[...]))
    }

    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test("The value written last counts")
    func lastValueCounts() throws {
        var written = WrittenValues()
        written.note(
            WrittenValues.Update(try leaves(#"{"a":1,"z":5}"#), changed: [["a"], ["b", "c"]], of: 7)
        )
        written.note(WrittenValues.Update(try leaves(#"{"a":2,"z":5}"#), changed: [["a"]], of: 7))
        let row = written.ofRow(under: [8, 7])
        #expect(row.isValue(bytes("2"), at: ["a"]) && !row.isValue(bytes("1"), at: ["a"]))
        #expect(row.isValue(nil, at: ["b", "c"]))
        #expect(!row.isValue(nil, at: ["b"]) && !row.isValue(bytes("5"), at: ["z"]))
        #expect(!written.ofRow(under: [8]).isValue(bytes("2"), at: ["a"]))
    }

    @Test("Places were written to together if one update wrote to them last")
    func placesWrittenTogether() throws {
        var written = WrittenValues()
        func together(_ path: JSONPath, _ others: JSONPath...) -> Bool {
            written.ofRow(under: [7]).wrote([path], togetherWith: Set(others))
        }
        written.note(WrittenValues.Update([:], changed: [["a"], ["b"]], of: 7))
        #expect(together(["a"], ["b"]) && !together(["c"], ["b"]) && !together(["a"], ["c"]))
        written.note(WrittenValues.Update([:], changed: [["b"], ["c"]], of: 7))
        #expect(!together(["a"], ["b"]) && together(["c"], ["b"]) && together(["a"], ["b"], ["a"]))
    }

    @Test("What the table made of an element is known, as long as it is so")
    func effectsOfAnElement() throws {
        var written = WrittenValues()
        let (sent, stored) = (#"{"a":1,"b":1,"t":10}"#, #"{"a":1,"b":1,"t":20,"x":7}"#)
        written.note(try leaves(sent), storedAs: try leaves(stored), of: 7)
        let row = written.ofRow(under: [7])
        func effects(_ element: String, _ newest: String) throws -> Set<JSONPath> {
            row.effects(on: try leaves(element), newest: try leaves(newest))
        }
        #expect(try effects(sent, stored) == [["t"], ["x"]])
        #expect(try effects(#"{"a":1,"b":2,"t":10}"#, stored) == [["t"], ["x"]])
        // Another has changed the row since.
        #expect(try effects(sent, #"{"a":1,"b":1,"t":30,"x":7}"#) == [["x"]])
        // The element has been made from the row as it is.
        #expect(try effects(#"{"a":1,"b":1,"t":20}"#, stored) == [])
        #expect(try effects(#"{"a":1,"b":1,"t":10,"x":7}"#, stored) == [])
    }

    @Test("The rows written to first are dropped")
    func firstRowsAreDropped() {
        var written = WrittenValues()
        for mark in 0...UInt64(WrittenValues.limit) {
            written.note(WrittenValues.Update([:], changed: [["a"]], of: mark))
        }
        #expect(!written.ofRow(under: [0]).isValue(nil, at: ["a"]))
        #expect(written.ofRow(under: [1]).isValue(nil, at: ["a"]))
        written.note(WrittenValues.Update([:], changed: [["a"]], of: 0))
        #expect(!written.ofRow(under: [1]).isValue(nil, at: ["a"]))
        #expect(written.ofRow(under: [0]).isValue(nil, at: ["a"]))
    }
}
