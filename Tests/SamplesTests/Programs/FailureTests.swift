import Foundation
import ProgramTesting
import Testing

@Suite(.server, .timeLimit(.minutes(3)))
struct FailureTests {
    /// Checks that a program ended with a code and one line.
    private func expect(
        _ end: Program.End,
        status: Int32,
        says words: String...,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(end.status == status, sourceLocation: location)
        #expect(end.output.isEmpty, sourceLocation: location)
        #expect(end.errors.split(separator: "\n").count == 1, "\(end.errors)", sourceLocation: location)
        #expect(end.errors.hasPrefix("live-table: "), sourceLocation: location)
        for word in words {
            #expect(end.errors.contains(word), "\(end.errors)", sourceLocation: location)
        }
    }

    @Test(
        arguments: [
            ([], "Which table?"),
            (["people"], "such as http://"),
            (["http://127.0.0.1:1/t"], "list, count"),
            (["http://127.0.0.1:1/t", "lst"], "did you mean list?"),
            (["http://127.0.0.1:1/t", "list", "--limt", "3"], "did you mean --limit?"),
            (["http://127.0.0.1:1/t", "list", "--limit"], "needs a value"),
            (["http://127.0.0.1:1/t", "list", "--limit", "0"], "above zero"),
            (["http://127.0.0.1:1/t", "count", "--sort", "a"], "does not take --sort"),
            (["http://127.0.0.1:1/t", "update", "a"], "two arguments"),
            (["http://127.0.0.1:1/t", "count", "--token-file", "/nowhere"], "/nowhere is not there"),
            (["http://127.0.0.1:1/t", "browse"], "needs a terminal"),
        ] as [([String], String)]
    )
    func badUsageEndsWithTwoAndOneLine(arguments: [String], words: String) async throws {
        expect(try await Program.run("live-table", arguments), status: 2, says: words)
    }

    @Test func aServerThatIsNotThereIsNamed() async throws {
        let end = try await Program.run("live-table", ["http://127.0.0.1:1/t", "count"])
        expect(end, status: 1, says: "Nobody answers at http://127.0.0.1:1.", "server runs")
    }

    @Test("A table that never had a row is named, and is empty")
    func aTableThatNeverHadARowIsNamed() async throws {
        for command in ["list", "count"] {
            let end = try await liveTable("nowhere", command)
            #expect(end.status == 0)
            #expect(end.errors.contains("\"nowhere\" has never had a row"), "\(end.errors)")
        }
        _ = try await liveTable("emptied", "add", #"{"objectId":"a"}"#)
        _ = try await liveTable("emptied", "remove-all", "--yes")
        #expect(try await liveTable("emptied", "count").errors == "")
        expect(
            try await liveTable("nowhere", "update", "a", #"{"n":1}"#),
            status: 1,
            says: "no row a in nowhere"
        )
    }

    @Test func anUnknownColumnComesWithTheNearestNames() async throws {
        _ = try await liveTable("columns", "add", #"{"objectId":"a","elevation":1,"name":"x"}"#)
        let clause = try await liveTable("columns", "count", "--where", "elevatoin > 1")
        expect(clause, status: 1, says: "elevatoin", "did you mean elevation?")
        let sort = try await liveTable("columns", "list", "--sort", "nam")
        expect(sort, status: 1, says: "did you mean name?")
    }

    @Test func aColumnThatNoRowHasIsNotListed() async throws {
        _ = try await liveTable("listed", "add", #"[{"objectId":"a","name":1},{"objectId":"b","other":1}]"#)
        let end = try await liveTable("listed", "list", "--columns", "nmae,name")
        expect(end, status: 1, says: "nmae", "did you mean name?")
        // A row has it, though none that is listed.
        let some = try await liveTable("listed", "list", "--columns", "other", "--where", "name = 1")
        #expect(some.status == 0)
        _ = try await liveTable("listed", "remove-all", "--yes")
        #expect(try await liveTable("listed", "list", "--columns", "nmae").status == 0)
    }

    @Test func addingNothingThatMatchesIsAFailure() async throws {
        let rows = #"[{"objectId":"a","n":1},{"objectId":"b","n":2}]"#
        let end = try await liveTable("picky", "add", rows, "--where", "n > 5")
        #expect(end.status == 1)
        #expect(end.output == "")
        let lines = end.errors.split(separator: "\n")
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.first?.contains(#"{"objectId":"a","n":1}"#) == true)
        #expect(lines.last?.contains("No row is stored") == true)
    }

    @Test func aClauseThatCannotBeReadShowsWhere() async throws {
        let clause = try await liveTable("any", "count", "--where", "age >> 3")
        expect(clause, status: 1, says: "--where", "age >→> 3", "character 5")
        let sort = try await liveTable("any", "list", "--sort", "a desc nulls")
        expect(sort, status: 1, says: "--sort", "a desc nulls→")
    }

    @Test func anIDThatIsTakenIsRefused() async throws {
        _ = try await liveTable("taken", "add", #"{"objectId":"a"}"#)
        expect(try await liveTable("taken", "add", #"{"objectId":"a"}"#), status: 1, says: "a")
    }

    @Test func helpIsPrintedOnRequest() async throws {
        let end = try await Program.run("live-table", ["--help"])
        #expect(end.status == 0)
        #expect(end.output.contains("remove-all"))
    }
}

@Suite(.timeLimit(.minutes(3)))
struct TokenTests {
    private func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("token-\(UUID().uuidString)")
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path(percentEncoded: false)
    }

    @Test func aServerWithATokenWantsIt() async throws {
        let right = try file("s3cret\n")
        let wrong = try file("guess")
        defer { for path in [right, wrong] { try? FileManager.default.removeItem(atPath: path) } }
        let server = try await TestServer.start(["--token-file", right])
        try await TestServer.$current.withValue(server) {
            let without = try await liveTable("t", "add", #"{"objectId":"a"}"#)
            #expect(without.status == 1)
            #expect(without.errors.contains("--token-file FILE"))
            let refused = try await liveTable("t", "count", "--token-file", wrong)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("refuses the token"))
            #expect(!refused.errors.contains("guess"))
            #expect(try await liveTable("t", "add", #"{"objectId":"a"}"#, "--token-file", right).status == 0)
            let watcher = try Program("live-table", ["\(server.url)/t", "watch", "--token-file", right])
            #expect(try await watcher.line() == #"{"type":"watching","count":1}"#)
            watcher.signal(SIGTERM)
            #expect(try await watcher.end().status == 0)
        }
        try await server.stop()
    }
}
