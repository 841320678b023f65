/// Rows of a collection that match a clause, found without asking the table.
public struct LoadedRows<Element: Sendable>: Sendable {
    /// The rows that are here and match, in the order of the collection, without those that do not decode.
    public let rows: [Element]
    /// Whether no other row matches: at ``revision``, the table had these and no more.
    public let isComplete: Bool
    /// The revision the rows are of; nil where they are not of one moment.
    public let revision: Revision?
}
