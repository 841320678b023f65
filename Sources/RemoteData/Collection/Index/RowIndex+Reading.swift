// What is here, and where.
extension RowIndex {
    /// How many rows the query has.
    var count: Int { root < 0 ? 0 : nodes[root].sum }

    /// How many rows are here.
    var loadedCount: Int { slotsByHash.count }

    /// Whether every row is here.
    var isComplete: Bool { gapCount == 0 }

    /// The row at a position; nil in a gap and outside.
    func row(at position: Int) -> Row? {
        guard let (node, offset) = locate(position), !nodes[node].isGap else { return nil }
        return chunks[node][offset]
    }

    /// Where a loaded row is.
    func position(of id: RowID) -> Int? { spot(of: id).map { position(of: $0) } }

    /// Where the loaded row with the id of another is.
    func position(ofOneLike row: Row) -> Int? { spot(ofOneLike: row).map { position(of: $0) } }

    /// The loaded row with an id.
    func row(_ id: RowID) -> Row? { spot(of: id).map { chunks[$0.node][$0.offset] } }

    /// The chunk of a loaded row, and its offset there; good until something changes.
    struct Spot: Equatable {
        let node: Int
        let offset: Int
    }

    func spot(of id: RowID) -> Spot? { loadedCount > 0 ? spot(of: id, id.mark) : nil }

    /// - Parameters:
    ///   - id: The id.
    ///   - mark: Its hash.
    /// - Returns: Where the row with the id is, if it is here.
    func spot(of id: RowID, _ mark: UInt64) -> Spot? {
        // Read where it lies: no chunk and no row is taken hold of, as they would be by a method of the chunk.
        spot(of: mark) { chunks[$0.node].slots[$0.slot].has(id) }
    }

    /// Where the row with the id of another is, if it is here.
    func spot(ofOneLike row: Row) -> Spot? {
        guard loadedCount > 0 else { return nil }
        return spot(of: row.idMark) { chunks[$0.node].slots[$0.slot].hasSameID(as: row) }
    }

    private func spot(of mark: UInt64, where isMeant: (Location) -> Bool) -> Spot? {
        slotsByHash.first(of: mark, where: isMeant).map {
            Spot(node: $0.node, offset: chunks[$0.node].offset(ofSlot: $0.slot))
        }
    }

    func position(of spot: Spot) -> Int { start(of: spot.node) + spot.offset }

    func row(at spot: Spot) -> Row { chunks[spot.node][spot.offset] }

    /// Whether the row at a spot has a key; it is only read when that is likely.
    func hasKey(_ key: Key, at spot: Spot) -> Bool {
        chunks[spot.node].beginning(at: spot.offset) == key.beginning(sort: sort)
            && Key(row(at: spot), sort: sort) == key
    }

    /// The positions of the gap that a position lies in.
    func gap(at position: Int) -> Range<Int>? {
        guard let (node, offset) = locate(position), nodes[node].isGap else { return nil }
        return (position - offset)..<(position - offset + nodes[node].weight)
    }

    /// The first gap at or behind a position.
    ///
    /// - Complexity: O(log n).
    func firstGap(from position: Int = 0) -> Range<Int>? {
        guard gapCount > 0, position >= 0, position < count else { return nil }
        return positionOfUnloaded(unloadedCount(before: position)).flatMap(gap(at:))
    }

    /// The chunk a position lies in: its node, its rows and the position's offset among them.
    func chunk(at position: Int) -> (node: Int, offset: Int)? {
        guard let (node, offset) = locate(position), !nodes[node].isGap else { return nil }
        return (node, offset)
    }

    /// The positions of a node.
    ///
    /// - Complexity: O(log n).
    func range(of node: Int) -> Range<Int> {
        let start = start(of: node)
        return start..<(start + nodes[node].weight)
    }

    /// Every loaded row in order, with its position.
    func forEachLoaded(_ body: (Int, Row) -> Void) { forEachLoaded(in: 0..<count, body) }

    /// Every loaded row of a range in order, with its position.
    ///
    /// - Complexity: O(log n + chunks and gaps of the range); gaps cost nothing for their size.
    func forEachLoaded(in range: Range<Int>, _ body: (Int, Row) -> Void) {
        guard !range.isEmpty, let (first, offset) = locate(range.lowerBound) else { return }
        var (node, start) = (first, range.lowerBound - offset)
        while node >= 0, start < range.upperBound {
            let count = chunks[node].count
            let lower = Swift.min(count, Swift.max(0, range.lowerBound - start))
            let upper = Swift.max(lower, Swift.min(count, range.upperBound - start))
            for offset in lower..<upper { body(start + offset, chunks[node][offset]) }
            start += nodes[node].weight
            node = successor(of: node)
        }
    }

    /// The loaded rows of a kind, and where they are, in order.
    ///
    /// - Complexity: O(loaded rows).
    func loadedRanges(where isMeant: (Row) -> Bool) -> (rows: [Row], ranges: [Range<Int>]) {
        var (rows, ranges) = ([Row](), [Range<Int>]())
        forEachLoaded { position, row in
            guard isMeant(row) else { return }
            rows.append(row)
            ranges.append(position: position)
        }
        return (rows, ranges)
    }

    /// Some rows of a chunk in their order, all of them if it is not said which; and all of it for whoever decodes them.
    ///
    /// - Parameters:
    ///   - node: The chunk.
    ///   - range: Which of its rows.
    ///   - isRead: Whether callers get elements of them.
    /// - Returns: The rows.
    /// - Complexity: O(1) where they lie in their order, as they do from then on; otherwise O(n).
    mutating func part(_ node: Int, _ range: Range<Int>? = nil, isRead: Bool = true) -> ChunkPart {
        arrange(node)
        if isRead, chunks[node].readSlots != chunks[node].takenSlots { withChunk(node) { $0.markRead() } }
        // Takes hold of no more of the chunk than it reads.
        let rows = chunks[node].slots
        return ChunkPart(rows: rows, range: range ?? rows.indices, decoded: chunks[node].decoded, node: node)
    }
}
