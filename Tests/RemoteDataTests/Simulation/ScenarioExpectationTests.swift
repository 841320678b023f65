import Foundation
import RemoteDataTesting
import Testing

/// Each thing that can be expected is compared.
struct ScenarioExpectationTests {
    /// An expectation that is wrong, and what is said to be.
    static let wrong: [(expectation: String, what: String)] = [
        (#""rows": ["a", null]"#, "rows"), (#""rows": [{"objectId": "a", "a": 2}, "b"]"#, "rows"),
        (#""count": 1"#, "count"), (#""loaded": 1"#, "loaded"), (#""status": "off""#, "status"),
        (#""events": []"#, "events"), (#""events": [{"type": "dataLoaded", "missed": true}]"#, "events"),
        (#""error": "timed out""#, "error"), (#""errors": ["timed out"]"#, "errors"),
        (#""requests": {"page": 3}"#, "requests (page)"), (#""sent": ["count", "page"]"#, "sent"),
        (#""sent": ["count", "subscribe", {"call": "page", "offset": 1}]"#, "sent"),
        (#""taken": {"i": ["b"]}"#, "taken (i)"), (#""ended": []"#, "ended"), (#""right": false"#, "right"),
        (#""statuses": ["off"]"#, "statuses"), (#""stored": ["a"]"#, "stored"),
        (#""coverage": {"isComplete": false}"#, "coverage"),
        (#""coverage": {"intervals": [{"last": "a"}]}"#, "coverage"),
        (#""hasMore": "unknown""#, "hasMore"),
        (#""known": {"a > 1": {"rows": ["a"]}}"#, "known (a > 1)"),
        (#""known": {"a > 1": {"rows": ["b"], "complete": false}}"#, "known (a > 1)"),
        (#""narrowed": {"n": ["a"]}"#, "narrowed (n)"), (#""heard": {"l": ["created"]}"#, "heard (l)"),
        (#""guarantees": {"iteration": "doesNotHold"}"#, "guarantees (iteration)"),
        (#""audit": {"missing": ["a"]}"#, "audit"),
    ]

    private func failures(_ expectation: String) throws -> [String] {
        let file = """
            {"name": "two rows", "table": {"rows": [{"objectId": "a", "a": 1}, {"objectId": "b", "a": 2}]}, "collection": {},
             "steps": [{"do": "listen", "name": "l", "buffering": "buffer"}, {"do": "hear", "name": "l", "take": 1},
               {"do": "populate"}, {"do": "iterate", "name": "i"}, {"do": "settle"}, {"do": "narrow", "name": "n", "where": "a > 1"},
               {"do": "settle"}, {"do": "audit"}, {"do": "settle"}, {"expect": {\(expectation)}}]}
            """
        return ScenarioRunner().run(try Scenario(json: Data(file.utf8))).failures.map(\.what)
    }

    @Test(arguments: wrong) func whatIsWrongIsTold(expectation: String, what: String) throws {
        #expect(try failures(expectation) == [what])
    }

    @Test func whatIsRightIsNot() throws {
        let right = """
            "rows": ["a", {"a": 2}], "count": 2, "loaded": 2, "status": "live", "events": ["dataLoaded"], "error": "none",
            "errors": [], "requests": {"page": 2}, "taken": {"i": ["a", "b"]}, "ended": ["i"], "right": true,
            "statuses": ["connecting", "live"], "stored": ["a", "b"], "hasMore": false, "narrowed": {"n": ["b"]},
            "sent": [
                "count", "subscribe", {"call": "page", "offset": 0}, "count",
                {"call": "subscribe", "where": "a > 1"}, "page"
            ],
            "coverage": {"isComplete": true, "intervals": [{"first": "a", "last": "b"}]}, "heard": {"l": ["dataLoaded"]},
            "known": {"a > 1": {"rows": ["b"], "complete": true}}, "guarantees": {"iteration": "holds"},
            "audit": {"missing": [], "extra": [], "differing": [], "compared": 2}
            """
        #expect(try failures(right) == [])
    }

    @Test func whatIsExpectedNowIsNotWaitedFor() throws {
        let file = """
            {"name": "", "table": {"rows": [{"objectId": "a"}]}, "collection": {}, "steps": [{"do": "populate"},
              {"expectNow": {"loaded": 0}}, {"expect": {"loaded": 1}}, {"expectNow": {"loaded": 0}}]}
            """
        let failures = ScenarioRunner().run(try Scenario(json: Data(file.utf8))).failures
        #expect(failures.map(\.description) == ["Step 3, loaded: Expected 0, found 1."])
    }
}
