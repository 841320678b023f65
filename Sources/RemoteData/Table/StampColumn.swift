/// A column in which a table itself writes the date of each change of a row.
///
/// After changes have been missed it spares reading rows that have not changed. The clocks of a server's machines may
/// differ, and so may the order in which changes are stamped and made: how much, the table says.
public struct StampColumn: Sendable, Hashable {
    /// The column, a date by the table's convention.
    public let column: ColumnPath
    /// How much earlier than a change that was seen one that was not may be stamped.
    public let overlap: Duration

    /// Names the column.
    public init(_ column: ColumnPath, overlap: Duration = .seconds(10)) {
        self.column = column
        self.overlap = overlap
    }
}
