// Rows inserted at a position of the caller's choice.
extension CollectionState {
    /// Notes where rows are to be held once their events come.
    mutating func expectToHold(_ changes: [Change], at position: Int) {
        for (offset, change) in changes.enumerated() {
            guard let row = change.row, let revision = change.revision, applied == nil || isToCome(revision)
            else { continue }
            holding[row.id] = position + offset
        }
    }

    /// Holds a row that this collection has just created at a position.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - position: Where; at the end when there are fewer rows by now.
    ///   - previous: The row of the same write to stand behind, if there is one.
    ///   - others: Rows of the same write, which do not count as long as they stand where they sort.
    ///   - isKnown: Whether its event was applied already; it then goes from where it sorted to where it is held.
    /// - Returns: What is to be told.
    mutating func hold(
        _ row: Row,
        at position: Int,
        behind previous: RowID? = nil,
        besides others: [RowID] = [],
        isKnown: Bool
    ) -> Applied {
        let from = isKnown || index.position(of: row.id) != nil ? takeFromIndex(row) : nil
        var to = position
        if let previous = previous.flatMap({ self.position(of: $0) }) {
            to = previous + 1
        } else {
            let places = others.compactMap { index.position(of: $0).map { held.position(ofBase: $0) } }
            for place in places.sorted() where place <= to { to += 1 }
        }
        to = min(to, count)
        held.insert([row], at: to)
        return Applied(
            type: isKnown || from != nil ? .updated : .created,
            row: row,
            effect: from.map { .moved(CollectionMove(from: $0, to: to)) } ?? .inserted(to),
            isOwn: true,
            // One that is known goes to another position here, by no change of the table.
            revision: isKnown ? nil : row.revision
        )
    }

    /// Takes a row out of the index, where it is loaded or unloaded.
    private mutating func takeFromIndex(_ row: Row) -> Int? {
        if let position = index.position(of: row.id), let known = index.row(at: position) {
            let key = Key(known, sort: query.sort)
            for id in cursors.keys { cursors[id]?.held(row.id, from: key, sort: query.sort) }
            let from = held.position(ofBase: position)
            index.remove(at: position)
            held.shift(from: position, by: -1)
            return from
        }
        let key = Key(row, sort: query.sort)
        guard case .gap(let gap) = index.place(of: key) else { return nil }
        for id in cursors.keys { cursors[id]?.held(row.id, from: key, sort: query.sort) }
        // Only a page shows that a gap is none, unless its size is known.
        guard isAlone || gap.count > 1 else { return nil }
        let from = held.position(ofBase: gap.upperBound - 1)
        index.resizeGap(at: gap.lowerBound, by: -1)
        held.shift(from: gap.upperBound - 1, by: -1)
        return from
    }
}
