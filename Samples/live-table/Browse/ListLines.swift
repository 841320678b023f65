import RemoteData

/// Draws the list of the browser: the names of the columns, and a line for each row.
struct ListLines: Sendable {
    private static let widest = 40
    private static let gutter = 2
    private static let gap = 2

    /// Columns grow with the rows seen, and do not shrink.
    private var widths: [String: Int] = [:]

    /// A cell of a line.
    private struct Cell {
        let text: String
        let column: String
        var isNumber = false
    }

    /// Draws the lines above the foot.
    ///
    /// - Parameters:
    ///   - input: What to draw.
    ///   - title: The top line.
    /// - Returns: The lines, the rows on them by position, and the columns that are whole.
    mutating func draw(
        _ input: BrowseScreen.Input,
        title: String
    ) -> (lines: [String], rows: [Int: LiveRow], columns: Range<Int>) {
        let state = input.model.list
        let entries = state.lines
        var rows: [Int: LiveRow] = [:]
        for case .row(let position) in entries { rows[position] = input.row(position) }
        let names = input.model.listColumns.dropFirst(state.firstColumn)
        widen(names, rows.values)
        let header = line(names.map { Cell(text: $0.printable, column: $0) }, state, isChosen: false)
        // The names of the columns stay longer than the title where there is no room.
        var lines = Array([title, style(header, "1;4", state)].suffix(state.headerHeight))
        for entry in entries {
            switch entry {
            case .ghost(let ghost):
                lines.append(draw(ghost.row, names, state, state.marks.look(of: ghost, at: input.now)))
            case .row(let position):
                let isChosen = position == state.cursor
                guard let row = rows[position] else {
                    lines.append(style((isChosen ? "▸ " : "  ") + "· · ·", "2", state))
                    continue
                }
                let look = row.id(in: state.idColumn).flatMap { state.marks.look(of: $0, at: input.now) }
                lines.append(draw(row, names, state, look, isChosen: isChosen))
            }
        }
        return (lines, rows, wholeColumns(names, state))
    }

    private mutating func widen(_ names: ArraySlice<String>, _ rows: some Collection<LiveRow>) {
        for name in names {
            let widest = rows.map { $0[name].cell.printable.displayWidth }.max() ?? 0
            let width = min(Self.widest, max(name.printable.displayWidth, widest))
            widths[name] = max(widths[name] ?? 1, width)
        }
    }

    private func wholeColumns(_ names: ArraySlice<String>, _ state: BrowseState) -> Range<Int> {
        var left = state.size.columns - Self.gutter
        var end = state.firstColumn
        for name in names {
            left -= widths[name] ?? 1
            guard left >= 0 else { break }
            left -= Self.gap
            end += 1
        }
        return state.firstColumn..<max(end, min(state.firstColumn + 1, names.endIndex))
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
            return Cell(text: value.cell.printable, column: name, isNumber: value.isNumber)
        }
        return style(line(cells, state, isChosen: isChosen), Style.code(look, isChosen: isChosen), state)
    }

    private func line(_ cells: [Cell], _ state: BrowseState, isChosen: Bool) -> String {
        var text = isChosen ? "▸ " : "  "
        var left = state.size.columns - Self.gutter
        for cell in cells where left > 0 {
            let width = min(left, widths[cell.column] ?? 1)
            if cell.isNumber, width == widths[cell.column] {
                text += String(repeating: " ", count: max(0, width - cell.text.displayWidth))
                text += cell.text.fitted(to: width)
            } else {
                text += cell.text.filled(to: width)
            }
            left -= width
            if left > Self.gap { text += "  " }
            left -= Self.gap
        }
        return text
    }

    private func style(_ text: String, _ code: String, _ state: BrowseState) -> String {
        Style.line(text, code, width: min(state.size.columns, text.displayWidth))
    }
}
