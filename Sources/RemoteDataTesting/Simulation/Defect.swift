/// Something broken on purpose, so that the simulator can be seen to catch it.
package enum Defect: String, Sendable, CaseIterable {
    /// Frames of a subscription are taken as they come, in whatever order and however often.
    case framesTakenAsTheyCome
    /// Writes are sent again without a key that tells the server so.
    case writesWithoutKeys
    /// Pages are asked for by their number although rows come and go.
    case pagesByOffset
    /// Pages claim to be older than they are, so that nothing waits for the changes before them.
    case noFence
    /// Bulk deletions are not told.
    case noTombstones
    /// Changes that were missed while disconnected are not told.
    case gapsNotTold
    /// A feed of changes that keeps nothing when it is behind, and does not say so.
    case changesLost
    /// A request that the server does not answer is waited for without end.
    case waitsForEver
}
