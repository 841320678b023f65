/// Rows read at one moment.
public struct Page: Sendable {
    /// The rows in query order.
    public let rows: [Row]
    /// The table's revision the page was read at, where the table has revisions.
    public let revision: Revision?

    /// Creates a page.
    public init(rows: [Row], revision: Revision? = nil) {
        self.rows = rows
        self.revision = revision
    }
}
