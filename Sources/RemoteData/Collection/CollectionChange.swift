/// A change of a collection, its rows decoded and its positions resolved.
///
/// Removed and moved-from positions count in the collection before the change, all others after it. A row that is not
/// loaded has a position too: the last one of the unloaded stretch it belongs to.
public struct CollectionChange<Element: Sendable>: Sendable {
    /// What happened.
    public let type: EventType
    /// The rows as they are after a `created` or `updated`, and as they last were, where known, for the others; without
    /// those that do not decode.
    public let rows: [Element]
    /// The ids of all rows concerned, as far as the table tells.
    public let ids: [RowID]
    /// Positions of rows that came.
    public let inserted: [Int]
    /// Positions of rows that went, in stretches: a removal of a million rows is one.
    public let removedRanges: [Range<Int>]
    /// Positions of rows that went, one by one.
    public var removed: [Int] { removedRanges.flatMap(\.self) }
    /// Positions of rows that changed and stayed where they were.
    public let updated: [Int]
    /// Rows that changed and went elsewhere; into an unloaded stretch, or out of one, maybe at the same position.
    public let moved: [CollectionMove]
    /// The ids that rows had before, by those they have now, where a server has given the same rows others.
    ///
    /// Of a `created` only for readers of ``ChangeBuffering/coalescing(limit:)``, who may have met the row before.
    public internal(set) var formerIDs: [RowID: RowID] = [:]
    /// Whether this collection made the change itself.
    public let isOwn: Bool
    /// The table's revision of the change, where it has revisions.
    ///
    /// Nil for what only the collection has changed: a row that goes to the position it was inserted at.
    public let revision: Revision?
    /// Whether other changes before this one were left out: their reader has to look at the collection again.
    ///
    /// Because the reader was too slow, as ``ChangeBuffering`` says, or because the handlers of the
    /// collection were.
    public internal(set) var hasMissed = false
}

extension CollectionChange {
    /// A change without positions.
    init(_ type: EventType, rows: [Element], ids: [RowID], isOwn: Bool, revision: Revision?) {
        self.init(
            type: type,
            rows: rows,
            ids: ids,
            inserted: [],
            removedRanges: [],
            updated: [],
            moved: [],
            isOwn: isOwn,
            revision: revision
        )
    }

    /// What takes the place of changes that were left out.
    static var gap: CollectionChange {
        var gap = CollectionChange(.dataLoaded, rows: [], ids: [], isOwn: false, revision: nil)
        gap.hasMissed = true
        return gap
    }
}
