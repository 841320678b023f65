// Rows inserted at a position of the caller's choice.
extension CollectionState {
    /// Holds rows that this collection has just created so that the first of them is at a position.
    ///
    /// An event may have brought a row already; it then goes from where it sorted to where it is held.
    mutating func hold(_ rows: [Row], at position: Int) -> [Applied] {
        var told: [Applied] = []
        for (offset, row) in rows.enumerated() {
            let to = min(position + offset, count)
            if let revision = row.revision, let applied, revision <= applied {
                let from = takeFromIndex(row)
                let target = min(to, count)
                held.insert([row], at: target)
                var change = Applied(type: .updated, rows: [row], ids: [row.id])
                if let from, from != target { change.moved = [CollectionMove(from: from, to: target)] }
                told.append(change)
            } else {
                held.insert([row], at: to)
                if let revision = row.revision, applied != nil { early.insert(revision) }
                told.append(Applied(type: .created, rows: [row], ids: [row.id], inserted: [to]))
            }
            told[told.count - 1].isOwn = true
            told[told.count - 1].revision = row.revision
        }
        return told
    }

    /// Takes a row out of the index, where it is loaded or unloaded.
    private mutating func takeFromIndex(_ row: Row) -> Int? {
        if let position = index.position(of: row.id) {
            let from = held.position(ofBase: position)
            index.remove(at: position)
            held.shift(from: position, by: -1)
            return from
        }
        guard case .gap(let gap) = index.place(of: Key(row, sort: query.sort), sort: query.sort) else {
            return nil
        }
        let from = held.position(ofBase: gap.upperBound - 1)
        index.resizeGap(at: gap.lowerBound, by: -1)
        held.shift(from: gap.upperBound - 1, by: -1)
        return from
    }
}
