import Foundation
import ProgramTesting
import Testing

/// A `table-server` of a suite's own, with the airports in it.
final class TestServer: Sendable {
    @TaskLocal static var current: TestServer?

    /// Where it answers.
    let url: String
    private let program: Program

    private init(url: String, program: Program) {
        self.url = url
        self.program = program
    }

    /// Starts a server on a free port.
    static func start(_ arguments: [String]) async throws -> TestServer {
        let program = try Program("table-server", ["--listen", "127.0.0.1:0", "--memory"] + arguments)
        return TestServer(url: try await program.line(), program: program)
    }

    /// Asks the server to stop, and waits until it has.
    func stop() async throws {
        program.signal(SIGTERM)
        #expect(try await program.end().status == 0)
    }

    /// What clients asked since the last call: method, path and query, status.
    func requests() async throws -> [String] {
        // The log is written by another process: a request that nobody else makes tells where it ends for now.
        let mark = "mark-\(UUID().uuidString)"
        _ = try await Program.run("live-table", ["\(url)/\(mark)", "count"])
        var requests: [String] = []
        while case let line = try await program.errorLine(), !line.contains(mark) {
            let words = line.split(separator: " ")
            if words.count > 3 { requests.append(words[1...3].joined(separator: " ")) }
        }
        return requests
    }

    /// The airports, in the order of the folders above this file.
    static let airports = [
        "--import",
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Samples/Data/airports.csv").path(percentEncoded: false),
        "--as", "airports", "--id", "icao",
    ]
}

/// Gives a suite a server, which is stopped behind the last test.
struct ServerTrait: SuiteTrait, TestScoping {
    var arguments: [String] = []

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try await TestServer.start(arguments)
        try await TestServer.$current.withValue(server) { try await function() }
        try await server.stop()
    }
}

extension Trait where Self == ServerTrait {
    /// A server without tables.
    static var server: Self { ServerTrait() }
    /// A server with the airports.
    static var airports: Self { ServerTrait(arguments: TestServer.airports) }
}

/// Runs `live-table` on a table of the suite's server.
func liveTable(_ table: String, _ arguments: String..., input: String = "") async throws -> Program.End {
    let server = try #require(TestServer.current)
    return try await Program.run("live-table", ["\(server.url)/\(table)"] + arguments, input: input)
}
