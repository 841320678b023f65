/// The newest changes of a table, up to a number, and to a number of bytes of their rows.
struct ChangeLog: Sendable {
    /// Where the log begins: changes after this revision are all here.
    private(set) var start: Revision
    private let capacity: (changes: Int, bytes: Int)
    private var changes: [RowChange] = []
    /// How many bytes the changes have that are kept.
    private var bytes = 0
    /// How many of `changes` have been dropped but still take up room, and their bytes.
    private var dropped = (changes: 0, bytes: 0)

    /// - Parameters:
    ///   - capacity: How many changes it keeps.
    ///   - bytes: How many bytes their rows have at most.
    ///   - start: Where it begins.
    init(capacity: Int, bytes: Int = 64 << 20, start: Revision = .zero) {
        self.capacity = (Swift.max(0, capacity), bytes)
        self.start = start
    }

    /// Adds changes with growing revisions.
    ///
    /// - Complexity: O(`new`), amortized.
    mutating func append(_ new: [RowChange]) {
        changes += new
        bytes += new.reduce(0) { $0 + $1.byteCount }
        while bytes > capacity.bytes || changes.count - dropped.changes > capacity.changes {
            let oldest = changes[dropped.changes]
            start = oldest.revision
            bytes -= oldest.byteCount
            dropped = (dropped.changes + 1, dropped.bytes + oldest.byteCount)
        }
        guard dropped.changes > capacity.changes || dropped.bytes > capacity.bytes else { return }
        changes.removeFirst(dropped.changes)
        dropped = (0, 0)
    }

    /// Forgets every change there is; the log then begins at a revision.
    mutating func forget(through revision: Revision) {
        changes = []
        (bytes, dropped) = (0, (0, 0))
        start = revision
    }

    /// The changes after a revision of the log's history, oldest first; nil when some are no longer here.
    ///
    /// - Complexity: O(log(changes here)).
    func changes(since revision: Revision) -> ArraySlice<RowChange>? {
        guard revision >= start else { return nil }
        var (low, high) = (dropped.changes, changes.count)
        while low < high {
            let middle = low + (high - low) / 2
            if changes[middle].revision > revision { high = middle } else { low = middle + 1 }
        }
        return changes[low...]
    }
}
