/// Turns rows into text of a format, piece by piece.
protocol RowWriter {
    /// The text for some more rows.
    mutating func text(for rows: [LiveRow]) -> String
    /// The text that ends it all.
    mutating func end() -> String
    /// Columns that turned up too late to be shown.
    var missed: [String] { get }
}

extension RowWriter {
    var missed: [String] { [] }
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
