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
    func place(of key: Key, sort: [SortTerm]) -> Place {
        var node = root
        var before = 0
        while node >= 0 {
            let start = before + (nodes[node].left < 0 ? 0 : nodes[nodes[node].left].sum)
            switch side(of: key, node, sort) {
            case .ascending: node = nodes[node].left
            case .descending:
                before = start + nodes[node].weight
                node = nodes[node].right
            case .same:
                guard !nodes[node].isGap else { return .gap(start..<(start + nodes[node].weight)) }
                return placeInChunk(key, node, start: start, sort)
            }
        }
        return .between(before)
    }

    /// Whether a key belongs in front of a node, behind it, or into it.
    ///
    /// A gap takes what lies between the rows on both sides of it; a chunk takes what lies between its own rows.
    private func side(of key: Key, _ node: Int, _ sort: [SortTerm]) -> Order {
        if nodes[node].isGap {
            let previous = predecessor(of: node)
            if previous >= 0, orderOfLast(previous, key, sort) != .descending { return .ascending }
            let next = successor(of: node)
            if next >= 0, orderOfFirst(next, key, sort) != .ascending { return .descending }
            return .same
        }
        if orderOfFirst(node, key, sort) == .ascending { return .ascending }
        if orderOfLast(node, key, sort) == .descending { return .descending }
        return .same
    }

    /// The order of a key and the first row of a chunk.
    private func orderOfFirst(_ node: Int, _ key: Key, _ sort: [SortTerm]) -> Order {
        if let ends = ends[node] { return Key.order(key, ends.first, sort: sort) }
        return Key.order(key, chunks[node].rows[0], sort: sort)
    }

    /// The order of a key and the last row of a chunk.
    private func orderOfLast(_ node: Int, _ key: Key, _ sort: [SortTerm]) -> Order {
        if let ends = ends[node] { return Key.order(key, ends.last, sort: sort) }
        return Key.order(key, chunks[node].rows[nodes[node].weight - 1], sort: sort)
    }

    private func placeInChunk(_ key: Key, _ node: Int, start: Int, _ sort: [SortTerm]) -> Place {
        let rows = chunks[node].rows
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            switch Key.order(key, rows[middle], sort: sort) {
            case .same: return .at(start + middle)
            case .ascending: high = middle
            case .descending: low = middle + 1
            }
        }
        return .between(start + low)
    }
}

extension Key {
    /// The order of a key and a row, without making the row's key.
    static func order(_ key: Key, _ row: Row, sort: [SortTerm]) -> Order {
        if let first = key.place, let second = row.place, first != second { return Order(first, second) }
        for (term, value) in zip(sort, key.values) {
            let order = term.order(value, row[term.column])
            if order != .same { return order }
        }
        return Value.order(key.id.value, row.id.value)
    }
}
