// Many rows at once.
extension CollectionState {
    /// Every row matching a predicate was deleted.
    ///
    /// - Parameters:
    ///   - change: The deletion.
    ///   - gone: The only rows here that are known to be gone by it; nil when those are gone that match.
    /// - Returns: What is to be told.
    /// - Complexity: O(loaded rows); those that are not here cost nothing for their number.
    mutating func dropAll(_ change: Change, gone: Set<RowID>? = nil) -> Applied {
        let isTaken = taken(by: change, gone: gone)
        // What may not be here as it was then is asked for by its id, and keeps its position until that is answered.
        let heldDropped = held.rows.enumerated()
            .filter { repair?.doubtful.contains($0.element.row.id) != true && isTaken($0.element.row) }
        // Rows that are still to be compared may be others by now: the comparison finds out which of them it
        // took.
        let stale = gone != nil || takesAll(change) ? nil : repair
        let matches = { [sort = query.sort] row in
            if let stale, stale.doubtful.contains(row.id) || stale.isStale(Key(row, sort: sort), sort) {
                return false
            }
            return isTaken(row)
        }
        var goes = index.loadedRanges { matches($0) }
        let rows = goes.rows + heldDropped.map(\.element.row)
        noteAhead(rows, removedBy: change)
        if !cursors.isEmpty {
            for row in goes.rows {
                let key = Key(row, sort: query.sort)
                for id in cursors.keys { cursors[id]?.removed(row.id, from: key, sort: query.sort) }
            }
            for (_, held) in heldDropped {
                for id in cursors.keys { cursors[id]?.removed(held: held.row.id) }
            }
            for id in cursors.keys { cursors[id]?.removedAll(where: matches) }
        }
        let unloaded = unloadedRanges(dropped: rows.count, change)
        goes.ranges = (goes.ranges + unloaded).sorted { $0.lowerBound < $1.lowerBound }
        let removed =
            goes.ranges.flatMap { held.positions(ofBase: $0) }
            + heldDropped.map { held.position(ofHeld: $0.offset) }.map { $0..<($0 + 1) }
        let isKnown = unloaded.isEmpty || index.gapCount == 1
        let firstGap = index.firstGap()?.lowerBound ?? index.count
        let inFront = goes.ranges.reduce(0) { $0 + $1.clamped(to: 0..<firstGap).count }
        for (offset, _) in heldDropped.reversed() { held.remove(at: offset) }
        for range in goes.ranges.reversed() { held.shift(from: range.lowerBound, by: -range.count) }
        for range in unloaded.reversed() { index.resizeGap(at: range.lowerBound, by: -range.count) }
        index.removeLoaded(where: matches)
        if !isKnown, !index.isComplete { forget(from: firstGap - inFront) }
        let ranges = removed.sorted { $0.lowerBound < $1.lowerBound }.joined
        return Applied(type: .bulkDeleted, bulk: Applied.Bulk(rows: rows, removedRanges: ranges))
    }

    /// Notes which rows a bulk deletion took away that may be older than the page that showed them: should one of them still be
    /// there, its own change comes behind the deletion, and may not say where it is.
    mutating func noteDropped(_ rows: [Row], by change: Change) {
        guard ordersByPlace, change.revision == nil else { return }
        guard droppedTogether.count + rows.count <= Self.droppedLimit else {
            droppedTogether = []
            loseTrack()
            return
        }
        droppedTogether.formUnion(rows.map(\.id))
    }

    /// How many such rows are known; of more, everything is compared with the table.
    private static var droppedLimit: Int { 65_536 }

    /// Whether a bulk deletion takes every row of the query.
    private func takesAll(_ change: Change) -> Bool {
        change.predicate == nil || change.predicate == query.filter
    }

    /// Which rows a bulk deletion takes away; what a row is known to have become later it was not yet then.
    private func taken(by change: Change, gone: Set<RowID>?) -> (Row) -> Bool {
        if let gone { return { gone.contains($0.id) } }
        let matcher = change.predicate.map { Where.Matcher($0) }
        return { [answered] row in
            if let revision = change.revision {
                if let known = row.revision, known.isLater(than: revision) { return false }
                if answered.has(row.id, at: revision) { return false }
            }
            return matcher?.matches(row) ?? true
        }
    }

    /// The rows here that match an own removal which its answer tells of, if they may have changed unseen before it.
    func unsureRows(of change: Change) -> [RowID]? {
        guard change.kind == .bulkDeleted, let predicate = change.predicate else { return nil }
        // What matched is not known here.
        if predicate.hasSubQuery {
            return (index.loadedRanges { _ in true }.rows + held.rows.map(\.row)).map(\.id)
        }
        guard predicate != query.filter else { return nil }
        if ahead == nil, let known = following == .off ? counted : applied, let revision = change.revision,
            known.reaches(revision) || revision == known.next
        {
            return nil
        }
        let matcher = Where.Matcher(predicate)
        let rows =
            index.loadedRanges { matcher.matches($0) }.rows + held.rows.map(\.row).filter(matcher.matches)
        return rows.map(\.id)
    }

    /// Applies an own removal by clause of which the table told what became of the rows here.
    ///
    /// - Parameters:
    ///   - change: The removal.
    ///   - fate: What became of the rows.
    ///   - told: Gets what is to be told.
    mutating func dropAll(_ change: Change, _ fate: RowsFate, telling told: inout [Applied]) {
        // Pages from before it may show rows that changed before they were, or were not, removed: they are read again.
        outdated = number()
        // What came behind the question is known better.
        let newer = fate.pages.flatMap { changes(since: fate.asked, newerThan: $0) }
        let changed = Set(newer.compactMap(\.id))
        let rows = fate.pages.flatMap(\.rows)
        let gone = fate.ids.subtracting(rows.map(\.id)).subtracting(changed)
        var dropped = dropAll(change, gone: gone)
        dropped.isOwn = true
        dropped.revision = change.revision
        tell(dropped.removedRanges.isEmpty ? nil : dropped, in: &told)
        for row in rows where !changed.contains(row.id) {
            guard let known = self.row(row.id) else { continue }
            noteAhead(row.revision)
            let key = Key(known, sort: query.sort)
            let change = Change(revision: row.revision, kind: .updated, row: row, previousKey: key)
            note(.ownChange(change))
            tell(update(change, isOwn: false), in: &told)
        }
    }

    /// Positions to take away for the rows of a bulk deletion that are not here: as many as there were, from any gaps.
    private mutating func unloadedRanges(dropped: Int, _ change: Change) -> [Range<Int>] {
        guard index.gapCount > 0, change.count != 0 else { return [] }
        var missing = index.count - index.loadedCount
        let takesAll = takesAll(change)
        if !takesAll {
            if !isAlone { noteDoubt() }
            // Unless it is known how many there were, they stay until somebody counts.
            guard let count = change.count else {
                noteDoubt()
                return []
            }
            missing = min(missing, max(0, max(0, count) - dropped))
        }
        var ranges: [Range<Int>] = []
        var gap = index.firstGap()
        while let part = gap, missing > 0 {
            // Only a page shows that a gap is none, unless its size is known.
            let taken = min(missing, isAlone || takesAll ? part.count : part.count - 1)
            ranges.append(joining: (part.upperBound - taken)..<part.upperBound)
            missing -= taken
            gap = index.firstGap(from: part.upperBound)
        }
        return ranges
    }

    /// Makes the number of unloaded rows `total`, of which there is at most one gap.
    mutating func setUnloaded(_ total: Int) {
        if let gap = index.firstGap() { resize(gap, to: total) }
    }

    /// Makes a gap another size because it was counted; the rows that come or go are the last of it.
    mutating func resize(_ gap: Range<Int>, to size: Int) {
        guard size != gap.count else { return }
        isRecounted = true
        index.resizeGap(at: gap.lowerBound, by: size - gap.count)
        held.shift(from: gap.lowerBound + min(size, gap.count - 1), by: size - gap.count)
    }

    /// Forgets the rows behind the first gap, because nobody knows how the gaps share what is not here.
    mutating func forgetBehindFirstGap() {
        if index.gapCount > 1, let gap = index.firstGap() { forget(from: gap.lowerBound) }
    }

    /// Forgets the rows from a position on; the place of what is being fetched cannot be told any more either.
    ///
    /// Who has only heard of changes has to look again: where the forgotten rows are now is not known.
    mutating func forget(from position: Int) {
        let loaded = index.loadedCount
        if !cursors.isEmpty {
            index.forEachLoaded(in: position..<index.count) { _, row in
                let key = Key(row, sort: query.sort)
                for id in cursors.keys { cursors[id]?.unloaded(row.id, at: key, sort: query.sort) }
            }
        }
        forget(position..<index.count)
        if index.loadedCount < loaded { isRecounted = true }
        outdated = number()
    }
}

/// What became of rows that a removal by clause may have taken away.
struct RowsFate: Sendable {
    /// The rows that the table was asked for; none where it could not be.
    var ids: Set<RowID> = []
    /// Those that are still rows of the query.
    var pages: [Page] = []
    /// The number at which it was asked.
    var asked = 0
}
