/// The rows of a chunk of a ``RowIndex``, and beside each what tells it from others without reading its JSON.
///
/// Each row lies in a slot, and their order is a byte for each: a row that comes takes the next slot, and where one goes
/// the row of the last slot takes its place. So a change touches the memory of two rows rather than of all those behind
/// it, which would be most of what it costs.
struct RowIndexChunk: Sendable {
    /// The most rows.
    static var limit: Int { inOrder.count }

    /// The keys of the first and the last row.
    struct Ends: Sendable {
        var first: Key
        var last: Key
    }

    /// The rows in their slots.
    private(set) var slots: [Row] = []
    /// The hash of each row's id, by slot.
    private(set) var marks: [UInt64] = []
    /// The beginning of each row's key, by slot.
    private var beginnings: [UInt64] = []
    /// The slots in the order of the rows; those behind the last row mean nothing.
    private var order = Self.inOrder
    private var isInOrder = true
    /// Nil when there are no rows.
    private(set) var ends: Ends?
    /// What the rows decode to, a ``DecodedChunk``; nil until somebody looked, and again after a change.
    var decoded: (any AnyObject & Sendable)?

    init() {}

    /// - Complexity: O(bytes of the rows).
    init(_ rows: [Row], sort: [SortTerm]) {
        slots = rows
        marks = rows.map(\.id.mark)
        beginnings = rows.map { Key.beginning(of: $0, sort: sort) }
        noteEnds(sort)
    }

    private static let inOrder = InlineArray<64, UInt8> { UInt8($0) }
}

// MARK: - Reading

extension RowIndexChunk {
    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// The row at an offset.
    subscript(offset: Int) -> Row { slots[slot(at: offset)] }

    /// The rows in their order.
    ///
    /// - Complexity: O(1) where they lie in it, as those of a page do and those that were arranged; otherwise O(n).
    var rows: [Row] { isInOrder ? slots : slots.indices.map { self[$0] } }

    /// Where the key of the row at an offset begins.
    func beginning(at offset: Int) -> UInt64 { beginnings[slot(at: offset)] }

    private func slot(at offset: Int) -> Int {
        precondition(offset < slots.count)
        return Int(order[offset])
    }

    func offset(ofSlot slot: Int) -> Int {
        guard !isInOrder else { return slot }
        var offset = 0
        while order[offset] != slot { offset += 1 }
        return offset
    }
}

// MARK: - Changing

extension RowIndexChunk {
    mutating func insert(
        _ row: Row,
        _ mark: UInt64,
        _ beginning: UInt64,
        at offset: Int,
        _ sort: [SortTerm]
    ) {
        let slot = slots.count
        slots.append(row)
        marks.append(mark)
        beginnings.append(beginning)
        if offset < slot {
            isInOrder = false
            for place in stride(from: slot, to: offset, by: -1) { order[place] = order[place - 1] }
        }
        order[offset] = UInt8(slot)
        decoded = nil
        if offset == 0 || offset == slot { noteEnds(sort) }
    }

    /// - Returns: The row, and the hash of its id.
    mutating func remove(at offset: Int, _ sort: [SortTerm]) -> (row: Row, mark: UInt64) {
        let (slot, last) = (slot(at: offset), slots.count - 1)
        // The row of the last slot takes the one that is free now.
        if slot != last { order[self.offset(ofSlot: last)] = UInt8(slot) }
        if offset != last {
            isInOrder = false
            for place in offset..<last { order[place] = order[place + 1] }
        }
        slots.swapAt(slot, last)
        marks.swapAt(slot, last)
        beginnings.swapAt(slot, last)
        let (row, mark) = (slots.removeLast(), marks.removeLast())
        beginnings.removeLast()
        decoded = nil
        if offset == 0 || offset == last { noteEnds(sort) }
        return (row, mark)
    }

    /// Puts another row in the place of one.
    ///
    /// - Returns: The hashes of their ids.
    mutating func replace(_ row: Row, at offset: Int, _ sort: [SortTerm]) -> (old: UInt64, new: UInt64) {
        let slot = slot(at: offset)
        let (old, new) = (marks[slot], row.id.mark)
        slots[slot] = row
        marks[slot] = new
        beginnings[slot] = Key.beginning(of: row, sort: sort)
        if offset == 0 || offset == slots.count - 1 { ends = nil }
        noteChange(sort)
        return (old, new)
    }

    /// Puts the rows of another chunk behind these.
    mutating func append(_ other: RowIndexChunk, _ sort: [SortTerm]) {
        let count = slots.count
        for offset in 0..<other.count { order[count + offset] = UInt8(count + other.slot(at: offset)) }
        isInOrder = isInOrder && other.isInOrder
        slots += other.slots
        marks += other.marks
        beginnings += other.beginnings
        noteChange(sort)
    }

    /// Takes away the rows from an offset on.
    ///
    /// - Returns: Those.
    mutating func split(at offset: Int, _ sort: [SortTerm]) -> RowIndexChunk {
        var rest = self
        rest.keep(Array(offset..<count), sort)
        keep(Array(0..<offset), sort)
        return rest
    }

    /// Keeps the rows at some offsets, which ascend.
    ///
    /// - Returns: The hashes of the ids of the others.
    @discardableResult
    mutating func keep(_ offsets: [Int], _ sort: [SortTerm]) -> [UInt64] {
        var isKept = Array(repeating: false, count: count)
        for offset in offsets { isKept[slot(at: offset)] = true }
        let others = marks.indices.filter { !isKept[$0] }.map { marks[$0] }
        arrange(offsets)
        noteChange(sort)
        return others
    }

    /// Lays the rows in their order, for those who read all of them.
    mutating func arrange() { if !isInOrder { arrange(Array(slots.indices)) } }

    private mutating func arrange(_ offsets: [Int]) {
        let kept = offsets.map { slot(at: $0) }
        slots = kept.map { slots[$0] }
        marks = kept.map { marks[$0] }
        beginnings = kept.map { beginnings[$0] }
        (order, isInOrder) = (Self.inOrder, true)
    }

    private mutating func noteChange(_ sort: [SortTerm]) {
        decoded = nil
        noteEnds(sort)
    }

    /// Brings the keys at the ends in line with the rows, reading those that are new there.
    private mutating func noteEnds(_ sort: [SortTerm]) {
        guard !isEmpty else {
            ends = nil
            return
        }
        let (first, last) = (slot(at: 0), slot(at: count - 1))
        guard ends != nil else {
            ends = Ends(first: Key(slots[first], sort: sort), last: Key(slots[last], sort: sort))
            return
        }
        if ends?.first.id != slots[first].id { ends?.first = Key(slots[first], sort: sort) }
        if ends?.last.id != slots[last].id { ends?.last = Key(slots[last], sort: sort) }
    }
}
