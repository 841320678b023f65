import Testing

@testable import RemoteData

/// The values in an object, and what becomes of an object by changes of a part of it.
struct JSONLeavesTests {
    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private func members(_ text: String) throws -> [JSONObject.Member] {
        try JSONObject.members(of: bytes(text))
    }

    @Test("Leaves are values by their paths")
    func leavesByPaths() throws {
        let leaves = try JSONObject.leaves(
            of: members(#"{"a":1,"b":{"c":[{"d":1}],"e":{"f":"x"},"g":null},"h":{},"i":null}"#)
        )
        let expected: [JSONPath: String] = [
            ["a"]: "1", ["b", "c"]: #"[{"d":1}]"#, ["b", "e", "f"]: #""x""#, ["h"]: "{}",
        ]
        #expect(leaves == expected.mapValues { Array($0.utf8)[...] })
    }

    @Test(
        "Changes of a part leave the rest of an object as it is",
        arguments: [
            (#"{"a":1,"b":2}"#, #"{"a":1,"b":3}"#, #"{"b":9,"x":1}"#, #"{"b":3}"#, false),
            (#"{"a":1}"#, "{}", "{}", #"{"a":null}"#, false),
            ("{}", #"{"a":null}"#, "{}", "{}", false),
            (#"{"a":null}"#, "{}", "{}", "{}", false),
            (#"{"o":{"a":1}}"#, #"{"o":{"a":2}}"#, #"{"o":{"x":7,"a":5}}"#, #"{"o":{"x":7,"a":2}}"#, true),
            (#"{"o":{"a":1,"b":1}}"#, #"{"o":{"b":1}}"#, #"{"o":{"a":1,"b":3}}"#, #"{"o":{"b":3}}"#, true),
            (#"{"o":{"a":1}}"#, #"{"o":{"a":2}}"#, #"{"o":null}"#, #"{"o":{"a":2}}"#, false),
            (#"{"o":{"a":1}}"#, #"{"o":7}"#, #"{"o":{"x":7}}"#, #"{"o":7}"#, false),
            (
                #"{"o":{"p":{"a":1},"q":1}}"#, #"{"o":{"p":{"a":2},"q":1}}"#,
                #"{"o":{"q":8,"p":{"a":1,"x":9}}}"#, #"{"o":{"q":8,"p":{"a":2,"x":9}}}"#, true
            ),
        ]
    )
    func changesOfAPart(
        old: String,
        new: String,
        whole: String,
        expected: String,
        merges: Bool
    ) throws {
        let patch = try JSONObject.changes(from: members(old), to: members(new), in: members(whole))
        #expect(String(decoding: patch.json, as: UTF8.self) == expected)
        #expect(patch.mergesObjects == merges)
    }
}
