import Synchronization

// Collections over tables whose order cannot be reproduced.
extension RemoteDataCollection {
    /// Has the places of rows kept as long as they are here, beginning with those of an earlier time.
    func keepPlaces(_ keys: [Key]) {
        placing?
            .begin(with: keys) { [weak self] isContradicted in
                guard let self else { return }
                self.state.withLock { isContradicted ? $0.core.noteForgotten() : $0.core.notePlaced() }
                self.scheduleDelivery()
            }
        placing?.keep { [weak self] in self?.state.withLock { $0.core.knownKeys } ?? [] }
    }
}

extension CollectionState {
    /// The keys of everything that is here, on its way, or under an iteration.
    fileprivate var knownKeys: Set<Key> {
        var keys = Set(cursors.values.flatMap(\.keys))
        for fetch in fetches.values { if case .after(let key) = fetch.request.start { keys.insert(key) } }
        for key in [passed?.after, passed?.through, unreadable?.after] { if let key { keys.insert(key) } }
        func note(_ row: Row) { keys.insert(Key(row, sort: query.sort)) }
        index.forEachLoaded { _, row in note(row) }
        for held in held.rows { note(held.row) }
        for item in waiting { for row in item.page.rows { note(row) } }
        for item in log { if let row = item.change.row { note(row) } }
        for case .change(let change) in pending { if let row = change.row { note(row) } }
        return keys
    }
}
