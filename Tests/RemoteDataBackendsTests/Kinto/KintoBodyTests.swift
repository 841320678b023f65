import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct KintoBodyTests {
    private func row(_ json: String) throws -> String {
        String(decoding: try KintoBody(row: Array(json.utf8)[...]).json, as: UTF8.self)
    }

    private func patch(_ json: String) throws -> KintoBody {
        try KintoBody(patch: try JSONObject.members(of: Array(json.utf8)[...]))
    }

    @Test func nullsAreLeftOut() throws {
        #expect(
            try row(#"{"id":"a","n":null,"o":{"p":null,"q":[null,{"r":null}]}}"#)
                == #"{"data":{"id":"a","o":{"q":[null,{"r":null}]}}}"#
        )
    }

    @Test func theTimeOfTheLastChangeIsLeftOut() throws {
        #expect(
            try row(#"{"id":"a","last_modified":12,"o":{"last_modified":1}}"#)
                == #"{"data":{"id":"a","o":{"last_modified":1}}}"#
        )
        #expect(try patch(#"{"last_modified":null,"n":1}"#).json == Array(#"{"data":{"n":1}}"#.utf8))
    }

    @Test(arguments: [
        #"{"s":"a\u0000b"}"#, #"{"s":["\\\u0000"]}"#, #"{"o":{"\u0000":1}}"#, #"{"\u0000":1}"#,
        #"{"deleted":true}"#,
        #"{"__permissions__":1}"#,
    ])
    func whatKintoCannotHoldIsRefused(json: String) throws {
        for body in [{ _ = try row(json) }, { _ = try patch(json) }] {
            let error = #expect(throws: RemoteDataError.self) { try body() }
            #expect(error?.code == .invalidRow)
        }
    }

    @Test func whatOnlyLooksLikeItIsNot() throws {
        #expect(try row(#"{"s":"\\u0000"}"#) == #"{"data":{"s":"\\u0000"}}"#)
        #expect(try row(#"{"deleted":false}"#) == #"{"data":{"deleted":false}}"#)
    }

    @Test func aPatchWithoutNullsIsMergedAtTheTop() throws {
        let body = try patch(#"{"n":1,"o":{"p":null,"q":2}}"#)
        #expect(body.type == "application/json")
        #expect(String(decoding: body.json, as: UTF8.self) == #"{"data":{"n":1,"o":{"q":2}}}"#)
        #expect(try patch("{}").json == Array(#"{"data":{}}"#.utf8))
    }

    @Test func aNullRemovesItsMemberWhetherItIsThereOrNot() throws {
        let body = try patch(#"{"n":null,"a/b~c":{"q":null}}"#)
        #expect(body.type == "application/json-patch+json")
        let expected =
            #"[{"op":"add","path":"/data/n","value":null},{"op":"remove","path":"/data/n"},{"op":"add","path":"/data/a~1b~0c","value":{}}]"#
        #expect(String(decoding: body.json, as: UTF8.self) == expected)
        // A sign that a combining mark follows is no character of its own to Swift.
        #expect(
            String(decoding: try patch("{\"~\u{301}\":null}").json, as: UTF8.self).contains("/data/~0\u{301}")
        )
    }
}
