/// Rows read at one moment.
public struct Page: Sendable {
    /// The rows in query order, without those that could not be read.
    public let rows: [Row]
    /// The table's revision the page was read at, where the table has revisions.
    public let revision: Revision?
    /// The rows that could not be read, by position.
    ///
    /// They count towards the page's size: the table delivered as many rows as there are in `rows` and here.
    public let failures: [RowFailure]
    /// Whether rows follow although there are fewer than asked for, because they are too large for one answer.
    ///
    /// Such a page holds at least one row.
    public let endsEarly: Bool

    /// Creates a page.
    public init(
        rows: [Row],
        revision: Revision? = nil,
        failures: [RowFailure] = [],
        endsEarly: Bool = false
    ) {
        self.rows = rows
        self.revision = revision
        self.failures = failures
        self.endsEarly = endsEarly
    }
}
