/// A row that went from one position to another.
public struct CollectionMove: Sendable, Hashable {
    /// Where it was, before the change.
    public let from: Int
    /// Where it is, after the change.
    public let to: Int

    /// Creates a move.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}
