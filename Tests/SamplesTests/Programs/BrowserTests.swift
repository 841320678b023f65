import Foundation
import ProgramTesting
import Testing

/// What the browser shows on a terminal, and what keys do.
@Suite(.airports, .timeLimit(.minutes(2)))
struct BrowserTests {
    private func browse(
        _ table: String,
        _ arguments: String...,
        columns: Int = 80,
        rows: Int = 24
    ) throws -> TerminalProgram {
        let server = try #require(TestServer.current)
        let words = ["\(server.url)/\(table)", "browse"] + arguments
        return try TerminalProgram("live-table", words, columns: columns, rows: rows)
    }

    /// Waits for a frame that is as wanted.
    @discardableResult
    private func frame(
        of browser: TerminalProgram,
        where isWanted: (TerminalFrame) -> Bool
    ) async throws -> TerminalFrame {
        var found: TerminalFrame?
        try await browser.output { output in
            found = TerminalFrame.all(in: output).first(where: isWanted)
            return found != nil
        }
        return try #require(found)
    }

    private func quit(_ browser: TerminalProgram) async throws {
        browser.type("q")
        #expect(await browser.end().status == 0)
    }

    @Test("Enter shows a row with every value whole, and q goes back to the list")
    func details() async throws {
        let browser = try browse("airports", "--where", "icao = '_ZSP'", columns: 40)
        try await frame(of: browser) { $0.foot.contains("1 loaded") || $0.foot.contains("live") }
        browser.type("\r")
        let row = try await frame(of: browser) { $0.foot.contains("q goes back") && $0.lines.count == 24 }
        #expect(row.lines.contains { $0.hasPrefix("icao:") && $0.hasSuffix("_ZSP") }, "\(row.lines)")
        let text = row.lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        #expect(text.contains("Zhushan Majiadu Airport (under construction, unknown coordinates)"), "\(text)")
        #expect(row.lines.contains { $0.hasPrefix("tz:") })
        browser.type("q")
        try await frame(of: browser) { $0.foot.contains("q quits") }
        try await quit(browser)
    }

    @Test("Nothing in a value commands the terminal, neither in the list nor in the whole row")
    func treacherousValues() async throws {
        let value = #"{"objectId":"evil","text":"\u001b]0;owned\u0007\u001b[31mred\nsecond line"}"#
        _ = try await liveTable("evil", "add", value)
        let browser = try browse("evil")
        let list = try await browser.output { $0.contains("[31mred⏎second") }
        browser.type("\r")
        let row = try await browser.output { $0.contains("second line") && $0.contains("goes back") }
        for command in ["\u{1B}]", "\u{7}", "\u{1B}[31m"] {
            #expect(!list.contains(command) && !row.contains(command))
        }
        #expect(TerminalFrame.all(in: row).last?.lines.contains { $0.hasSuffix("\u{FFFD}[31mred") } == true)
        browser.type("\u{1B}")
        try await frame(of: browser) { $0.foot.contains("q quits") }
        try await quit(browser)
    }

    @Test("A change of the open row is shown, and its removal too")
    func changesOfTheOpenRow() async throws {
        _ = try await liveTable("open", "add", #"{"objectId":"a","text":"before"}"#)
        let browser = try browse("open")
        try await frame(of: browser) { $0.foot.contains(" live") && $0.lines.joined().contains("before") }
        browser.type("\r")
        try await frame(of: browser) { $0.lines.contains("text:     before") }
        _ = try await liveTable("open", "update", "a", #"{"text":"after"}"#)
        try await frame(of: browser) { $0.lines.contains("text:     after") }
        _ = try await liveTable("open", "remove", "a")
        try await frame(of: browser) { $0.foot.contains("removed") && $0.lines.contains("text:     after") }
        browser.type("q")
        try await frame(of: browser) { $0.foot.contains("no rows") }
        try await quit(browser)
    }

    @Test("A search reads rows that are not loaded, n and N go on, and what is missing is reported")
    func search() async throws {
        let browser = try browse("airports", "--columns", "icao,name", "--sort", "icao")
        try await frame(of: browser) { $0.foot.contains("loaded") }
        browser.type("/tokyo INT")
        try await frame(of: browser) { $0.foot.contains("/tokyo INT") && $0.foot.contains("Esc") }
        browser.type("\r")
        let found = try await frame(of: browser) { $0.foot.contains("“tokyo INT” in name") }
        #expect(found.lines.contains { $0.hasPrefix("▸ RJTT") }, "\(found.lines)")
        browser.type("/no such airport\r")
        try await frame(of: browser) { $0.foot.contains("“no such airport” not found in 28,298 rows") }
        browser.type("g/airpark\r")
        let first = try await frame(of: browser) { $0.foot.contains("“airpark” in") }
        let chosen = first.lines.first { $0.hasPrefix("▸") }
        browser.type("n")
        let next = try await frame(of: browser) { frame in
            frame.foot.contains("“airpark” in") && frame.lines.first { $0.hasPrefix("▸") } != chosen
        }
        #expect(next.lines.contains { $0.hasPrefix("▸") && $0.contains("Airpark") })
        browser.type("N")
        try await frame(of: browser) { frame in
            frame.foot.contains("“airpark” in") && frame.lines.first { $0.hasPrefix("▸") } == chosen
        }
        try await quit(browser)
    }

    @Test("A question mark shows every key, also where few lines fit")
    func help() async throws {
        let browser = try browse("airports", columns: 40, rows: 8)
        try await frame(of: browser) { $0.foot.contains("? help") }
        browser.type("?")
        try await frame(of: browser) { $0.foot.contains("q goes back") && $0.lines[1].hasPrefix("↑ ↓") }
        browser.type("G")
        try await frame(of: browser) { $0.lines[6].hasPrefix("q Ctrl-C") }
        browser.type("q")
        try await frame(of: browser) { $0.foot.contains("q quits") }
        try await quit(browser)
    }

    @Test("Ctrl-Z gives the terminal back to the shell, and fg draws the screen again")
    func suspending() async throws {
        let server = try #require(TestServer.current)
        let program = Program.folder.appendingPathComponent("live-table").path
        let script = #"set -m; "$0" "$@"; echo "status $?"; read line; fg; echo "end $?""#
        let shell = try TerminalProgram(
            "/bin/sh",
            ["-c", script, program, "\(server.url)/airports", "browse"]
        )
        try await shell.output { $0.contains("row 1 of 28,298") && $0.contains("loaded") }
        #expect(!shell.isCooked)
        shell.type("j\u{1A}")
        let stopped = try await shell.output { $0.contains("status ") }
        #expect(shell.isCooked)
        let back = try #require(stopped.ranges(of: "\u{1B}[?1049l").last)
        #expect(!stopped[back.upperBound...].contains("\u{1B}[?1049h"))
        shell.resize(columns: 60, rows: 12)
        shell.type("\n")
        let again = try await shell.output { output in
            TerminalFrame.all(in: output).contains { $0.lines.count == 12 && $0.foot.contains("row 2 of") }
        }
        #expect(again.contains("\u{1B}[?1049h") && again.contains("\u{1B}[?25l"))
        #expect(!shell.isCooked)
        shell.type("q")
        let end = await shell.end()
        #expect(end.output.contains("end 0"))
        #expect(end.status == 0)
    }

    @Test("Ctrl-Z goes on at once where there is no shell to continue the program")
    func suspendingWithoutShell() async throws {
        let browser = try browse("airports")
        try await frame(of: browser) { $0.foot.contains("row 1 of") }
        browser.type("\u{1A}j")
        try await frame(of: browser) { $0.foot.contains("row 2 of") }
        try await quit(browser)
    }

    @Test("The way out stays in the foot at 40 and at 20 columns, and with 5 lines")
    func wayOut() async throws {
        let browser = try browse("airports", columns: 40)
        let narrow = try await frame(of: browser) { $0.foot.contains("row 1 of 28,298") }
        #expect(narrow.foot.contains("q quits") && narrow.lines.allSatisfy { $0.count <= 40 })
        browser.resize(columns: 20, rows: 5)
        let small = try await frame(of: browser) { $0.lines.count == 5 }
        #expect(small.foot.contains("q quits") && small.foot.contains("1/28,298"), "\(small.foot)")
        try await quit(browser)
    }

    @Test("The foot says that rows are loading while the first page is on its way")
    func loading() async throws {
        let server = try FakeServer { line in
            line.contains("/count") ? .http(200, "3") : .silence
        }
        let browser = try TerminalProgram("live-table", ["\(server.url)/t", "browse"])
        let first = try await frame(of: browser) { $0.foot.contains("row 1 of 3") }
        #expect(first.foot.contains("loading") && !first.foot.contains("loaded"))
        try await quit(browser)
    }

    @Test("A narrow terminal gets readable columns, and the names of the others")
    func narrowList() async throws {
        let server = try #require(TestServer.current)
        let words = ["\(server.url)/airports", "list", "--where", "country = 'JP'", "--limit", "5"]
        let end = await (try TerminalProgram("live-table", words, columns: 40)).end()
        #expect(end.status == 0)
        let lines = end.output.split(whereSeparator: \.isNewline)
        #expect(lines.prefix(7).allSatisfy { String($0).count <= 40 }, "\(lines)")
        let names = lines.first?.split(separator: " ").joined(separator: " ")
        #expect(names == "objectId icao iata name city")
        let others = "7 columns have no room: subd, country, elevation, lat, lon, tz, lid."
        #expect(lines.last?.contains(others) == true)
        #expect(lines.last?.contains("--columns") == true)
    }
}
