/// What a mutation did.
public struct Outcome: Sendable, Hashable {
    /// The rows as stored, in the order of the mutation, each with its revision where the table tells.
    ///
    /// A table that answers a bulk write with ids alone leaves this empty.
    public let rows: [Row]
    /// The ids written or removed, in the order of the mutation; empty for writes by clause.
    public let ids: [RowID]
    /// How many rows were written or removed.
    public let count: Int
    /// The table's revision after the mutation, where it has revisions.
    public let revision: Revision?

    /// Creates an outcome.
    public init(rows: [Row] = [], ids: [RowID] = [], count: Int, revision: Revision? = nil) {
        self.rows = rows
        self.ids = ids
        self.count = count
        self.revision = revision
    }
}
