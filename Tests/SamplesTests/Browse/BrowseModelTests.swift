import Testing

@testable import live_table

struct BrowseModelTests {
    private func model(_ count: Int = 100, columns: Int = 80, rows: Int = 13) -> BrowseModel {
        var model = BrowseModel(BrowseState(size: TerminalSize(columns: columns, rows: rows), count: count))
        model.columns = ["objectId", "name"]
        return model
    }

    /// Types keys, and returns what the last one asks for.
    @discardableResult
    private func type(_ text: String, _ keys: Key..., in model: inout BrowseModel) -> BrowseModel.Request? {
        var request: BrowseModel.Request?
        for key in text.map({ Key.character($0) }) + keys { request = model.handle(key) }
        return request
    }

    private func row(_ members: (String, JSONValue)...) -> LiveRow {
        LiveRow(members: members.map { JSONMember(name: $0, value: $1) })
    }

    private func lines(_ model: BrowseModel) -> [String] {
        guard case .row(let view) = model.mode else { return [] }
        return view.lines(model.columns, width: model.list.size.columns)
    }

    @Test("Ctrl-C quits and Ctrl-Z suspends, whatever is on the screen", arguments: ["", "?", "/x"])
    func everywhere(keys: String) {
        var model = model()
        type(keys, in: &model)
        #expect(model.handle(.suspend) == .suspend)
        #expect(model.handle(.interrupt) == .quit)
    }

    @Test("q quits the list, goes back from other screens, and is a letter of a text to find")
    func wayOut() {
        var model = model()
        #expect(type("?q", in: &model) == nil)
        #expect(type("", .enter, .character("q"), in: &model) == nil)
        #expect(type("", .enter, .escape, in: &model) == nil)
        #expect(type("/q", in: &model) == nil)
        guard case .typing("q") = model.mode else {
            Issue.record("\(model.mode)")
            return
        }
        #expect(type("", .escape, .character("q"), in: &model) == .quit)
    }

    @Test("Enter opens the chosen row with every column, those too that it does not have")
    func details() {
        var model = model()
        type("jj", .enter, in: &model)
        #expect(model.missingRow == 2)
        #expect(lines(model) == ["· · ·"])
        model.fill(row(("name", .text("one\ntwo")), ("extra", .null), ("empty", .text(""))))
        #expect(model.missingRow == nil)
        #expect(
            lines(model) == [
                "objectId: null", "name:     one", "          two", "extra:    null", #"empty:    """#,
            ]
        )
    }

    @Test("A value that is longer than the line is wrapped, and nothing in it commands the terminal")
    func longValues() {
        var model = model(columns: 20)
        type("", .enter, in: &model)
        let text = String(repeating: "東京 ", count: 10) + "\u{1B}[31mend"
        model.fill(row(("objectId", .integer(7)), ("name", .text(text))))
        let lines = lines(model)
        #expect(lines.allSatisfy { $0.displayWidth <= 20 })
        #expect(lines.prefix(2) == ["objectId:", "      7"])
        #expect(lines.joined().filter { $0 == "東" }.count == 10)
        #expect(lines.last?.hasSuffix("\u{FFFD}[31mend") == true)
    }

    @Test("A long row scrolls to its end and no further")
    func scrolling() {
        var model = model(rows: 6)
        type("", .enter, in: &model)
        model.fill(row(("name", .text((1...9).map(String.init).joined(separator: "\n")))))
        func visible() -> Range<Int>? {
            guard case .row(let view) = model.mode else { return nil }
            return view.window.visible(of: lines(model).count, height: model.textHeight)
        }
        #expect(visible() == 0..<4)
        type("j", .down, in: &model)
        #expect(visible() == 2..<6)
        type("", .end, .down, in: &model)
        #expect(visible() == 6..<10)
        type("gk", in: &model)
        #expect(visible() == 0..<4)
    }

    @Test("The list moves by letters, and not while a text is typed")
    func letters() {
        var model = model()
        type("jjjk", in: &model)
        #expect(model.list.cursor == 2)
        type("/jjj", in: &model)
        #expect(model.list.cursor == 2)
        type("", .backspace, .backspace, .backspace, .backspace, in: &model)
        type("G", in: &model)
        #expect(model.list.cursor == 99)
    }

    @Test("A search begins with the chosen row, n goes on after it, N goes back")
    func searching() {
        var model = model()
        #expect(type("n", in: &model) == nil)
        guard case .search(let first) = type("/Zürich", .enter, in: &model) else {
            Issue.record("no search")
            return
        }
        #expect(first.text == "Zürich" && first.isForward && first.includesCursor)
        model.note(.found(Search.Match(position: 50, column: "name")), of: first.number)
        #expect(model.list.cursor == 50 && model.list.top <= 50 && model.list.top + model.list.height > 50)
        #expect(model.search?.words == "“Zürich” in name")
        guard case .search(let next) = type("n", in: &model), case .search(let back) = type("N", in: &model)
        else {
            Issue.record("no further search")
            return
        }
        #expect(next.text == "Zürich" && next.isForward && !next.includesCursor)
        #expect(back.text == "Zürich" && !back.isForward && !back.includesCursor)
        // The search before the last one counts no more.
        model.note(.found(Search.Match(position: 7, column: "name")), of: next.number)
        #expect(model.list.cursor == 50)
        model.note(.missing(of: 100), of: back.number)
        #expect(model.search?.words == "“Zürich” not found in 100 rows")
        type("j", in: &model)
        #expect(model.search?.words == nil)
    }

    @Test("Esc stops a search, and moving does not")
    func stopping() {
        var model = model()
        type("/x", .enter, in: &model)
        type("j", in: &model)
        #expect(model.search?.isRunning == true && model.list.cursor == 1)
        #expect(type("", .escape, in: &model) == .stopSearch)
        #expect(model.search?.words == "search stopped")
    }

    @Test(
        "A search looks at every row once, in order, and at the chosen one first or last",
        arguments: [true, false],
        [true, false]
    )
    func order(isForward: Bool, includesCursor: Bool) {
        let search = Search(number: 1, text: "x", isForward: isForward, includesCursor: includesCursor)
        for (count, cursor) in [(10, 0), (10, 4), (10, 9), (1, 0), (7, 6)] {
            let ranges = search.ranges(from: cursor, count: count, length: 3)
            #expect(ranges.allSatisfy { $0.count <= 3 && !$0.isEmpty })
            let positions = ranges.flatMap { isForward ? Array($0) : $0.reversed() }
            let step = isForward ? 1 : count - 1
            let first = includesCursor ? cursor : (cursor + step) % count
            #expect(positions == (0..<count).map { (first + $0 * step) % count })
        }
        #expect(search.ranges(from: 0, count: 0, length: 3).isEmpty)
    }

    @Test("Texts are found whatever their case and accents")
    func matching() {
        let row = row(("a", .integer(42)), ("b", .text("Zürich")), ("c", .null))
        #expect(row.column(with: "zur", among: ["a", "b"]) == "b")
        #expect(row.column(with: "4", among: ["a", "b"]) == "a")
        #expect(row.column(with: "null", among: ["a", "b", "c"]) == nil)
    }
}
