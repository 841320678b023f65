/// The newest changes of a table, up to a number.
struct ChangeLog: Sendable {
    /// Where the log begins: changes after this revision are all here.
    private(set) var start: Revision
    private let capacity: Int
    private var changes: [RowChange] = []
    /// How many of `changes` have been dropped but still take up room.
    private var dropped = 0

    /// - Parameters:
    ///   - capacity: How many changes it keeps.
    ///   - start: Where it begins.
    init(capacity: Int, start: Revision = .zero) {
        self.capacity = Swift.max(0, capacity)
        self.start = start
    }

    /// Adds changes with growing revisions.
    ///
    /// - Complexity: O(`new`), amortized.
    mutating func append(_ new: [RowChange]) {
        changes += new
        let excess = changes.count - dropped - capacity
        guard excess > 0 else { return }
        start = changes[dropped + excess - 1].revision
        dropped += excess
        guard dropped > capacity else { return }
        changes.removeFirst(dropped)
        dropped = 0
    }

    /// Forgets every change there is; the log then begins at a revision.
    mutating func forget(through revision: Revision) {
        changes = []
        dropped = 0
        start = revision
    }

    /// The changes after a revision of the log's history, oldest first; nil when some are no longer here.
    ///
    /// - Complexity: O(log(changes here)).
    func changes(since revision: Revision) -> ArraySlice<RowChange>? {
        guard revision >= start else { return nil }
        var (low, high) = (dropped, changes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if changes[middle].revision > revision { high = middle } else { low = middle + 1 }
        }
        return changes[low...]
    }
}
