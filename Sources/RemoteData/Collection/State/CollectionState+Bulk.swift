// Many rows at once.
extension CollectionState {
    /// Every row matching a predicate was deleted.
    mutating func dropAll(_ change: Change) -> Applied {
        let matcher = change.predicate.map { Where.Matcher($0) }
        let matches = { (row: Row) in matcher?.matches(row) ?? true }
        var dropped: [(position: Int, row: Row)] = []
        index.forEachLoaded { position, row in if matches(row) { dropped.append((position, row)) } }
        let heldDropped = held.rows.indices.filter { matches(held.rows[$0].row) }
        let rows = dropped.map(\.row) + heldDropped.map { held.rows[$0].row }
        for row in dropped.map(\.row) {
            let key = Key(row, sort: query.sort)
            for id in cursors.keys { cursors[id]?.removed(row.id, from: key, sort: query.sort) }
        }
        let unloaded = unloadedPositions(dropped: rows.count, change)
        let base = (dropped.map(\.position) + unloaded).sorted()
        let removed = base.map { held.position(ofBase: $0) } + heldDropped.map { held.position(ofHeld: $0) }
        let isKnown = unloaded.isEmpty || index.gapCount == 1
        let firstGap = index.firstGap()?.lowerBound ?? index.count
        for position in heldDropped.reversed() { held.remove(at: position) }
        for range in base.ranges.reversed() {
            index.remove(range)
            held.shift(from: range.lowerBound, by: -range.count)
        }
        if !isKnown, !index.isComplete { forget(from: firstGap - base.count { $0 < firstGap }) }
        return Applied(type: .bulkDeleted, rows: rows, ids: rows.map(\.id), removed: removed.sorted())
    }

    /// Positions to take away for the rows of a bulk deletion that are not here: as many as there were, from any gaps.
    private mutating func unloadedPositions(dropped: Int, _ change: Change) -> [Int] {
        guard index.gapCount > 0 else { return [] }
        var missing = index.count - index.loadedCount
        if change.predicate != nil {
            if !isAlone { noteDoubt() }
            // Unless it is known how many there were, they stay until somebody counts.
            guard let count = change.count else {
                noteDoubt()
                return []
            }
            missing = min(missing, max(0, max(0, count) - dropped))
        }
        var positions: [Int] = []
        var gap = index.firstGap()
        while let part = gap, missing > 0 {
            // Only a page shows that a gap is none, unless its size is known.
            let taken = min(missing, isAlone || change.predicate == nil ? part.count : part.count - 1)
            positions += part.prefix(taken)
            missing -= taken
            gap = index.firstGap(from: part.upperBound)
        }
        return positions
    }

    /// Makes the number of unloaded rows `total`, of which there is at most one gap.
    mutating func setUnloaded(_ total: Int) {
        guard let gap = index.firstGap(), total != gap.count else { return }
        isRecounted = true
        index.resizeGap(at: gap.lowerBound, by: total - gap.count)
        held.shift(from: gap.upperBound - 1, by: total - gap.count)
    }

    /// Forgets the rows behind the first gap, because nobody knows how the gaps share what is not here.
    mutating func forgetBehindFirstGap() {
        if index.gapCount > 1, let gap = index.firstGap() { forget(from: gap.lowerBound) }
    }

    /// Forgets the rows from a position on; the place of what is being fetched cannot be told any more either.
    private mutating func forget(from position: Int) {
        index.forget(position..<index.count)
        outdated = number()
    }
}

extension Array<Int> {
    /// The numbers, which ascend, as ranges.
    fileprivate var ranges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        for number in self {
            if let last = ranges.last, last.upperBound == number {
                ranges[ranges.count - 1] = last.lowerBound..<(number + 1)
            } else {
                ranges.append(number..<(number + 1))
            }
        }
        return ranges
    }
}
