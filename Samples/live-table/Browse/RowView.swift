import RemoteData

/// One row with every column whole, as a text to scroll through.
struct RowView: Sendable {
    /// The row; nil while it is on its way.
    private(set) var row: LiveRow?
    /// Whether the row is gone from the table.
    private(set) var isRemoved = false
    /// What of the text is on the screen.
    var window = TextWindow()

    /// Takes in the row, when it was on its way.
    mutating func fill(_ row: LiveRow) { self.row = self.row ?? row }

    /// Takes in a change, when it is one of this row.
    mutating func apply(_ change: CollectionChange<LiveRow>, idColumn: String) {
        guard let id = row?.id(in: idColumn) else { return }
        switch change.type {
        case .created, .updated:
            guard let newest = change.rows.last(where: { $0.id(in: idColumn) == id }) else { return }
            (row, isRemoved) = (newest, false)
        case .deleted, .bulkDeleted: isRemoved = isRemoved || change.ids.contains(id)
        case .dataLoaded: break
        }
    }

    /// The text: the name of each column and its value, wrapped.
    ///
    /// - Parameters:
    ///   - columns: The columns of the table, in their order; the row may have more.
    ///   - width: How many places a line has.
    /// - Returns: The lines, without anything that a terminal takes for a command.
    func lines(_ columns: [String], width: Int) -> [String] {
        guard let row else { return ["· · ·"] }
        let names = row.names(after: columns)
        let widest = names.map { $0.printable.displayWidth + 2 }.max() ?? 0
        let indent = min(widest, max(2, width / 3))
        return names.flatMap { name -> [String] in
            let label = "\(name.printable):"
            let value = Self.text(of: row[name]).wrapped(to: width - indent)
            let margin = String(repeating: " ", count: indent)
            if label.displayWidth < indent {
                let rest = value.dropFirst().map { margin + $0 }
                return [label.filled(to: indent) + (value.first ?? "")] + rest
            }
            return label.wrapped(to: width) + value.map { margin + $0 }
        }
    }

    /// The value as text; what is no text and empty text have a form that shows it.
    private static func text(of value: JSONValue) -> String {
        if case .text(let text) = value, !text.isEmpty { return text }
        return value.json
    }
}
