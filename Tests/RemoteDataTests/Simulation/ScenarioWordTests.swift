import Foundation
import RemoteDataTesting
import Testing

/// Words that scenario files do not have are refused, so that nothing misspelt expects nothing.
struct ScenarioWordTests {
    /// A step, and what is said of it.
    static let steps: [(step: String, message: String)] = [
        (#"{"do": "dance"}"#, #"Step 0 knows no "dance" to do; there are abandon,"#),
        (#"{"do": "wait"}"#, #"Step 0, wait, needs "ms"."#),
        (#"{"do": "create", "rwo": {}, "row": {}}"#, #"Step 0, create, knows no "rwo"; there are row."#),
        (#"{"do": "populate", "at": 1}"#, #"Step 0, populate, knows no "at"."#),
        (#"{"do": "fail", "status": 500, "call": "pgae"}"#, #"Step 0, call, knows no "pgae";"#),
        (#"{"expct": {}}"#, "Step 0 has nothing to do or to expect."),
        (#"{"expect": {}, "ms": 1}"#, #"Step 0 knows no "ms"."#),
        (#"{"expect": {"row": []}}"#, #"Step 0, expect, knows no "row"; there are audit,"#),
        (#"{"expectNow": {"lodaed": 1}}"#, #"Step 0, expectNow, knows no "lodaed";"#),
        (#"{"expect": {"events": [{"kind": "created"}]}}"#, #"Step 0, expect, events, knows no "kind";"#),
        (#"{"expect": {"sent": [{"type": "page"}]}}"#, #"Step 0, expect, sent, knows no "type";"#),
        (#"{"expect": {"requests": {"pages": 1}}}"#, #"Step 0, expect, requests, knows no "pages";"#),
        (
            #"{"expect": {"coverage": {"complete": true}}}"#,
            #"Step 0, expect, coverage, knows no "complete";"#
        ),
        (#"{"expect": {"coverage": {"intervals": [{"end": 1}]}}}"#, #"intervals, knows no "end";"#),
        (#"{"expect": {"heard": {"l": [{"id": 1}]}}}"#, #"Step 0, expect, heard, knows no "id";"#),
        (#"{"expect": {"known": {"a": {"row": []}}}}"#, #"Step 0, expect, known, knows no "row";"#),
        (#"{"expect": {"audit": {"lost": []}}}"#, #"Step 0, expect, audit, knows no "lost";"#),
    ]

    private func problem(_ file: String) -> String {
        do {
            _ = try Scenario(json: Data(file.utf8))
            return "none"
        } catch { return (error as? ScenarioFileError)?.description ?? "\(error)" }
    }

    @Test(arguments: steps) func aStepIsRefused(step: String, message: String) {
        let problem = problem(#"{"name": "", "table": {}, "collection": {}, "steps": [\#(step)]}"#)
        #expect(problem.contains(message), "\(problem)")
    }

    @Test func whatIsAroundTheStepsIsRefused() {
        let file = { (part: String, table: String, collection: String) in
            #"{"name": "", \#(part) "table": {\#(table)}, "collection": {\#(collection)}, "steps": []}"#
        }
        #expect(problem(file("", "", "")) == "none")
        #expect(problem(file(#""note": "x","#, "", "")).hasPrefix(#"A scenario knows no "note""#))
        #expect(problem(file("", #""row": []"#, "")).hasPrefix(#"The table knows no "row""#))
        #expect(
            problem(file("", #""collation": "french""#, ""))
                .hasPrefix(#"The table, collation, knows no "french""#)
        )
        #expect(problem(file("", "", #""pagesize": 2"#)).hasPrefix(#"The collection knows no "pagesize""#))
    }

    @Test func aWordOfAnotherKindIsRefused() {
        #expect(problem(#"{"name": 1, "table": {}, "collection": {}, "steps": []}"#).contains("name"))
        #expect(
            problem(#"{"name": "", "table": {}, "collection": {}, "steps": [{"do": "wait", "ms": "1"}]}"#)
                .contains("ms")
        )
    }

    @Test func anUnknownStepOfAProgramIsToldOf() {
        let steps = [ScenarioStep(ScenarioStep.Action(rawValue: "dance"))]
        let failures = ScenarioRunner().run(Scenario(name: "", steps: steps)).failures
        #expect(failures.first?.step == 0 && failures.first?.message.contains("dance") == true)
    }
}
