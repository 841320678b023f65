/// What others say of a row, which the table of a collection has not told it.
enum RowHint: Sendable {
    /// A table told somebody else of a change.
    ///
    /// - Parameters:
    ///   - isWhole: Whether its kind is that of the whole table.
    ///   - isSameTable: Whether its revisions are those of the collection's table.
    ///   - time: When, in the order of the manager.
    case change(Change, isWhole: Bool, isSameTable: Bool, time: UInt64)
    /// Somebody has another model of the row.
    ///
    /// - Parameters:
    ///   - patch: What the model says.
    ///   - row: The row by what it says alone.
    ///   - time: When, in the order of the manager.
    case model(patch: ArraySlice<UInt8>, row: Row, time: UInt64)
    /// Somebody has other models of what the row is made of.
    ///
    /// - Parameters:
    ///   - patch: What becomes of the row where it is here.
    ///   - time: When, in the order of the manager.
    case parts(RowID, patch: ArraySlice<UInt8>, time: UInt64)
    /// Somebody said that there is no such model any more.
    case gone(RowID, time: UInt64)
}

/// What was said of models.
struct SaidModels: Sendable {
    var news: [ModelID: ModelNews]
    /// When, in the order of the manager.
    let time: UInt64
    /// Whether rows of the collection's table said it, which the collection is told of otherwise.
    let isOfRows: Bool
    /// Whether it is looked at again, because rows have come that may be older.
    var isRepeat = false
}

/// What others say, until its turn has come.
struct WaitingHint: Sendable {
    enum Content: Sendable {
        case row(RowHint)
        /// To be made into hints for rows, for which these have to be looked at.
        case models(SaidModels)
    }

    let content: Content
    /// How many of the collection's own events are older.
    let behind: Int
}
