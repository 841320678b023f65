import Foundation
import ProgramTesting
import Testing

@Suite(.server, .timeLimit(.minutes(3)))
struct WatchTests {
    /// The members of an event a test compares.
    private struct Event: Decodable, Equatable {
        var type: String
        var ids: [String]?
        var count: Int?
        var own: Bool?
    }

    private func watch(_ table: String, _ arguments: String...) async throws -> (Program, first: Event) {
        let server = try #require(TestServer.current)
        let program = try Program("live-table", ["\(server.url)/\(table)", "watch"] + arguments)
        return (program, try await event(program))
    }

    private func event(_ program: Program) async throws -> Event {
        try JSONDecoder().decode(Event.self, from: Data(try await program.line().utf8))
    }

    @Test func twoWatchersSeeEachChangeOfAWriterOnce() async throws {
        _ = try await liveTable("watched", "add", #"{"objectId":"z","n":0}"#)
        let (one, first) = try await watch("watched")
        let (two, second) = try await watch("watched")
        #expect(first == Event(type: "watching", count: 1))
        #expect(second == Event(type: "watching", count: 1))
        _ = try await liveTable("watched", "add", #"[{"objectId":"a","n":1},{"objectId":"b","n":2}]"#)
        _ = try await liveTable("watched", "update", "a", #"{"n":3}"#)
        _ = try await liveTable("watched", "remove", "b")
        _ = try await liveTable("watched", "remove-all", "--where", "n > 2")
        // The last change, so that everything before it must have come.
        _ = try await liveTable("watched", "update", "z", #"{"n":9}"#)
        let expected = [
            Event(type: "created", ids: ["a"], own: false), Event(type: "created", ids: ["b"], own: false),
            Event(type: "updated", ids: ["a"], own: false), Event(type: "deleted", ids: ["b"], own: false),
            Event(type: "bulkDeleted", ids: [], count: 1, own: false),
            Event(type: "updated", ids: ["z"], own: false),
        ]
        for program in [one, two] {
            var events: [Event] = []
            for _ in expected { events.append(try await event(program)) }
            #expect(events == expected)
            program.signal(SIGTERM)
            let end = try await program.end()
            #expect(end.output.isEmpty)
            #expect(end.status == 0)
        }
    }

    @Test func aClauseSeesRowsEnterAndLeave() async throws {
        _ = try await liveTable("clause", "add", #"[{"objectId":"a","n":1},{"objectId":"b","n":1}]"#)
        let (program, first) = try await watch("clause", "--where", "n > 5")
        #expect(first.count == 0)
        _ = try await liveTable("clause", "update", "b", #"{"n":2}"#)
        _ = try await liveTable("clause", "update", "a", #"{"n":6}"#)
        _ = try await liveTable("clause", "update", "a", #"{"n":7}"#)
        _ = try await liveTable("clause", "update", "a", #"{"n":5}"#)
        var types: [String] = []
        for _ in 0..<3 { types.append(try await event(program).type) }
        #expect(types == ["created", "updated", "deleted"])
        program.signal(SIGINT)
        #expect(try await program.end().status == 0)
    }

    @Test func watchingEndsByItselfAfterItsTime() async throws {
        _ = try await liveTable("timed", "add", #"{"objectId":"a"}"#)
        let end = try await liveTable("timed", "watch", "--for", "0.2")
        #expect(end.status == 0)
        #expect(end.errors == "")
    }
}
