/// How many rows a collection keeps.
struct CacheLimit: Sendable {
    /// How many rows may be here, besides those that iterations stand at.
    var rows: Int
    /// How many rows stay in front of an iteration that will come to them.
    var ahead: Int
}

// Keeping no more rows than asked for: those used longest ago become gaps again, of exactly the same size.
//
// An iteration goes on behind the last row it took. The chunk with that row stays, so that its place is known. Should the
// row go nevertheless, as a change may have it, the iteration looks for the place where it was; what stays then is the
// chunk in front of the gap that it looks in, so that every page brings it nearer.
extension CollectionState {
    /// Forgets rows used longest ago while there are too many.
    ///
    /// - Parameter pages: Pages just put in place, whose rows somebody waits for.
    mutating func evict(keeping pages: [Page] = []) {
        guard let cache, index.loadedCount > cache.rows else { return }
        var kept = cursors.values.map { keptRange(of: $0, ahead: cache.ahead) }
        for fetch in fetches.values {
            // The page is put in place behind this row.
            if let key = fetch.request.start.behind, let node = index.spot(of: key.id)?.node {
                kept.append(index.range(of: node))
            }
        }
        let nodes = Set(pages.flatMap { page in page.rows.compactMap { index.spot(ofOneLike: $0)?.node } })
        kept += nodes.map { index.range(of: $0) }
        forgetFilledStretches()
        // Pages without a row that stays led behind these, and would have to be read again one after another.
        for key in [passed?.after, unreadable?.after].compactMap(\.self) {
            if let node = index.spot(of: key.id)?.node { kept.append(index.range(of: node)) }
        }
        let reached = cursors.mapValues { reach(of: $0).start }
        // Taken out rather than copied: they may remember many rows.
        var cursors: [Int: IterationCursor] = [:]
        swap(&cursors, &self.cursors)
        index.evict(to: cache.rows, keeping: kept) { index, part in
            for (id, position) in reached {
                index.forEachLoaded(in: part.clamped(to: 0..<position)) { _, row in
                    cursors[id]?.forget(row.id)
                }
            }
        }
        self.cursors = cursors
    }

    /// Forgets rows at positions of the index.
    mutating func forget(_ positions: Range<Int>) {
        forgetFilledStretches()
        index.forget(positions)
    }

    /// Forgets what is known of stretches in which rows have come to lie: those would not be asked for any
    /// more once
    /// they are no longer here.
    private mutating func forgetFilledStretches() {
        if let passed, !endsHere(passed.after) { self.passed = nil }
        if let unreadable, !endsHere(unreadable.after) { self.unreadable = nil }
    }

    /// Whether no row is here directly behind a key, which is that of a row or nil for the start.
    private func endsHere(_ key: Key?) -> Bool {
        var position = 0
        if let key {
            guard case .at(let place) = index.place(of: key) else { return false }
            position = place + 1
        }
        return position == index.count || index.gap(at: position) != nil
    }

    /// The positions that an iteration stands at and comes to next.
    private func keptRange(of cursor: IterationCursor, ahead: Int) -> Range<Int> {
        let (position, end) =
            switch reach(of: cursor) {
            case .exactly(let position): (position, position + ahead)
            case .within(let gap): (gap.lowerBound, gap.lowerBound)
            }
        guard let (node, _) = index.chunk(at: position - 1) else { return position..<end }
        return index.range(of: node).lowerBound..<end
    }

    /// Notes that somebody looks at the rows of a chunk.
    mutating func use(_ node: Int) {
        if cache != nil { index.use(node) }
    }

    /// Whether all rows may be here at once.
    var fitsInCache: Bool { cache.map { index.count <= $0.rows } ?? true }

    /// Whether rows are gone that an iteration has taken, so that it cannot start over.
    func hasForgottenRows(of cursor: IterationCursor) -> Bool {
        guard cache != nil else { return false }
        return switch reach(of: cursor) {
        case .exactly(let position): index.unloadedCount(before: position) > 0
        case .within: true
        }
    }
}
