import RemoteData

/// Something broken on purpose, so that the simulator can be seen to catch it.
package enum Defect: String, Sendable, CaseIterable {
    /// Pages are asked for by position although rows come and go.
    case pagesByOffset
    /// Pages are used without waiting for the changes before them.
    case noFence
    /// Bulk deletions are not told.
    case noTombstones
    /// Frames of a subscription are taken as they come, in whatever order and however often.
    case framesTakenAsTheyCome
    /// Changes that were missed while disconnected are not told to be missed.
    case gapsNotTold
    /// Now and then a change is lost on its way through a buffer that is too small, and nobody is told.
    case changesLost
    /// Writes are sent again without a key that tells the server so.
    case writesWithoutKeys
    /// What an abandoned iteration remembers is kept.
    case iterationsKept
    /// Rows stay although there are more than are to stay.
    case evictsNothing
    /// An answer that does not come is waited for without end.
    case waitsForEver
    /// A store that begins anew cannot be distinguished from the one before it.
    case epochsUnseen
    /// A subscription that was refused is not asked for again.
    case refusalsForGood
}

extension Defect {
    /// What a client with the defect makes of an event.
    func spoil(_ event: ChangeEvent, revision: Revision) -> ChangeEvent? {
        switch (self, event) {
        case (.noTombstones, .change(let change)) where change.kind == .bulkDeleted: .progress(revision)
        case (.gapsNotTold, .reset): nil
        case (.gapsNotTold, .live): .progress(revision)
        case (.changesLost, .change) where revision.rawValue % 7 == 0: .progress(revision)
        default: event
        }
    }
}
