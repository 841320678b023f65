/// Turns rows into text of a format, piece by piece.
protocol RowWriter {
    /// The text for some more rows.
    mutating func text(for rows: [LiveRow]) -> String
    /// The text that ends it all.
    mutating func end() -> String
    /// Columns that turned up too late to be shown.
    var missed: [String] { get }
    /// Columns that have no room on a line.
    var leftOut: [String] { get }
}

extension RowWriter {
    var missed: [String] { [] }
    var leftOut: [String] { [] }

    /// What to say about columns that are not shown, a line for each reason.
    var remarks: [String] {
        var lines: [String] = []
        if !leftOut.isEmpty {
            let (count, names) = (leftOut.count, leftOut.map(\.printable).joined(separator: ", "))
            lines.append(
                "\(count) \(count == 1 ? "column has" : "columns have") no room: \(names)."
                    + " Choose columns with --columns, or see all with --format json."
            )
        }
        if !missed.isEmpty {
            let names = missed.map(\.printable).joined(separator: ", ")
            lines.append("not shown, as they turned up late: \(names). Name the columns with --columns.")
        }
        return lines
    }
}

extension Format {
    /// A writer of this format.
    ///
    /// - Parameters:
    ///   - columns: The columns to show; nil for all.
    ///   - width: How many places a line has; nil for as many as it takes.
    /// - Returns: The writer.
    func writer(columns: [String]?, width: Int?) -> any RowWriter {
        switch self {
        case .table: TableFormat(columns: columns, width: width)
        case .json: JSONFormat()
        case .csv: CSVFormat(columns: columns)
        }
    }
}
