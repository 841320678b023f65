/// Rows as a table for people: columns under one another, as wide as the first rows need.
struct TableFormat: RowWriter {
    private var columns: [String]?
    private let isFixed: Bool
    private let width: Int?
    private var layout: [Column] = []
    private(set) var missed: [String] = []
    private(set) var leftOut: [String] = []

    private struct Column {
        let key: String
        let name: String
        var width: Int
        let isNumber: Bool
    }

    /// Starts a table.
    ///
    /// - Parameters:
    ///   - columns: The columns to show; nil for those of the first rows.
    ///   - width: How many places a line has, to which wide tables are fitted; nil for as many as it takes.
    init(columns: [String]?, width: Int?) {
        self.columns = columns
        isFixed = columns != nil
        self.width = width
    }

    mutating func text(for rows: [LiveRow]) -> String {
        var text = ""
        if layout.isEmpty {
            let names = columns ?? rows.columnNames
            columns = names
            layOut(names, rows)
            text += line(layout.map(\.name))
            text += line(layout.map { String(repeating: "-", count: $0.width) })
        }
        if !isFixed { rows.noteMissed(columns ?? [], in: &missed) }
        for row in rows { text += line(layout.map { row[$0.key].cell.printable }) }
        return text
    }

    mutating func end() -> String { layout.isEmpty && columns != nil ? text(for: []) : "" }

    private mutating func layOut(_ names: [String], _ rows: [LiveRow]) {
        layout = names.map { name in
            let values = rows.map { $0[name] }
            let widest = values.map { $0.cell.printable.displayWidth }.max() ?? 0
            return Column(
                key: name,
                name: name.printable,
                width: max(name.printable.displayWidth, widest),
                isNumber: values.contains { $0.isNumber } && values.allSatisfy { $0.isNumber || $0 == .null }
            )
        }
        guard let width else { return }
        let count = ColumnWidths.count(layout.map(\.width), into: width, gap: 2)
        leftOut = layout.dropFirst(count).map(\.key)
        layout = Array(layout.prefix(count))
        let fitted = ColumnWidths.fit(layout.map(\.width), into: width, gap: 2)
        for (index, width) in fitted.enumerated() { layout[index].width = width }
    }

    private func line(_ cells: [String]) -> String {
        var text = ""
        for (index, column) in layout.enumerated() {
            let isLast = index == layout.count - 1
            let cell = width == nil ? cells[index] : cells[index].fitted(to: column.width)
            let padding = String(repeating: " ", count: max(0, column.width - cell.displayWidth))
            if column.isNumber { text += padding + cell } else { text += isLast ? cell : cell + padding }
            if !isLast { text += "  " }
        }
        return (width.map { text.fitted(to: $0) } ?? text) + "\n"
    }
}
