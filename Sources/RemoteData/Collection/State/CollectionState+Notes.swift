// What a cache is told: all that is put in place here, in the same order, so that it never knows more than can be seen.
extension CollectionState {
    /// What a cache keeps of a query.
    enum Keeping: Sendable {
        /// There is none.
        case nothing
        /// Rows, but not which stretches of the query are whole.
        case rows
        /// Stretches of the query.
        case stretches
    }

    mutating func note(_ note: @autoclosure () -> CacheNote) {
        if keeping != .nothing { notes.append(note()) }
    }

    /// Notes a page that is put in place.
    mutating func note(_ page: Page, by fetch: Fetch, after newer: [Change]) {
        guard keeping != .nothing else { return }
        let stretch = keeping == .stretches ? page.stretch(for: fetch.request) : nil
        if !isStillKept(fetch) {
            let rows = page.rows(after: newer, in: stretch, query.sort, ordersByPlace: ordersByPlace)
            if let stretch {
                // Where changes may have been missed, nobody knows what became of its rows.
                notes.append(
                    needsResync
                        ? .staleStretch(stretch, rows, page.revision) : .stretch(stretch, rows, page.revision)
                )
            } else {
                notes.append(.rows(rows, page.revision))
            }
        }
        if let stretch { noteShown(stretch, by: fetch) }
    }

    /// Notes rows that are compared with those here: what differs from what a cache has need not differ from what is here.
    mutating func note(_ page: Page, after newer: [Change]) {
        guard keeping != .nothing else { return }
        let rows = page.rows(after: newer, in: nil, query.sort, ordersByPlace: ordersByPlace)
        notes.append(.rows(rows, page.revision))
    }

    /// Notes that the order is another than the one that places were learned from.
    mutating func noteForgotten() {
        guard keeping != .nothing else { return }
        keepShown(in: [])
        placedAt = number()
        notes.append(.forgotten)
    }

    /// Notes that in an order that cannot be reproduced only what is here still has its places.
    mutating func notePlaced() {
        guard keeping != .nothing else { return }
        let stretches = index.count > 0 ? loadedStretches() : []
        keepShown(in: stretches)
        placedAt = number()
        notes.append(.placed(stretches))
    }

    /// Whether a fetch brought what the cache keeps still.
    private func isStillKept(_ fetch: Fetch) -> Bool { fetch.keptAsOf.map { $0 > placedAt } ?? false }

    /// Notes that what is here is right, and nothing else known to be.
    mutating func noteVerified(idColumn: String) {
        guard keeping != .nothing else { return }
        let stretches = coverage(idColumn: idColumn, isTold: true).intervals.map { interval in
            KeyInterval(
                lower: interval.reachesStart ? nil : .init(key: interval.first, isIncluded: true),
                upper: interval.reachesEnd ? nil : .init(key: interval.last, isIncluded: true)
            )
        }
        keepShown(in: stretches)
        notes.append(.verified(shown?.all ?? [], applied))
    }

    /// Of the stretches that a cache has been told of, only what lies in some others counts any more: what was compared, and is here.
    mutating func keepShown(in stretches: [KeyInterval]) {
        shown?.formIntersection(stretches, sort: query.sort)
    }
}

// MARK: - Between pages

// Pages that were asked for at the same time: each shows a stretch of the query whole, and none of them whether a row lies between two.
// The index shows that, once they are in place.
extension CollectionState {
    /// How many stretches are remembered.
    private static var seamLimit: Int { 256 }

    /// Notes the stretch that a page shows, which a cache knows of as well.
    private mutating func noteShown(_ stretch: KeyInterval, by fetch: Fetch) {
        guard shown != nil else { return }
        var stretch = stretch
        // What is kept behind a key, or behind the start, is all of one stretch.
        if isStillKept(fetch) {
            stretch.lower = fetch.request.start.behind.map { .init(key: $0, isIncluded: false) }
        }
        shown?.insert(stretch, sort: query.sort)
        if let all = shown?.all, all.count > Self.seamLimit, let last = all.last {
            // Those in front matter most to whoever reads from the start.
            shown?.remove(last, sort: query.sort)
        }
    }

    /// Notes what lies between stretches that pages have shown, and behind the last, where all of it is here.
    ///
    /// That is mostly nothing, else rows that came meanwhile. Each is told once.
    ///
    /// - Complexity: O(stretches × log n), and the rows.
    mutating func noteSeams() {
        guard let stretches = shown?.all, let last = stretches.last, stretches.count > 1 || last.upper != nil,
            let verified, !needsResync, held.isEmpty
        else { return }
        for (one, next) in zip(stretches, stretches.dropFirst().map(Optional.some) + [nil]) {
            guard let end = one.upper, end.isIncluded, next?.lower?.isIncluded ?? (next == nil),
                let rows = rows(behind: end.key, before: next?.lower?.key)
            else { continue }
            let seam = KeyInterval(
                lower: .init(key: end.key, isIncluded: false),
                upper: next?.lower.map { .init(key: $0.key, isIncluded: false) }
            )
            notes.append(.stretch(seam, rows, verified))
            shown?.insert(seam, sort: query.sort)
        }
    }

    /// The rows between two keys, or up to the end; nil where some are not here, or very many.
    private func rows(behind left: Key, before right: Key?) -> [Row]? {
        let (start, end): (Int, Int)
        switch index.place(of: left) {
        case .at(let position): start = position + 1
        case .between(let position): start = position
        case .gap: return nil
        }
        switch right.map({ index.place(of: $0) }) {
        case .at(let position)?, .between(let position)?: end = position
        case .gap?: return nil
        case nil: end = index.count
        }
        guard start <= end, end - start <= 1_000 else { return nil }
        var rows: [Row] = []
        index.forEachLoaded(in: start..<end) { _, row in rows.append(row) }
        return rows.count == end - start ? rows : nil
    }
}

// MARK: - Pages

extension Page {
    /// The stretch of the order that the page shows whole; nil where it shows none.
    func stretch(for request: PageRequest) -> KeyInterval? {
        guard failures.isEmpty else { return nil }
        let sort = request.query.sort
        let reachesEnd = rows.count < request.limit && !endsEarly
        let first = rows.first.map { KeyInterval.Bound(key: Key($0, sort: sort), isIncluded: true) }
        let last = rows.last.map { KeyInterval.Bound(key: Key($0, sort: sort), isIncluded: true) }
        if !reachesEnd, last == nil { return nil }
        let upper = reachesEnd ? nil : last
        switch request.start {
        case .offset(0): return KeyInterval(lower: nil, upper: upper)
        case .offset, .beyond: return first.map { KeyInterval(lower: $0, upper: upper) }
        case .after(let key):
            return KeyInterval(lower: .init(key: key, isIncluded: false), upper: upper)
        case .before: return nil
        }
    }

    /// The rows after changes that the page does not show; those that came to a stretch as well, for nil those that were there.
    fileprivate func rows(
        after changes: [Change],
        in stretch: KeyInterval?,
        _ sort: [SortTerm],
        ordersByPlace: Bool
    ) -> [Row] {
        var rows = rows
        for change in changes {
            if change.kind == .bulkDeleted {
                rows.removeAll { change.predicate?.matches($0) ?? true }
                continue
            }
            let count = rows.count
            let place = ordersByPlace ? rows.first(where: change.concerns)?.place : nil
            rows.removeAll(where: change.concerns)
            guard var row = change.row else { continue }
            if ordersByPlace, row.place == nil {
                // It stays where it is, and nobody knows where that is unless it is here.
                guard let place else { continue }
                row.place = place
            }
            let belongs = stretch.map { $0.contains(Key(row, sort: sort), sort) } ?? (rows.count < count)
            if belongs { rows.append(row) }
        }
        return rows
    }
}
