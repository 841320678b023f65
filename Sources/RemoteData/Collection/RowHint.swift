/// What others say of a row, which the table of a collection has not told it.
enum RowHint: Sendable {
    /// A table told somebody else of a change.
    ///
    /// - Parameters:
    ///   - isWhole: Whether its kind is that of the whole table.
    ///   - isSameTable: Whether its revisions are those of the collection's table.
    case change(Change, isWhole: Bool, isSameTable: Bool)
    /// Somebody has another model of the row.
    ///
    /// - Parameters:
    ///   - patch: What the model says.
    ///   - row: The row by what it says alone.
    ///   - time: When, in the order of the manager.
    case model(patch: ArraySlice<UInt8>, row: Row, time: UInt64)
    /// Somebody said that there is no such model any more.
    case gone(RowID, time: UInt64)
}
