// Which chunks have room, and which nodes begin and end where.
extension RowIndex {
    /// A chunk with room for another row that a position touches.
    func chunkForInsertion(at position: Int) -> Spot? {
        if position > 0, let (node, offset) = locate(position - 1), hasRoom(node, 1) {
            return Spot(node: node, offset: offset + 1)
        }
        if let (node, offset) = locate(position), hasRoom(node, 1) { return Spot(node: node, offset: offset) }
        return nil
    }

    func hasRoom(_ node: Int, _ count: Int) -> Bool {
        !nodes[node].isGap && nodes[node].weight + count <= chunkLimit
    }

    /// Whether two chunks are so small that they are joined; together they have room left then, so as not to be cut again soon.
    func canJoin(_ left: Int, _ right: Int) -> Bool {
        !nodes[left].isGap && hasRoom(right, nodes[left].weight + chunkLimit / 2)
    }

    /// The node that ends at a position, after cutting the one that spans it; -1 at the front.
    mutating func nodeEnding(at position: Int) -> Int {
        guard position > 0, let (node, offset) = locate(position - 1) else { return -1 }
        if offset + 1 < nodes[node].weight { cut(node, at: offset + 1) }
        return node
    }

    /// The node that starts at a position, after cutting the one that spans it; -1 at the end.
    mutating func nodeStarting(at position: Int) -> Int {
        let previous = nodeEnding(at: position)
        return previous < 0 ? first : successor(of: previous)
    }

    /// Where the rows of a chunk lie, in their order, each by the hash of its id.
    func locations(in node: Int) -> [(mark: UInt64, location: Location)] {
        (0..<chunks[node].count).map { offset in
            let slot = chunks[node].slot(at: offset)
            return (chunks[node].mark(inSlot: slot), Location(node: node, slot: slot))
        }
    }

    /// Puts another version of a row in its place; nothing in a gap and outside.
    mutating func replace(_ row: Row, at position: Int) {
        guard let (node, offset) = chunk(at: position) else { return }
        _ = replace(row, at: Spot(node: node, offset: offset))
    }

    /// Lays the rows of a chunk in their order, so that reading all of them copies none.
    mutating func arrange(_ node: Int) {
        guard !chunks[node].isInOrder else { return }
        let old = withChunk(node) { $0.arrange() }
        for (slot, row) in chunks[node].rows.enumerated() where old[slot] != slot {
            let location = Location(node: node, slot: old[slot])
            slotsByHash.move(row.idMark, from: location, to: Location(node: node, slot: slot))
        }
    }

    /// Keeps what the rows of a chunk decode to.
    mutating func setDecoded(_ decoded: DecodedRows, node: Int) {
        withChunk(node) { $0.decoded = decoded }
    }
}
