/// Rows that were inserted at a position of the caller's choice and keep it until the next refresh.
///
/// They lie over the index, which knows nothing of them: each sits in front of a position of the index, its anchor.
struct HeldRows: Sendable {
    struct Held: Sendable {
        var row: Row
        var anchor: Int
    }

    /// By anchor; those with the same one in their order.
    private(set) var rows: [Held] = []

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    enum Location: Equatable {
        /// This held row.
        case held(Int)
        /// This position of the index.
        case base(Int)
    }

    /// What a position of the collection is.
    func location(of position: Int) -> Location {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].anchor + middle < position { low = middle + 1 } else { high = middle }
        }
        if low < rows.count, rows[low].anchor + low == position { return .held(low) }
        return .base(position - low)
    }

    /// The position in the collection of a position of the index.
    func position(ofBase base: Int) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].anchor <= base { low = middle + 1 } else { high = middle }
        }
        return base + low
    }

    /// The position in the collection of a held row.
    func position(ofHeld index: Int) -> Int { rows[index].anchor + index }

    func index(of id: RowID) -> Int? { rows.firstIndex { $0.row.id == id } }

    /// How many held rows sort up to a key, itself included.
    func count(upTo key: Key, sort: [SortTerm]) -> Int {
        rows.count { Key.order(key, $0.row, sort: sort) != .ascending }
    }

    /// Holds rows so that the first of them is at a position of the collection.
    mutating func insert(_ new: [Row], at position: Int) {
        let index = rows.indices.first { self.position(ofHeld: $0) >= position } ?? rows.count
        let anchor = position - index
        rows.insert(contentsOf: new.map { Held(row: $0, anchor: anchor) }, at: index)
    }

    mutating func replace(_ row: Row, at index: Int) { rows[index].row = row }

    @discardableResult
    mutating func remove(at index: Int) -> Row { rows.remove(at: index).row }

    /// Follows the index when it grows or shrinks at a position.
    mutating func shift(from base: Int, by difference: Int) {
        for index in rows.indices where rows[index].anchor > base {
            rows[index].anchor = max(base, rows[index].anchor + difference)
        }
    }
}
