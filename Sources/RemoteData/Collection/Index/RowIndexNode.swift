/// A node of a ``RowIndex``: plain numbers in as many bytes as a processor reads at once, so that walking the tree costs no
/// reference counting and little waiting for memory.
struct RowIndexNode: Sendable {
    private var links: (left: Int32, right: Int32, parent: Int32, older: Int32, newer: Int32) = (
        -1, -1, -1, -1, -1
    )
    var priority: UInt32 = 0
    /// Whether it is a gap of unloaded rows rather than a chunk of loaded ones.
    let isGap: Bool
    /// Positions in this node and below.
    var sum = 0
    /// Positions of gaps in this node and below.
    var unloaded = 0
    /// Positions in this node.
    var weight: Int
    /// The beginnings of the first and the last row's keys, so that finding a place reads few chunks.
    var first: UInt64 = 0
    var last: UInt64 = 0

    init(weight: Int = 0, isGap: Bool = false) {
        self.weight = weight
        self.isGap = isGap
    }
}

// Other nodes, by their numbers; -1 for none.
extension RowIndexNode {
    var left: Int {
        get { Int(links.left) }
        set { links.left = Int32(newValue) }
    }
    var right: Int {
        get { Int(links.right) }
        set { links.right = Int32(newValue) }
    }
    var parent: Int {
        get { Int(links.parent) }
        set { links.parent = Int32(newValue) }
    }
    /// The chunk that was last used before this one; -1 for the one used longest ago.
    var older: Int {
        get { Int(links.older) }
        set { links.older = Int32(newValue) }
    }
    /// The chunk that was used next; -1 for the one used last.
    var newer: Int {
        get { Int(links.newer) }
        set { links.newer = Int32(newValue) }
    }
}
