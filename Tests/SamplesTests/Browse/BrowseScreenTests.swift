import RemoteData
import Testing

@testable import live_table

struct BrowseScreenTests {
    private func row(_ id: Int64, _ text: String) -> LiveRow {
        LiveRow(members: [
            JSONMember(name: "objectId", value: .integer(id)), JSONMember(name: "name", value: .text(text)),
        ])
    }

    private func lines(
        _ state: BrowseState,
        _ row: @escaping (Int) -> LiveRow?,
        columns: [String]? = nil
    ) -> [String] {
        var screen = BrowseScreen(title: "title", columns: columns)
        let input = BrowseScreen.Input(
            state: state,
            seen: ["objectId", "name"],
            row: row,
            loaded: 7,
            status: "live",
            now: .now
        )
        return screen.frame(input).text.split(separator: "\u{1B}[K").map {
            String($0).replacing(#/\u{1B}\[[0-9;?]*[a-zA-Z]/#, with: "")
        }.filter { !$0.isEmpty }
    }

    @Test func aFrameHasALineForEachRowOfTheTerminal() {
        let state = BrowseState(size: TerminalSize(columns: 50, rows: 8), count: 3)
        var screen = BrowseScreen(title: "title", columns: nil)
        let input = BrowseScreen.Input(
            state: state,
            seen: [],
            row: { _ in nil },
            loaded: 0,
            status: "",
            now: .now
        )
        let frame = screen.frame(input).text
        for line in 1...8 { #expect(frame.contains("\u{1B}[\(line);1H")) }
        #expect(!frame.contains("\u{1B}[9;1H"))
    }

    @Test func rowsThatAreNotHereHavePlaceholders() {
        let state = BrowseState(size: TerminalSize(columns: 50, rows: 8), count: 3)
        let lines = lines(state) { $0 == 1 ? row(1, "here") : nil }
        #expect(lines[2].hasPrefix("▸ · · ·"))
        #expect(lines[3].hasPrefix("         1  here"))
        #expect(lines[4].hasPrefix("  · · ·"))
    }

    @Test func theStatusTellsPlaceAndConnection() {
        let state = BrowseState(size: TerminalSize(columns: 90, rows: 8), count: 28_298)
        #expect(lines(state) { _ in nil }.last?.hasPrefix(" row 1 of 28,298 · 7 loaded · live") == true)
        let empty = BrowseState(size: TerminalSize(columns: 90, rows: 8), count: 0)
        #expect(lines(empty) { _ in nil }.last?.hasPrefix(" no rows") == true)
    }

    @Test(arguments: [4, 10, 30, 200]) func noLineIsWiderThanTheTerminal(width: Int) {
        let state = BrowseState(size: TerminalSize(columns: width, rows: 8), count: 3)
        for line in lines(state, { row(Int64($0), String(repeating: "東京x", count: 30)) }) {
            #expect(line.displayWidth <= max(width, 2))
        }
    }

    @Test func changedRowsHaveTheirColors() {
        var state = BrowseState(size: TerminalSize(columns: 50, rows: 8), count: 2)
        let now = ContinuousClock.now
        state.marks.mark([1], .created, at: now)
        state.marks.mark([0], .updated, at: now)
        state.marks.keep(row(9, "gone"), at: 1, since: now)
        var screen = BrowseScreen(title: "title", columns: nil)
        let input = BrowseScreen.Input(
            state: state,
            seen: ["objectId"],
            row: { row(Int64($0), "x") },
            loaded: 2,
            status: "",
            now: now
        )
        let lines = screen.frame(input).text.split(separator: "\u{1B}[K")
        #expect(lines[2].contains(";43m") && lines[3].contains(";41m") && lines[4].contains(";42m"))
    }
}
