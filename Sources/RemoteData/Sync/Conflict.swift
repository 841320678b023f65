/// Two versions of a row that came to be without knowledge of each other: one written here, one on the server.
public struct Conflict: Sendable {
    /// The table.
    public let table: String
    /// The row as the server had it when it was changed here; nil when there was none, or it is not known.
    public let base: Row?
    /// The row as it is to be by what was written here; nil when it was removed here.
    public let mine: Row?
    /// The row as the server has it, as far as it is known here; nil when it was removed there.
    public let theirs: Row?

    /// Creates a conflict.
    public init(table: String, base: Row?, mine: Row?, theirs: Row?) {
        (self.table, self.base, self.mine, self.theirs) = (table, base, mine, theirs)
    }

    /// What becomes of it.
    public enum Resolution: Sendable, Hashable {
        /// The server's version stays; what was written here is rejected.
        case theirs
        /// The version written here takes its place.
        case mine
        /// A third version takes the place of both: a JSON object with the row's id.
        case row(ArraySlice<UInt8>)
    }
}
