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
                self.batchesUnderWay.add(1, ordering: .relaxed)
                defer { self.batchesUnderWay.subtract(1, ordering: .relaxed) }
                let told = await self.placed(events)
                guard let feed else { return }
                feed.handOn(told)
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

    private func placed(_ events: [ChangeEvent]) async -> [ChangeEvent] {
        var (placed, budget) = ([ChangeEvent](), Budget())
        let gap = events.lastIndex { if case .reset = $0 { true } else { false } } ?? 0
        for (position, event) in events.enumerated() {
            // What comes before a gap is part of what is compared after it.
            if position < gap, event.isPlain { continue }
            guard case .change(let change) = event else {
                placed.append(event)
                continue
            }
            guard let change = try? await self.placed(change, &budget) else {
                if budget.questions == 0 { isOutnumbered.store(true, ordering: .relaxed) }
                forgetPlaces()
                return placed + ChangeEvent.gap(events[position...])
            }
            placed.append(.change(change))
        }
        return placed
    }

    private static let isLost = RemoteDataError(
        .unavailable,
        "Nobody can tell any more where a row belonged."
    )

    private func placed(_ change: Change, _ budget: inout Budget) async throws(RemoteDataError) -> Change {
        let key = change.row.map { Key($0, sort: sort) }
        var (row, previous) = (change.row, change.previousKey)
        if let key {
            // A row that is not here and stays where it is needs no place.
            if previous == key, book.withLock({ $0.place(of: key) }) == nil { return change }
            guard let found = try await find(PlaceSearch(key), &budget) else { throw Self.isLost }
            row = change.row?.at(found.place)
        }
        if let former = previous {
            previous?.place = former == key ? row?.place : book.withLock { $0.place(of: former) }
            if previous?.place == nil {
                let found = try? await find(PlaceSearch(former, isFormer: true), &budget)
                previous?.place = found?.place
                previous?.certainty = found?.certainty ?? .vague
            }
        }
        return Change(
            revision: change.revision,
            kind: change.kind,
            id: change.id,
            row: row,
            left: change.left,
            previousKey: previous?.place == nil ? nil : previous,
            predicate: change.predicate,
            count: change.count,
            idempotencyKey: change.idempotencyKey,
            formerID: change.formerID
        )
    }
}
