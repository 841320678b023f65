/// A part of a table's change log.
public struct ChangeBatch: Sendable {
    /// The changes in order.
    public let changes: [Change]
    /// The revision the changes lead up to; ask for more after it when ``isComplete`` is false.
    public let revision: Revision
    /// Whether nothing further had changed when this was read.
    public let isComplete: Bool

    /// Creates a batch.
    public init(changes: [Change], revision: Revision, isComplete: Bool) {
        self.changes = changes
        self.revision = revision
        self.isComplete = isComplete
    }
}
