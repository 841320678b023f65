import Synchronization

// The places of rows that come with changes.
extension PlacingTable {
    /// Delivers changes whose rows have places.
    ///
    /// Where that takes too many questions, or they are not answered, the changes are a gap: the rows are read anew.
    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        let source = try await base.subscribe(to: query, since: revision)
        let feed = ChangeFeed { source.cancel() }
        surroundings.start { [weak feed, self] in
            while true {
                let events = await source.nextBatch()
                if events.isEmpty { break }
                let told = await self.placed(events)
                guard let feed else { return }
                for event in told where !feed.send(event) {
                    // It was full: what it held is gone, and it is complete again from here.
                    if let revision = event.reached { feed.send(.live(revision)) }
                }
            }
            feed?.finish()
        }
        return feed
    }

    /// The changes an own write has made, with places; nil where those cannot be found out.
    func placed(_ changes: [Change]) async -> [Change]? {
        var (placed, budget) = ([Change](), Budget())
        for change in changes {
            guard let change = try? await self.placed(change, &budget) else { return nil }
            placed.append(change)
        }
        return placed
    }

    /// Rows in any order, with places; without those whose places cannot be found out.
    func placed(_ rows: [Row]) async -> [Row] {
        var (placed, budget) = ([Row](), Budget())
        for row in rows {
            let key = Key(row, sort: sort)
            guard let place = try? await self.place(of: key, row.revision, &budget) else { continue }
            placed.append(row.at(place))
        }
        return placed
    }

    private func placed(_ events: [ChangeEvent]) async -> [ChangeEvent] {
        var (placed, budget) = ([ChangeEvent](), Budget())
        for (position, event) in events.enumerated() {
            guard case .change(let change) = event else {
                placed.append(event)
                continue
            }
            if let change = try? await self.placed(change, &budget) {
                placed.append(.change(change))
            } else if let revision = change.revision, changesNothing(change) {
                placed.append(.progress(revision))
            } else {
                return placed + Self.gap(events[position...])
            }
        }
        return placed
    }

    /// Whether a row that is not here stays where it is.
    private func changesNothing(_ change: Change) -> Bool {
        guard change.kind == .updated, let row = change.row, let previous = change.previousKey else {
            return false
        }
        return previous == Key(row, sort: sort) && book.withLock { $0.entry(row.id) == nil }
    }

    /// What takes the place of events that are left out.
    private static func gap(_ events: ArraySlice<ChangeEvent>) -> [ChangeEvent] {
        for event in events.reversed() {
            if case .interrupted = event { return [.reset, event] }
            if let revision = event.reached { return [.reset, .live(revision)] }
        }
        return [.reset, .live(nil)]
    }

    private func placed(_ change: Change, _ budget: inout Budget) async throws(RemoteDataError) -> Change {
        let key = change.row.map { Key($0, sort: sort) }
        var previous = change.previousKey
        // What is known of the row's former key gives way to the new one.
        if let former = previous { previous?.place = book.withLock { $0.place(of: former) } }
        var place: SortPlace?
        if let key { place = try await self.place(of: key, change.revision, &budget) }
        if let former = previous, former.place == nil {
            if former == key {
                previous?.place = place
            } else if place == nil {
                previous?.place = try? await self.place(of: former, nil, isNoted: false, &budget)
            } else {
                previous?.place = try await self.place(of: former, nil, isNoted: false, &budget)
            }
        }
        if change.kind == .deleted, let id = change.id { book.withLock { $0.remove(id) } }
        return Change(
            revision: change.revision,
            kind: change.kind,
            id: change.id,
            row: place.flatMap { place in change.row?.at(place) } ?? change.row,
            left: change.left,
            previousKey: previous?.place == nil ? nil : previous,
            predicate: change.predicate,
            count: change.count,
            idempotencyKey: change.idempotencyKey
        )
    }
}

extension ChangeEvent {
    /// The revision up to which everything is known behind it.
    fileprivate var reached: Revision? {
        switch self {
        case .live(let revision): revision
        case .change(let change): change.revision
        case .progress(let revision): revision
        case .interrupted, .reset: nil
        }
    }
}
