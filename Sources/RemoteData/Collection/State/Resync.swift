/// Whether the rows have to be compared with the table, because changes may have been missed.
enum Resync: Sendable {
    /// They have not.
    case notNeeded
    /// They have.
    case needed
    /// They have, but the table refuses it for good; until something else shows that they have to be.
    case refused
}
