/// What became of a damaged file.
public struct RebuildReport: Sendable, Hashable {
    /// Where the damaged file is now, as it was.
    public let damagedFile: String
    /// How many rows were rescued that labels hold.
    public let heldRows: Int
    /// How many rows were rescued that were written here and came from no server.
    public let ownRows: Int
    /// How many writes were rescued that a server has not agreed to.
    public let writes: Int
    /// The labels that were rescued, sorted.
    public let labels: [String]
}
