/// A node of a ``RowIndex``: plain numbers, so that walking it costs no reference counting, and outside of the generic index,
/// so that it costs no look-up of types either.
struct RowIndexNode: Sendable {
    var left = -1
    var right = -1
    var parent = -1
    var priority: UInt64 = 0
    /// Positions in this node and below.
    var sum = 0
    /// Positions of gaps in this node and below.
    var unloaded = 0
    /// Positions in this node.
    var weight = 0
    /// Whether it is a gap of unloaded rows rather than a chunk of loaded ones.
    var isGap = false
    /// The beginnings of the first and the last row's keys, so that finding a place reads few chunks.
    var first: UInt64 = 0
    var last: UInt64 = 0
    /// The chunk that was last used before this one; -1 for the one used longest ago.
    var older = -1
    /// The chunk that was used next; -1 for the one used last.
    var newer = -1
}
