// Rows that get another id, as from a server that makes ids of its own.
extension CollectionState {
    /// A row has got another id: it is the same, and seldom goes elsewhere by that.
    mutating func rename(_ former: RowID, to row: Row, _ change: Change) -> Applied? {
        for id in cursors.keys { cursors[id]?.renamed(former, to: row) }
        guard self.row(row.id) == nil else {
            // A page has shown it already.
            if let known = self.row(former) {
                let (oldKey, key) = (Key(known, sort: query.sort), Key(row, sort: query.sort))
                for id in cursors.keys {
                    cursors[id]?.moved(row, from: oldKey, to: key, sort: query.sort, at: change.revision)
                }
            }
            let gone = drop(former, change)
            if put(row, change) != nil { isRecounted = true }
            return gone
        }
        var row = row
        if ordersByPlace, row.place == nil { row.place = self.row(former)?.place }
        var applied: Applied?
        if let index = held.index(of: former) {
            held.replace(row, at: index)
            applied = Applied(type: .updated, row: row, effect: .updated(held.position(ofHeld: index)))
        } else if let old = index.position(of: former), let known = index.row(at: old) {
            let (oldKey, key) = (Key(known, sort: query.sort), Key(row, sort: query.sort))
            for id in cursors.keys {
                cursors[id]?.moved(row, from: oldKey, to: key, sort: query.sort, at: change.revision)
            }
            let from = held.position(ofBase: old)
            takeOut(old)
            let place = index.insert(row, key)
            let to = arrive(row, key, place)
            let stays = if case .gap = place { false } else { true }
            applied = Applied(type: .updated, row: row, effect: .init(from: from, to: to, stays: stays))
        } else {
            applied = putUnloaded(row, Key(row, sort: query.sort), change)
        }
        applied?.formerID = former
        return applied
    }
}
