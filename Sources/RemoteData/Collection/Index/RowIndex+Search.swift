/// Where a key belongs among the rows that are here.
enum Place: Equatable {
    /// A loaded row has exactly this key.
    case at(Int)
    /// Between two neighbours that are both here, or at an end that is known: at this position.
    case between(Int)
    /// Somewhere in this gap.
    case gap(Range<Int>)
}

extension RowIndex {
    /// Where a key belongs.
    ///
    /// - Complexity: O(log n) comparisons.
    func place(of key: Key) -> Place { seek(key).place }

    /// Where a key belongs, and the spot in a chunk when it is inside one.
    func seek(_ key: Key) -> (place: Place, spot: Spot?) {
        let beginning = key.beginning(sort: sort)
        var node = root
        var before = 0
        while node >= 0 {
            switch side(of: key, beginning, node) {
            case .ascending: node = nodes[node].left
            case .descending:
                before += sum(nodes[node].left) + nodes[node].weight
                node = nodes[node].right
            case .same:
                let start = before + sum(nodes[node].left)
                guard !nodes[node].isGap else { return (.gap(start..<(start + nodes[node].weight)), nil) }
                let (offset, isHere) = search(key, beginning, node)
                let spot = Spot(node: node, offset: offset)
                return (isHere ? .at(start + offset) : .between(start + offset), spot)
            }
        }
        return (.between(before), nil)
    }

    /// How many rows of a chunk lie in front of a key, and whether the next one has that very key.
    ///
    /// - Complexity: O(log n) comparisons; only rows whose keys begin alike are read.
    private func search(_ key: Key, _ beginning: UInt64, _ node: Int) -> (offset: Int, isHere: Bool) {
        var (low, high) = (0, chunks[node].count)
        while low < high {
            let middle = (low + high) / 2
            let other = chunks[node].beginning(at: middle)
            let isClear = beginning != other
            switch isClear ? Order(beginning, other) : Key.order(key, chunks[node][middle], sort: sort) {
            case .same: return (middle, true)
            case .ascending: high = middle
            case .descending: low = middle + 1
            }
        }
        return (low, false)
    }

    /// Whether a key belongs in front of a node, behind it, or into it.
    ///
    /// A gap takes what lies between the rows on both sides of it; a chunk takes what lies between its own rows.
    private func side(of key: Key, _ beginning: UInt64, _ node: Int) -> Order {
        if nodes[node].isGap {
            let previous = predecessor(of: node)
            if previous >= 0, orderOfLast(previous, key, beginning) != .descending { return .ascending }
            let next = successor(of: node)
            if next >= 0, orderOfFirst(next, key, beginning) != .ascending { return .descending }
            return .same
        }
        if orderOfFirst(node, key, beginning) == .ascending { return .ascending }
        if orderOfLast(node, key, beginning) == .descending { return .descending }
        return .same
    }

    /// The order of a key and the first row of a chunk.
    private func orderOfFirst(_ node: Int, _ key: Key, _ beginning: UInt64) -> Order {
        let first = nodes[node].first
        guard beginning == first, let ends = chunks[node].ends else { return Order(beginning, first) }
        return Key.order(key, ends.first, sort: sort)
    }

    /// The order of a key and the last row of a chunk.
    private func orderOfLast(_ node: Int, _ key: Key, _ beginning: UInt64) -> Order {
        let last = nodes[node].last
        guard beginning == last, let ends = chunks[node].ends else { return Order(beginning, last) }
        return Key.order(key, ends.last, sort: sort)
    }
}

extension Key {
    /// The order of a key and a row, without making the row's key.
    static func order(_ key: Key, _ row: Row, sort: [SortTerm]) -> Order {
        if let first = key.place, let second = row.place, first != second {
            return row.has(key.id) && key == Key(row, sort: sort) ? .same : Order(first, second)
        }
        for (term, value) in zip(sort, key.values) {
            let order = term.order(value, row[term.column])
            if order != .same { return order }
        }
        return Row.orderOfIDs(key.id, row)
    }
}
