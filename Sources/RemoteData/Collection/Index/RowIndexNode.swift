/// A node of a ``RowIndex``: plain numbers in as many bytes as a processor reads at once, so that walking the tree costs no
/// reference counting and little waiting for memory.
struct RowIndexNode: Sendable {
    @Link var left: Int
    @Link var right: Int
    @Link var parent: Int
    /// The chunk that was last used before this one; -1 for the one used longest ago.
    @Link var older: Int
    /// The chunk that was used next; -1 for the one used last.
    @Link var newer: Int
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

    /// Another node, by its number in half the bytes; -1 for none.
    @propertyWrapper struct Link: Sendable {
        private var number: Int32 = -1

        var wrappedValue: Int {
            get { Int(number) }
            set { number = Int32(newValue) }
        }
    }
}
