/// The rows of a chunk of a ``RowIndex``, and beside each what tells it from others without reading its JSON.
struct RowIndexChunk: Sendable {
    /// The keys of the first and the last row.
    struct Ends: Sendable {
        var first: Key
        var last: Key
    }

    private(set) var rows: [Row] = []
    /// The hash of each row's id.
    private(set) var marks: [UInt64] = []
    /// The beginning of each row's key.
    private(set) var beginnings: [UInt64] = []
    /// Nil when there are no rows.
    private(set) var ends: Ends?
    /// What the rows decode to, a ``DecodedChunk``; nil until somebody looked, and again after a change.
    var decoded: (any AnyObject & Sendable)?

    init() {}

    /// - Complexity: O(bytes of the rows).
    init(_ rows: [Row], sort: [SortTerm]) {
        self.rows = rows
        marks = rows.map(\.id.mark)
        beginnings = rows.map { Key.beginning(of: $0, sort: sort) }
        noteEnds(sort)
    }
}

// MARK: - Changing

extension RowIndexChunk {
    mutating func insert(_ row: Row, _ mark: UInt64, _ beginning: UInt64, at offset: Int, _ sort: [SortTerm]) {
        rows.insert(row, at: offset)
        marks.insert(mark, at: offset)
        beginnings.insert(beginning, at: offset)
        decoded = nil
        if offset == 0 || offset == rows.count - 1 { noteEnds(sort) }
    }

    mutating func remove(at offset: Int, _ sort: [SortTerm]) -> Row {
        let row = rows.remove(at: offset)
        marks.remove(at: offset)
        beginnings.remove(at: offset)
        decoded = nil
        if offset == 0 || offset == rows.count { noteEnds(sort) }
        return row
    }

    mutating func replace(_ row: Row, at offset: Int, _ sort: [SortTerm]) {
        rows[offset] = row
        marks[offset] = row.id.mark
        beginnings[offset] = Key.beginning(of: row, sort: sort)
        if offset == 0 || offset == rows.count - 1 { ends = nil }
        noteChange(sort)
    }

    /// Puts the rows of another chunk behind these.
    mutating func append(_ other: RowIndexChunk, _ sort: [SortTerm]) {
        rows += other.rows
        marks += other.marks
        beginnings += other.beginnings
        noteChange(sort)
    }

    /// Takes away the rows from an offset on.
    ///
    /// - Returns: Those.
    mutating func split(at offset: Int, _ sort: [SortTerm]) -> RowIndexChunk {
        var rest = RowIndexChunk()
        rest.rows = Array(rows[offset...])
        rest.marks = Array(marks[offset...])
        rest.beginnings = Array(beginnings[offset...])
        rest.noteEnds(sort)
        rows.removeSubrange(offset...)
        marks.removeSubrange(offset...)
        beginnings.removeSubrange(offset...)
        noteChange(sort)
        return rest
    }

    /// Keeps the rows at some offsets, which ascend.
    mutating func keep(_ offsets: [Int], _ sort: [SortTerm]) {
        rows = offsets.map { rows[$0] }
        marks = offsets.map { marks[$0] }
        beginnings = offsets.map { beginnings[$0] }
        noteChange(sort)
    }

    private mutating func noteChange(_ sort: [SortTerm]) {
        decoded = nil
        noteEnds(sort)
    }

    /// Brings the keys at the ends in line with the rows, reading those that are new there.
    private mutating func noteEnds(_ sort: [SortTerm]) {
        guard !rows.isEmpty else {
            ends = nil
            return
        }
        let last = rows.count - 1
        guard ends != nil else {
            ends = Ends(first: Key(rows[0], sort: sort), last: Key(rows[last], sort: sort))
            return
        }
        if ends?.first.id != rows[0].id { ends?.first = Key(rows[0], sort: sort) }
        if ends?.last.id != rows[last].id { ends?.last = Key(rows[last], sort: sort) }
    }
}
