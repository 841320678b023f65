/// The rows of a chunk of a ``RowIndex``, and beside each where its key begins.
///
/// Each row lies in a slot, and their order is a byte for each: a row that comes takes a free slot, and where one goes its
/// slot is free. So a change touches the memory of one row rather than of all those behind it, which would be most of what
/// it costs.
struct RowIndexChunk: Sendable {
    /// The most rows.
    static var limit: Int { inOrder.count }

    /// The keys of the first and the last row.
    struct Ends: Sendable {
        var first: Key
        var last: Key
    }

    private(set) var count = 0
    /// The rows in their slots.
    private(set) var slots: [Row] = []
    /// The beginning of each row's key, by slot.
    private var beginnings: [UInt64] = []
    /// The slots among them that have no row, a bit for each.
    private var free: UInt64 = 0
    /// The slots whose rows callers may hold elements of, a bit for each.
    private(set) var readSlots: UInt64 = 0
    /// The slots in the order of the rows; those behind the last row mean nothing.
    private var order = Self.inOrder
    /// Whether each row lies in the slot of its offset, and there are no others.
    private(set) var isInOrder = true
    /// Nil when there are no rows.
    private(set) var ends: Ends?
    /// What the rows decode to; nil until somebody looked, and again after a change.
    var decoded: DecodedRows?

    init() {}

    /// - Complexity: O(bytes of the rows).
    init(_ rows: [Row], sort: [SortTerm]) {
        self.init(rows, beginnings: Key.beginnings(of: rows, sort: sort), sort)
    }

    private init(_ rows: [Row], beginnings: [UInt64], _ sort: [SortTerm]) {
        count = rows.count
        slots = rows
        self.beginnings = beginnings
        noteEnds(sort)
    }

    private static let inOrder = InlineArray<64, UInt8> { UInt8($0) }
    /// What lies in a slot that is free.
    private static let nothing = Row(id: .integer(0), json: [])
}

// MARK: - Reading

extension RowIndexChunk {
    var isEmpty: Bool { count == 0 }

    /// The row at an offset.
    subscript(offset: Int) -> Row { slots[slot(at: offset)] }

    /// The hash of the id of the row in a slot.
    func mark(inSlot slot: Int) -> UInt64 { slots[slot].idMark }

    /// The rows in their order.
    ///
    /// - Complexity: O(1) where they lie in it, as those of a page do and those that were arranged; otherwise O(n).
    var rows: [Row] { isInOrder ? slots : (0..<count).map { self[$0] } }

    /// Where the key of the row at an offset begins.
    func beginning(at offset: Int) -> UInt64 { beginnings[slot(at: offset)] }

    func slot(at offset: Int) -> Int {
        precondition(offset < count)
        return Int(order[offset])
    }

    /// Whether callers may hold an element of the row at an offset.
    func isRead(_ offset: Int) -> Bool { readSlots >> UInt64(slot(at: offset)) & 1 == 1 }

    func offset(ofSlot slot: Int) -> Int {
        guard !isInOrder else { return slot }
        var offset = 0
        while order[offset] != slot { offset += 1 }
        return offset
    }
}

// MARK: - Changing

extension RowIndexChunk {
    /// - Returns: The slot that the row has taken.
    mutating func insert(_ row: Row, _ beginning: UInt64, at offset: Int, _ sort: [SortTerm]) -> Int {
        let slot = put(row, beginning, at: offset)
        decoded = nil
        if offset == 0 || offset == count - 1 { noteEnds(sort) }
        return slot
    }

    private mutating func put(_ row: Row, _ beginning: UInt64, at offset: Int) -> Int {
        let slot = free == 0 ? slots.count : free.trailingZeroBitCount
        if free == 0 {
            slots.append(row)
            beginnings.append(beginning)
        } else {
            slots[slot] = row
            beginnings[slot] = beginning
            free &= free - 1
        }
        readSlots &= ~(1 << UInt64(slot))
        if offset < count {
            isInOrder = false
            for place in stride(from: count, to: offset, by: -1) { order[place] = order[place - 1] }
        }
        order[offset] = UInt8(slot)
        count += 1
        return slot
    }

    /// - Returns: The slot that the row had.
    mutating func remove(at offset: Int, _ sort: [SortTerm]) -> Int {
        let slot = take(at: offset).slot
        decoded = nil
        if offset == 0 || offset == count { noteEnds(sort) }
        return slot
    }

    private mutating func take(at offset: Int) -> (row: Row, slot: Int) {
        let slot = slot(at: offset)
        count -= 1
        if offset < count {
            for place in offset..<count { order[place] = order[place + 1] }
        }
        if slot == slots.count - 1 {
            beginnings.removeLast()
            return (slots.removeLast(), slot)
        }
        isInOrder = false
        free |= 1 << UInt64(slot)
        var row = Self.nothing
        swap(&row, &slots[slot])
        return (row, slot)
    }

    /// Puts another row in the place of one.
    ///
    /// - Returns: The other one.
    mutating func replace(_ row: consuming Row, at offset: Int, _ sort: [SortTerm]) -> Row {
        let slot = slot(at: offset)
        beginnings[slot] = Key.beginning(of: row, sort: sort)
        readSlots &= ~(1 << UInt64(slot))
        // Exchanged rather than copied: nothing else of the old row is looked at.
        swap(&row, &slots[slot])
        decoded = nil
        if offset == 0 || offset == count - 1 {
            ends = nil
            noteEnds(sort)
        }
        return row
    }

    /// Puts the rows of another chunk behind these.
    ///
    /// - Returns: The slots that they have taken.
    mutating func append(_ other: RowIndexChunk, _ sort: [SortTerm]) -> [Int] {
        let taken = (0..<other.count).map { offset in
            let slot = put(other[offset], other.beginning(at: offset), at: count)
            if other.isRead(offset) { readSlots |= 1 << UInt64(slot) }
            return slot
        }
        noteChange(sort)
        return taken
    }

    /// Takes away the rows from an offset on.
    ///
    /// - Returns: Those, and the slots that they had.
    mutating func split(at offset: Int, _ sort: [SortTerm]) -> (rest: RowIndexChunk, slots: [Int]) {
        let beginnings = (offset..<count).map { beginning(at: $0) }
        let read = readSlots == 0 ? [] : (offset..<count).filter { isRead($0) }
        let taken = (offset..<count).reversed().map { take(at: $0) }
        noteChange(sort)
        var rest = RowIndexChunk(taken.reversed().map(\.row), beginnings: beginnings, sort)
        for place in read { rest.markRead(place - offset) }
        return (rest, taken.reversed().map(\.slot))
    }

    /// Keeps the rows at some offsets, which ascend.
    ///
    /// - Returns: The others, and the slots that they had.
    mutating func keep(_ offsets: [Int], _ sort: [SortTerm]) -> [(row: Row, slot: Int)] {
        let kept = Set(offsets)
        let others = (0..<count).reversed().filter { !kept.contains($0) }.map { take(at: $0) }
        noteChange(sort)
        return others
    }

    /// Lays the rows in their order, for those who read all of them.
    ///
    /// - Returns: The slots that they had.
    mutating func arrange() -> [Int] {
        let taken = (0..<count).map { slot(at: $0) }
        slots = taken.map { slots[$0] }
        beginnings = taken.map { beginnings[$0] }
        if readSlots != 0 {
            let read = taken.indices.filter { readSlots >> UInt64(taken[$0]) & 1 == 1 }
            readSlots = read.reduce(0) { $0 | 1 << UInt64($1) }
        }
        (free, order, isInOrder) = (0, Self.inOrder, true)
        return taken
    }

    /// The slots that have rows, a bit for each.
    var takenSlots: UInt64 { ~free & (slots.count < 64 ? 1 << UInt64(slots.count) - 1 : .max) }

    /// Notes that callers get elements of all rows.
    mutating func markRead() { readSlots = takenSlots }

    /// Has the rows be older than everything in the history that begins.
    mutating func leaveHistory() {
        for slot in slots.indices { slots[slot] = slots[slot].leavingHistory() }
    }

    /// Notes that callers get an element of the row at an offset.
    mutating func markRead(_ offset: Int) { readSlots |= 1 << UInt64(slot(at: offset)) }

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
        if let id = ends?.first.id, !slots[first].has(id) { ends?.first = Key(slots[first], sort: sort) }
        if let id = ends?.last.id, !slots[last].has(id) { ends?.last = Key(slots[last], sort: sort) }
    }
}
