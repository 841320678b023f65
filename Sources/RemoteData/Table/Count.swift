/// How many rows a clause matches, counted at one moment.
public struct Count: Hashable, Sendable {
    /// The number of rows.
    public let value: Int
    /// The table's revision when it was counted, where the table has revisions.
    public let revision: Revision?

    /// Creates a count.
    public init(_ value: Int, revision: Revision? = nil) {
        self.value = value
        self.revision = revision
    }
}
