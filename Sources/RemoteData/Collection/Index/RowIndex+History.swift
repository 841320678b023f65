// Rows of a history that has begun anew in the same epoch, which their revisions do not show.
extension RowIndex {
    /// Has the rows, and the versions that are kept, be older than everything in the history that begins.
    ///
    /// - Complexity: O(rows).
    mutating func leaveHistory() {
        for node in nodes.indices where !nodes[node].isGap { withChunk(node) { $0.leaveHistory() } }
        former.leaveHistory()
    }
}

extension Row {
    /// The same row at a revision from before anything was written in its epoch.
    func leavingHistory() -> Row {
        guard let revision else { return self }
        return at(Revision(0, epoch: revision.epoch))
    }
}
