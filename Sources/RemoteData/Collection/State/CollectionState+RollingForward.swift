// What has become of the rows of a page since it was read.
extension CollectionState {
    func isNewer(_ change: Change, than page: Page) -> Bool {
        guard let read = page.revision, let revision = change.revision else { return true }
        return precedes(read, revision)
    }

    /// Whether one revision came before another; of a history that is not the one of the rows here, it came
    /// later.
    private func precedes(_ first: Revision, _ second: Revision) -> Bool {
        let isHere = isOfThisHistory(first)
        return isHere == isOfThisHistory(second) ? first < second : isHere
    }

    /// The changes since a number was given that a page does not show, where they have revisions in the order of those and each
    /// once: an own write that was applied by its answer is in the log too early, and once more when its event came.
    func changes(since number: Int, newerThan page: Page) -> [Change] {
        let changes = log.filter { $0.number > number && isNewer($0.change, than: page) }.map(\.change)
        let isInOrder = zip(changes, changes.dropFirst()).allSatisfy { first, second in
            guard let first = first.revision, let second = second.revision else { return true }
            return precedes(first, second)
        }
        guard !isInOrder else { return changes }
        var latest: [Revision: Change] = [:]
        for change in changes { if let revision = change.revision { latest[revision] = change } }
        return latest.sorted { precedes($0.key, $1.key) }.map(\.value) + changes.filter { $0.revision == nil }
    }

    /// The rows of a stretch after some changes, without held rows; notes which of them those took away.
    mutating func takeForward(_ shown: [Row], _ changes: [Change], _ stretch: KeyInterval) -> [Row] {
        let rows = roll(shown, forward: changes, stretch)
        if let deletion = changes.first(where: { $0.kind == .bulkDeleted }) {
            let left = Set(rows.map(\.id))
            noteDropped(shown.filter { !left.contains($0.id) }, by: deletion)
        }
        return rows
    }

    /// The rows of a stretch after some changes, without held rows.
    func roll(_ shown: [Row], forward changes: [Change], _ stretch: KeyInterval) -> [Row] {
        var rows = held.isEmpty ? shown : shown.filter { !held.contains($0.id) }
        for change in changes {
            if change.kind == .bulkDeleted {
                rows.removeAll { change.predicate?.matches($0) ?? true }
                continue
            }
            var row = change.rowToKeep
            if ordersByPlace, let stays = row, stays.place == nil {
                // It stays where it is, also when a deletion has taken it away that was older than the page.
                let known = rows.first(where: stays.hasSameID) ?? shown.first(where: stays.hasSameID)
                guard let place = known?.place else { continue }
                row = stays.at(place)
            }
            rows.removeAll(where: change.concerns)
            guard let row, !held.contains(row.id) else { continue }
            let key = Key(row, sort: query.sort)
            guard stretch.contains(key, query.sort) else { continue }
            let place = rows.firstIndex { Key.order(key, $0, sort: query.sort) == .ascending } ?? rows.count
            rows.insert(row, at: place)
        }
        return rows
    }

    /// How far changes have moved what lies at a key, or behind it where the key's own row is included.
    mutating func shift(of key: Key, by changes: [Change], isIncluded: Bool = false) -> Int {
        let sort = query.sort
        func isInFront(_ order: Order) -> Bool { order == .ascending || isIncluded && order == .same }
        var shift = 0
        for change in changes {
            if let row = change.row, isInFront(Key.order(Key(row, sort: sort), key, sort: sort)) {
                shift += 1
            }
            guard change.kind != .created else { continue }
            if let previous = change.previousKey, previous.certainty == .sure {
                if isInFront(Key.order(previous, key, sort: sort)) { shift -= 1 }
            } else {
                noteDoubt()
            }
        }
        return shift
    }
}
