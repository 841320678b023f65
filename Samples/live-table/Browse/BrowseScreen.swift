import RemoteData

/// Draws what the browser shows.
struct BrowseScreen: Sendable {
    /// What stands in the top line.
    let title: String
    private var list = ListLines()

    init(title: String) { self.title = title }

    /// What a frame is drawn from.
    struct Input {
        /// What is shown.
        var model: BrowseModel
        /// The row at a position; nil for one that is not here yet.
        var row: (Int) -> LiveRow?
        /// How many rows are here.
        var loaded: Int
        /// How it is with the connection.
        var status: String
        /// Whether the connection is not as it has to be.
        var isTroubled = false
        /// What time it is.
        var now: ContinuousClock.Instant
    }

    /// What the terminal shows.
    struct Frame {
        /// The text for the terminal.
        let text: String
        /// The rows on the screen, by position.
        var drawn: [Int: LiveRow] = [:]
        /// The columns on the screen, those not counted that are cut at its edge.
        var columns = 0..<0
    }

    /// Draws a frame.
    ///
    /// - Parameter input: What to draw.
    /// - Returns: The frame, with a line for each line of the terminal.
    mutating func frame(_ input: Input) -> Frame {
        let model = input.model
        let size = model.list.size
        var foot = FootLine()
        var lines: [String]
        var drawn: [Int: LiveRow] = [:]
        var columns = 0..<0
        switch model.mode {
        case .list, .typing:
            (lines, drawn, columns) = list.draw(input, title: heading(size))
            if case .typing(let text) = model.mode {
                foot.addTyped(text, width: size.columns)
            } else {
                foot.addList(input)
            }
        case .row(let view):
            lines = text(view.lines(model.columns, width: size.columns), view.window, model, &foot)
            if view.isRemoved { foot.add("removed meanwhile", rank: 1) }
        case .help(let window):
            lines = text(BrowseHelp.lines(width: size.columns), window, model, &foot)
        }
        lines += Array(repeating: "", count: max(0, size.rows - 1 - lines.count))
        lines = Array(lines.prefix(size.rows - 1))
        lines.append(Style.line(foot.text(width: size.columns), "7", width: size.columns))
        return Frame(text: Self.text(of: lines), drawn: drawn, columns: columns)
    }

    private func heading(_ size: TerminalSize) -> String {
        Style.line(title.printable, "1;7", width: size.columns)
    }

    /// The title and the part of a text that is on the screen.
    private func text(
        _ lines: [String],
        _ window: TextWindow,
        _ model: BrowseModel,
        _ foot: inout FootLine
    ) -> [String] {
        let size = model.list.size
        let visible = window.visible(of: lines.count, height: model.textHeight)
        foot.addText(visible, of: lines.count)
        let shown = lines[visible].map { $0.fitted(to: size.columns) }
        return size.rows > 2 ? [heading(size)] + shown : shown
    }

    private static func text(of lines: some Sequence<String>) -> String {
        // A synchronized update, where the terminal knows it, shows the frame at once.
        var text = "\u{1B}[?2026h"
        // The rest of a line is cleared before: after a line that is full, the last character would be.
        for (index, line) in lines.enumerated() { text += "\u{1B}[\(index + 1);1H\u{1B}[K\(line)" }
        return text + "\u{1B}[?2026l"
    }
}

// MARK: - The foot

extension FootLine {
    /// Fills the foot of the list.
    fileprivate mutating func addList(_ input: BrowseScreen.Input) {
        let list = input.model.list
        if let words = input.model.search?.words {
            add(words, words.fitted(to: max(4, list.size.columns - 9)), rank: 1)
        }
        let (row, count) = ((list.cursor + 1).grouped, list.count.grouped)
        if list.count == 0 {
            add("no rows", rank: 3)
        } else {
            add("row \(row) of \(count)", "\(row)/\(count)", rank: 3)
            let isLoading = input.loaded == 0
            add(isLoading ? "loading" : "\(input.loaded.grouped) loaded", rank: isLoading ? 4 : 7)
        }
        let status = list.size.columns < 60 ? String(input.status.prefix { $0 != "," }) : input.status
        add(status, rank: input.isTroubled ? 2 : 6)
        add("↑↓ PgUp PgDn Home End ←→", rank: 10, isRight: true)
        add("Enter opens", rank: 9, isRight: true)
        add("/ finds", rank: 8, isRight: true)
        add("? help", rank: 5, isRight: true)
        add("q quits", "q", rank: 0, isRight: true)
    }

    /// Fills the foot of the list while a text to find is typed.
    fileprivate mutating func addTyped(_ text: String, width: Int) {
        let typed = "/\(text.printable)▏"
        let wayOut = width < 40 ? "Esc" : "Esc goes back"
        add(typed, typed.fittedAtEnd(to: max(2, width - wayOut.count - 2)), rank: 1)
        add("Enter finds", rank: 2, isRight: true)
        add(wayOut, rank: 0, isRight: true)
    }

    /// Fills the foot of a text.
    fileprivate mutating func addText(_ visible: Range<Int>, of count: Int) {
        if visible.count < count {
            let (first, last) = (visible.lowerBound + 1, visible.upperBound)
            add("lines \(first)–\(last) of \(count.grouped)", "\(first)–\(last)/\(count.grouped)", rank: 2)
            add("↑↓ scrolls", rank: 3, isRight: true)
        }
        add("q goes back", "q", rank: 0, isRight: true)
    }
}
