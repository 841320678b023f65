/// A change to be made to a table; all of it or nothing.
public enum Mutation: Sendable, Hashable {
    /// Adds rows; an id already present is refused with `alreadyExists`.
    case create([Draft])
    /// Adds rows or replaces those with the same id.
    case upsert([Draft])
    /// Puts the members of a JSON object in place of the row's own; refused with `conflict` when `ifRevision` is not
    /// the row's revision, with `notFound` when there is no row.
    case update(RowID, patch: ArraySlice<UInt8>, ifRevision: Revision? = nil)
    /// Puts the members of a JSON object in every row that matches; all rows for nil.
    case updateAll(Where?, patch: ArraySlice<UInt8>)
    /// Removes a row; refused like an update.
    case delete(RowID, ifRevision: Revision? = nil)
    /// Removes every row that matches; all rows for nil.
    case deleteAll(Where?)
}
