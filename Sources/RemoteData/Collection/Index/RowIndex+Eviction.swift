// Keeping no more rows than asked for.
extension RowIndex {
    /// Turns the chunks used longest ago into gaps until at most `limit` rows are here.
    ///
    /// No position changes. Rows that are to be kept stay even when there are more of them.
    ///
    /// - Parameters:
    ///   - limit: How many rows may be here.
    ///   - kept: The positions of rows that have to stay, in any order.
    ///   - noting: Called with the positions of rows that are about to go.
    /// - Returns: How many rows went.
    /// - Complexity: O(log n) for each chunk that goes, and for each that was used longer ago and stays.
    @discardableResult
    mutating func evict(
        to limit: Int,
        keeping kept: [Range<Int>],
        noting: (RowIndex, Range<Int>) -> Void = { _, _ in }
    ) -> Int {
        let before = loadedCount
        guard before > limit else { return 0 }
        let kept = kept.sorted { $0.lowerBound < $1.lowerBound }
        let last = newest
        var node = oldest
        while loadedCount > limit, node >= 0 {
            let next = node == last ? -1 : nodes[node].newer
            let parts = range(of: node).without(kept)
            // Looked at no more until others have had their turn.
            if parts.isEmpty { use(node) }
            for part in parts {
                noting(self, part)
                forget(part)
            }
            node = next
        }
        return before - loadedCount
    }
}
