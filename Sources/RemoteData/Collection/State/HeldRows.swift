/// Rows that were inserted at a position of the caller's choice and keep it until the next refresh.
///
/// They lie over the index, which knows nothing of them. The layer that shows them is an index of its own, in which they
/// are the loaded rows and the positions of the index below are gaps; behind its last row it goes on without end.
struct HeldRows: Sendable {
    private let sort: [SortTerm]
    private var layer = RowIndex()
    /// The rows in the order of the query, to know how many sort in front of a key.
    private var sorted: RowIndex
    /// Grows with every row that comes or goes.
    private(set) var version = 0

    /// - Parameters:
    ///   - sort: The order of the query.
    ///   - other: Those that these take the place of.
    init(sort: [SortTerm] = [], replacing other: HeldRows? = nil) {
        self.sort = sort
        sorted = RowIndex(sort: sort)
        if let other { layer.takeVersions(from: other.layer) }
    }

    var count: Int { layer.loadedCount }

    /// The rows that have come since this was asked last; nil for all.
    mutating func takeArrivals() -> [RowID]? { layer.arrivals.take() }

    var isEmpty: Bool { layer.loadedCount == 0 }

    /// Has the rows be older than everything in the history that begins.
    ///
    /// - Complexity: O(n).
    mutating func leaveHistory() {
        layer.leaveHistory()
        sorted.leaveHistory()
    }

    enum Location: Equatable {
        /// The held row with so many held rows in front of it.
        case held(Int)
        /// This position of the index.
        case base(Int)
    }

    /// What a position of the collection is.
    ///
    /// - Complexity: O(log n), like everything here that says nothing else.
    func location(of position: Int) -> Location {
        guard position < layer.count else { return .base(position - count) }
        let base = layer.unloadedCount(before: position)
        return layer.gap(at: position) == nil ? .held(position - base) : .base(base)
    }

    /// The position in the collection of a position of the index.
    func position(ofBase base: Int) -> Int { layer.positionOfUnloaded(base) ?? base + count }

    /// The position in the collection of a held row.
    func position(ofHeld index: Int) -> Int { layer.positionOfLoaded(index) ?? 0 }

    /// The ranges of the collection that a range of the index takes, between held rows.
    func positions(ofBase range: Range<Int>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var base = range.lowerBound
        while base < range.upperBound {
            let position = position(ofBase: base)
            let room = layer.gap(at: position).map { $0.upperBound - position } ?? .max
            let size = min(room, range.upperBound - base)
            ranges.append(joining: position..<(position + size))
            base += size
        }
        return ranges
    }

    /// How many held rows lie in front of a held row.
    func index(of id: RowID) -> Int? {
        layer.position(of: id).map { $0 - layer.unloadedCount(before: $0) }
    }

    func contains(_ id: RowID) -> Bool { layer.spot(of: id) != nil }

    /// How many held rows sort in front of a key.
    func count(before key: Key) -> Int {
        switch sorted.place(of: key) {
        case .at(let position): position
        case .between(let position): position
        case .gap(let gap): gap.lowerBound
        }
    }
}

// MARK: - Changing

extension HeldRows {
    /// Holds rows so that the first of them is at a position of the collection.
    mutating func insert(_ new: [Row], at position: Int) {
        version += 1
        if position > layer.count { layer.insertGap(position - layer.count, at: layer.count) }
        layer.insert(new, at: position)
        // They may be read one by one, and there are few.
        for offset in new.indices { layer.markRead(at: position + offset) }
        for row in new { noteSorted(row) }
    }

    /// Puts another version of a row in its place.
    mutating func replace(_ row: Row, at index: Int) {
        let position = position(ofHeld: index)
        if let old = layer.row(at: position) { forgetSorted(old) }
        layer.replace(row, at: position)
        layer.markRead(at: position)
        noteSorted(row)
    }

    /// What is known of earlier versions of a row.
    func past(of row: Row, under marks: [UInt64]) -> RowPast {
        layer.former.past(of: row, under: marks)
    }

    /// What callers may hold elements of, like all rows here.
    var given: GivenVersions { GivenVersions(rows: layer.givenRows, former: layer.former) }

    /// Notes whether the changes that follow are own ones.
    mutating func noteOwn(_ isOwn: Bool) { layer.former.isOwn = isOwn }

    /// Holds a row no longer.
    mutating func remove(at index: Int) {
        version += 1
        if let row = layer.remove(at: position(ofHeld: index)) { forgetSorted(row) }
    }

    private mutating func noteSorted(_ row: Row) { _ = sorted.insert(row, Key(row, sort: sort)) }

    private mutating func forgetSorted(_ row: Row) {
        if let position = sorted.position(of: row.id) { sorted.remove(at: position) }
    }

    /// Follows the index when it grows or shrinks at a position.
    ///
    /// - Complexity: O(log n), and as often again as there are held rows among the positions that go.
    mutating func shift(from base: Int, by difference: Int) {
        guard !isEmpty, difference != 0 else { return }
        if difference > 0 {
            if let position = layer.positionOfUnloaded(base) { layer.insertGap(difference, at: position) }
            return
        }
        var rest = -difference
        while rest > 0, let position = layer.positionOfUnloaded(base), let gap = layer.gap(at: position) {
            let size = min(rest, gap.upperBound - position)
            layer.resizeGap(at: position, by: -size)
            rest -= size
        }
    }
}

// MARK: - One by one

extension HeldRows {
    struct Held: Sendable {
        let row: Row
        /// The position of the index in front of which it is held.
        let anchor: Int
    }

    /// The held rows in their order.
    var rows: Rows { Rows(held: self) }

    struct Rows: RandomAccessCollection, Sendable {
        fileprivate let held: HeldRows

        var startIndex: Int { 0 }
        var endIndex: Int { held.count }

        subscript(index: Int) -> Held {
            let position = held.position(ofHeld: index)
            guard let row = held.layer.row(at: position) else {
                preconditionFailure("There is no held row \(index).")
            }
            return Held(row: row, anchor: position - index)
        }
    }
}

/// Held rows as a table has them, to go on holding them.
struct HeldReading: Sendable {
    var rows: [RowID: Row] = [:]
    /// Whether they were read at the revision of the count they come with.
    var isOfTheCount = true
}
