import Foundation
import ProgramTesting
import Testing

/// What is drawn on a terminal, as somebody in front of one would see it.
@Suite(.airports, .timeLimit(.minutes(1)))
struct TerminalTests {
    private func start(_ table: String, _ arguments: String...) throws -> TerminalProgram {
        let server = try #require(TestServer.current)
        return try TerminalProgram("live-table", ["\(server.url)/\(table)"] + arguments)
    }

    /// The frames of an output, each from its beginning to its end.
    private func frames(_ output: String) -> [Substring] {
        output.split(separator: "\u{1B}[?2026h").filter { $0.contains("\u{1B}[?2026l") }
    }

    /// Waits for the first whole frame.
    private func firstFrame(of browser: TerminalProgram) async throws -> String {
        try await browser.output { output in frames(output).contains { $0.contains("row 1 of 28,298") } }
    }

    /// Whether the terminal was left as it was found.
    private func expectRestored(
        _ browser: TerminalProgram,
        _ output: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(browser.isCooked, sourceLocation: location)
        for (taken, back) in [("\u{1B}[?1049h", "\u{1B}[?1049l"), ("\u{1B}[?25l", "\u{1B}[?25h")] {
            let last = output.ranges(of: taken).last?.lowerBound
            let end = output.ranges(of: back).last?.lowerBound
            #expect(last != nil && end != nil, sourceLocation: location)
            if let last, let end { #expect(last < end, sourceLocation: location) }
        }
    }

    @Test func quittingRestoresTheTerminal() async throws {
        let browser = try start("airports", "browse")
        let first = try await firstFrame(of: browser)
        #expect(!browser.isCooked)
        browser.type("q")
        let end = await browser.end()
        #expect(end.status == 0)
        expectRestored(browser, first + end.output)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func aSignalRestoresTheTerminal(number: Int32) async throws {
        let browser = try start("airports", "browse")
        let first = try await firstFrame(of: browser)
        browser.signal(number)
        let end = await browser.end()
        #expect(end.status == 0)
        expectRestored(browser, first + end.output)
    }

    @Test func anotherSizeDrawsAnotherFrame() async throws {
        let browser = try start("airports", "browse")
        let first = try await firstFrame(of: browser)
        #expect(frames(first).last?.contains("\u{1B}[24;1H") == true)
        browser.resize(columns: 50, rows: 10)
        try await browser.output { output in
            frames(output).contains { $0.contains("\u{1B}[10;1H") && !$0.contains("\u{1B}[11;1H") }
        }
        browser.resize(columns: 90, rows: 30)
        try await browser.output { output in frames(output).contains { $0.contains("\u{1B}[30;1H") } }
        browser.type("q")
        #expect(await browser.end().status == 0)
    }

    @Test func rowsAreLoadedWhereOneScrolls() async throws {
        let browser = try start("airports", "browse", "--columns", "icao,name")
        _ = try await firstFrame(of: browser)
        browser.type("\u{1B}[F")
        let last = try #require(
            try await liveTable("airports", "list", "--sort", "icao desc", "--limit", "1", "--format", "csv")
                .output.split(whereSeparator: \.isNewline).last?.split(separator: ",").first
        )
        // The last row is the chosen one, and there.
        try await browser.output { output in
            frames(output).contains {
                $0.contains("row 28,298 of 28,298") && $0.contains("▸ \(last)")
            }
        }
        browser.type("q")
        #expect(await browser.end().status == 0)
    }

    @Test func changesOfOthersAreMarked() async throws {
        _ = try await liveTable("marks", "add", #"[{"objectId":"a","n":"one"},{"objectId":"b","n":"two"}]"#)
        let browser = try start("marks", "browse")
        try await browser.output { $0.contains("row 1 of 2 ") && $0.contains(" live") && $0.contains("two") }
        _ = try await liveTable("marks", "update", "b", #"{"n":"three"}"#)
        try await browser.output { output in
            frames(output).contains { $0.contains(";30;43m") && $0.contains("three") }
        }
        _ = try await liveTable("marks", "add", #"{"objectId":"c","n":"new"}"#)
        try await browser.output { output in
            frames(output).contains { $0.contains(";30;42m") && $0.contains("new") && $0.contains("of 3 ") }
        }
        _ = try await liveTable("marks", "remove", "b")
        try await browser.output { output in
            frames(output).contains { $0.contains(";97;41m") && $0.contains("of 2 ") }
        }
        browser.type("q")
        #expect(await browser.end().status == 0)
    }

    @Test func populatingShowsABarOnATerminal() async throws {
        let program = try start("airports", "populate")
        let end = await program.end()
        #expect(end.status == 0)
        let bar = /\r\[#*\.*\] [0-9,]+ of 28,298 rows, [0-9,]+ rows\/s, [0-9]+:[0-9]{2} left/
        #expect(end.output.contains(bar), "\(end.output.debugDescription)")
        #expect(end.output.contains(/28,298 rows in [0-9.]+ s, [0-9,]+ rows\/s/))
    }
}
