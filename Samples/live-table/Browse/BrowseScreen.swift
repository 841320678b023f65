import RemoteData

/// Draws what the browser shows.
struct BrowseScreen: Sendable {
    private static let widest = 40
    private static let gutter = 2
    private static let gap = 2

    /// What stands in the top line.
    let title: String
    /// The columns to show; nil for those seen.
    let columns: [String]?
    private var widths: [String: Int] = [:]

    init(title: String, columns: [String]?) {
        self.title = title
        self.columns = columns
    }

    /// What a frame is drawn from.
    struct Input {
        var state: BrowseState
        /// The columns seen so far.
        var seen: [String]
        /// The row at a position; nil for one that is not here yet.
        var row: (Int) -> LiveRow?
        /// How many rows are here.
        var loaded: Int
        /// How it is with the connection.
        var status: String
        /// What time it is.
        var now: ContinuousClock.Instant
    }

    /// Draws a frame.
    ///
    /// - Parameter input: What to draw.
    /// - Returns: The text for the terminal, and the rows on the screen by position.
    mutating func frame(_ input: Input) -> (text: String, drawn: [Int: LiveRow]) {
        let state = input.state
        let lines = state.lines
        var drawn: [Int: LiveRow] = [:]
        for case .row(let position) in lines { drawn[position] = input.row(position) }
        let names = (columns ?? input.seen).dropFirst(state.firstColumn)
        widen(Array(names), drawn.values)
        var screen = [style(title.printable, "1;7", width: state.size.columns)]
        let titles = names.map { ($0.printable, $0) }
        screen.append(style(line(titles.map { ($0.0, $0.1, false) }, state, isChosen: false), "1;4", state))
        for entry in lines {
            switch entry {
            case .ghost(let ghost):
                screen.append(draw(ghost.row, names, state, state.marks.look(of: ghost, at: input.now)))
            case .row(let position):
                let isChosen = position == state.cursor
                guard let row = drawn[position] else {
                    screen.append(style((isChosen ? "▸ " : "  ") + "· · ·", "2", state))
                    continue
                }
                let look = row.id(in: state.idColumn).flatMap { state.marks.look(of: $0, at: input.now) }
                screen.append(draw(row, names, state, look, isChosen: isChosen))
            }
        }
        while screen.count < state.size.rows - 1 { screen.append("") }
        screen = Array(screen.prefix(state.size.rows - 1))
        screen.append(style(status(input), "7", width: state.size.columns))
        return (Self.text(of: screen), drawn)
    }

    private static func text(of screen: [String]) -> String {
        // A synchronized update, where the terminal knows it, shows the frame at once.
        var text = "\u{1B}[?2026h"
        for (index, line) in screen.enumerated() { text += "\u{1B}[\(index + 1);1H\(line)\u{1B}[K" }
        return text + "\u{1B}[?2026l"
    }

    private mutating func widen(_ names: [String], _ rows: some Collection<LiveRow>) {
        for name in names {
            let widest = rows.map { $0[name].cell.printable.displayWidth }.max() ?? 0
            let width = min(Self.widest, max(name.printable.displayWidth, widest))
            widths[name] = max(widths[name] ?? 1, width)
        }
    }

    private func draw(
        _ row: LiveRow,
        _ names: ArraySlice<String>,
        _ state: BrowseState,
        _ look: Marks.Look?,
        isChosen: Bool = false
    ) -> String {
        let cells = names.map { name in
            let value = row[name]
            return (value.cell.printable, name, value.isNumber)
        }
        return style(line(cells, state, isChosen: isChosen), Self.code(look, isChosen: isChosen), state)
    }

    private func line(
        _ cells: [(text: String, column: String, isNumber: Bool)],
        _ state: BrowseState,
        isChosen: Bool
    ) -> String {
        var text = isChosen ? "▸ " : "  "
        var left = state.size.columns - Self.gutter
        for cell in cells where left > 0 {
            let width = min(left, widths[cell.column] ?? 1)
            let filled = cell.text.filled(to: width)
            if cell.isNumber, width == widths[cell.column] {
                text += String(repeating: " ", count: max(0, width - cell.text.displayWidth))
                text += cell.text.fitted(to: width)
            } else {
                text += filled
            }
            left -= width
            if left > Self.gap { text += "  " }
            left -= Self.gap
        }
        return text
    }

    private func status(_ input: BrowseScreen.Input) -> String {
        let state = input.state
        let place =
            state.count == 0 ? "no rows" : "row \((state.cursor + 1).grouped) of \(state.count.grouped)"
        let left = " \(place) · \(input.loaded.grouped) loaded · \(input.status)"
        let right = "↑↓ PgUp PgDn Home End ←→ · q quits "
        let space = state.size.columns - left.displayWidth - right.displayWidth
        return space < 2 ? left : left + String(repeating: " ", count: space) + right
    }
}

// MARK: - Colors

extension BrowseScreen {
    private func style(_ text: String, _ code: String, _ state: BrowseState) -> String {
        style(text, code, width: min(state.size.columns, text.displayWidth))
    }

    private func style(_ text: String, _ code: String, width: Int) -> String {
        "\u{1B}[0;\(code)m\(text.filled(to: width))\u{1B}[0m"
    }

    /// The colors of a line as parameters of the terminal's SGR command.
    private static func code(_ look: Marks.Look?, isChosen: Bool) -> String {
        let weight = isChosen ? "1" : "22"
        guard let look else { return weight }
        switch (look.kind, look.isFading) {
        case (.created, false): return "\(weight);30;42"
        case (.created, true): return "\(weight);32"
        case (.updated, false): return "\(weight);30;43"
        case (.updated, true): return "\(weight);33"
        case (.removed, false): return "\(weight);97;41"
        case (.removed, true): return "\(weight);31;9"
        }
    }
}
