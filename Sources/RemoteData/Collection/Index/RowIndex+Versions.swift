// What is kept of versions of rows that are no longer here.
extension RowIndex {
    /// Notes that callers get an element of the row at a position.
    mutating func markRead(at position: Int) {
        guard let (node, offset) = chunk(at: position) else { return }
        withChunk(node) { $0.markRead(offset) }
    }

    /// Notes that callers get an element of a version of a row, which may not be here, or not any more.
    mutating func noteRead(_ version: Row) {
        if let spot = spot(ofOneLike: version), row(at: spot).json == version.json {
            withChunk(spot.node) { $0.markRead(spot.offset) }
        } else {
            former.keep(version)
        }
    }

    /// A row of which callers may hold an element has taken the place of another version.
    mutating func noteReplaced(_ old: Row, _ isRead: Bool, at spot: Spot) {
        if old.json != row(at: spot).json {
            former.keep(old)
        } else if isRead {
            withChunk(spot.node) { $0.markRead(spot.offset) }
        }
    }

    /// Takes out the loaded row at a position.
    @discardableResult
    mutating func remove(at position: Int) -> Row? {
        guard let (node, offset) = chunk(at: position) else { return nil }
        let row = chunks[node][offset]
        keepRow(node, offset)
        removeRow(node, offset, row.idMark)
        return row
    }

    /// Keeps a row that is about to leave, if callers may hold an element of it.
    mutating func keepRow(_ node: Int, _ offset: Int) {
        if isGiven(node, offset) { former.keep(chunks[node][offset]) }
    }

    /// Keeps the rows of a chunk that are about to leave, if callers may hold elements of them.
    mutating func keepRows(_ node: Int, besides staying: [Int] = []) {
        guard keepsAllVersions || chunks[node].readSlots != 0 else { return }
        let staying = Set(staying)
        for offset in 0..<chunks[node].count where !staying.contains(offset) { keepRow(node, offset) }
    }

    /// The loaded rows that callers may hold elements of.
    ///
    /// - Complexity: O(chunks), and O(those rows).
    var givenRows: [Row] {
        var rows: [Row] = []
        var node = first
        while node >= 0 {
            if !nodes[node].isGap, keepsAllVersions || chunks[node].readSlots != 0 {
                rows += (0..<chunks[node].count).lazy.filter { isGiven(node, $0) }.map { chunks[node][$0] }
            }
            node = successor(of: node)
        }
        return rows
    }

    /// The loaded row with an id, if callers may hold an element of it.
    func givenRow(_ id: RowID) -> Row? {
        guard let spot = spot(of: id), isGiven(spot.node, spot.offset) else { return nil }
        return row(at: spot)
    }

    private func isGiven(_ node: Int, _ offset: Int) -> Bool {
        keepsAllVersions || chunks[node].isRead(offset)
    }

    /// Takes what is kept of another index, which it takes the place of, and of the rows that were there.
    ///
    /// - Complexity: O(chunks), and O(rows) for those that callers may hold elements of.
    mutating func takeVersions(from other: RowIndex) {
        var other = other
        // Those used last are kept longest.
        var node = other.oldest
        while node >= 0 {
            other.keepRows(node)
            node = other.nodes[node].newer
        }
        (former, keepsAllVersions) = (other.former, other.keepsAllVersions)
    }
}
