import RemoteData
import Testing

@testable import live_table

struct BrowseScreenTests {
    private func row(_ id: Int64, _ text: String) -> LiveRow {
        LiveRow(members: [
            JSONMember(name: "objectId", value: .integer(id)), JSONMember(name: "name", value: .text(text)),
        ])
    }

    private func input(
        _ state: BrowseState,
        seen: [String] = ["objectId", "name"],
        loaded: Int = 7,
        _ row: @escaping (Int) -> LiveRow? = { _ in nil }
    ) -> BrowseScreen.Input {
        var model = BrowseModel(state)
        model.columns = seen
        return BrowseScreen.Input(model: model, row: row, loaded: loaded, status: "live", now: .now)
    }

    private func lines(_ input: BrowseScreen.Input) -> [String] {
        var screen = BrowseScreen(title: "title")
        return TerminalFrame.all(in: screen.frame(input).text).last?.lines ?? []
    }

    private func lines(_ state: BrowseState, _ row: @escaping (Int) -> LiveRow?) -> [String] {
        lines(input(state, row))
    }

    @Test func aFrameHasALineForEachRowOfTheTerminal() {
        let state = BrowseState(size: TerminalSize(columns: 50, rows: 8), count: 3)
        var screen = BrowseScreen(title: "title")
        let frame = screen.frame(input(state)).text
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

    @Test("The foot says that the first page is on its way, and not that no row is loaded")
    func loading() {
        let state = BrowseState(size: TerminalSize(columns: 90, rows: 8), count: 28_298)
        let foot = lines(input(state, loaded: 0)).last
        #expect(foot?.hasPrefix(" row 1 of 28,298 · loading · live") == true, "\(foot ?? "")")
    }

    @Test(
        "The way out stays in the foot of every screen, however small the terminal is",
        arguments: [3, 8, 20, 40, 80, 200],
        [1, 2, 3, 5, 24]
    )
    func wayOut(columns: Int, rows: Int) {
        let state = BrowseState(size: TerminalSize(columns: columns, rows: rows), count: 28_298)
        for keys: [live_table.Key] in [[], [.character("?")], [.enter], [.character("/"), .character("x")]] {
            var input = input(state) { self.row(Int64($0), "x") }
            for key in keys { _ = input.model.handle(key) }
            let lines = lines(input)
            let isTyping = keys.first == .character("/")
            #expect(lines.count == rows)
            #expect(lines.last?.contains(isTyping ? "Esc" : "q") == true, "\(lines)")
            #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(lines)")
        }
    }

    @Test("What matters most stays in the foot as it gets narrower")
    func narrowFoot() {
        func foot(_ columns: Int) -> String {
            lines(input(BrowseState(size: TerminalSize(columns: columns, rows: 5), count: 28_298))).last ?? ""
        }
        #expect(foot(40) == "row 1 of 28,298 · live  ? help · q quits")
        #expect(foot(20) == " 1/28,298   q quits ")
        #expect(foot(80).contains("7 loaded · live"))
    }

    @Test("An outage is in the foot of a narrow terminal, rather than the place")
    func outage() {
        func foot(_ columns: Int) -> String {
            var input = input(BrowseState(size: TerminalSize(columns: columns, rows: 5), count: 28_298))
            (input.status, input.isTroubled) = ("offline, trying again", true)
            return lines(input).last ?? ""
        }
        #expect(foot(20) == " offline    q quits ")
        #expect(foot(40) == " row 1 of 28,298 · offline      q quits ")
        #expect(foot(80).contains("offline, trying again"))
    }

    @Test("The end of a text that is typed stays on the screen", arguments: [10, 20, 40, 80])
    func typing(columns: Int) {
        var input = input(BrowseState(size: TerminalSize(columns: columns, rows: 5), count: 1))
        for character in "/a very long text to find in 東京" { _ = input.model.handle(.character(character)) }
        let foot = lines(input).last ?? ""
        #expect(foot.contains("京▏") && foot.contains("Esc"), "\(foot)")
    }

    @Test("A row is shown in the smallest terminal that has room for one")
    func smallestTerminal() {
        for rows in 2...5 {
            let state = BrowseState(size: TerminalSize(columns: 40, rows: rows), count: 3)
            #expect(lines(state) { row(Int64($0), "here") }.contains { $0.contains("▸        0  here") })
        }
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
        var screen = BrowseScreen(title: "title")
        var input = input(state, seen: ["objectId"]) { row(Int64($0), "x") }
        input.now = now
        let lines = screen.frame(input).text.split(separator: "\u{1B}[K")
        #expect(lines[3].contains(";43m") && lines[4].contains(";41m") && lines[5].contains(";42m"))
    }
}
