/// How many rows a clause matches, counted at one moment.
public struct Count: Hashable, Sendable {
    /// The number of rows.
    public let value: Int
    /// The table's revision when it was counted, where the table has revisions.
    public let revision: Revision?
    /// Whether so many match; otherwise at most so many do, because the clause could not be asked for as a whole.
    public let isExact: Bool

    /// Creates a count.
    public init(_ value: Int, revision: Revision? = nil, isExact: Bool = true) {
        self.value = value
        self.revision = revision
        self.isExact = isExact
    }
}
