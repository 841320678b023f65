// Applying changes.
extension CollectionState {
    /// Applies every change delivered so far, or those up to a revision.
    mutating func applyPending(through limit: Revision? = nil) -> [Applied] {
        var told: [Applied] = []
        var taken = 0
        for event in pending {
            if needsResync { break }
            if let limit, let applied, applied >= limit { break }
            taken += 1
            switch event {
            case .change(let change): if let applied = apply(change) { told.append(applied) }
            case .progress(let revision): advance(to: revision)
            case .live(let revision):
                following = .live
                // Opened at a later revision than was reached: what lies between was missed.
                if let applied, let revision, revision > applied { needsResync = true }
            case .interrupted: following = .interrupted
            case .reset: needsResync = true
            }
        }
        pending.removeFirst(taken)
        return told
    }

    /// What an own write's answer calls for.
    enum OwnWrite: Sendable {
        /// Its changes are in place; these are to be told.
        case applied([Applied])
        /// Its events are under way: it is in place when `applied` has reached this revision.
        case comes(Revision)
    }

    /// Takes the changes that the answer to an own write tells of.
    ///
    /// - Parameters:
    ///   - changes: What was done, in order.
    ///   - position: Where the rows are to be held, if anywhere.
    ///   - now: Whether not to wait for the events any longer.
    /// - Returns: What is left to do.
    mutating func wrote(_ changes: [Change], heldAt position: Int? = nil, now: Bool = false) -> OwnWrite {
        if !now, expectsChanges, let applied, let last = changes.compactMap(\.revision).max(), last > applied
        {
            own.formUnion(changes.compactMap(\.revision).filter { $0 > applied })
            if let position { expectToHold(changes, at: position) }
            return .comes(last)
        }
        var told: [Applied] = []
        let applied = applied
        for (offset, change) in changes.enumerated() {
            let isKnown =
                if let revision = change.revision, let applied { revision <= applied } else { false }
            if let position, let row = change.row {
                guard held.index(of: row.id) == nil else { continue }
                told.append(hold(row, at: position + offset, isKnown: isKnown))
            } else if !isKnown {
                // Its event may still come and be counted once more.
                if change.revision != nil, self.applied != nil { isCountDoubtful = true }
                remember(change)
                if let result = update(change, isOwn: true) { told.append(result) }
            }
        }
        own.subtract(changes.compactMap(\.revision))
        return .applied(told)
    }

    private mutating func apply(_ change: Change) -> Applied? {
        var isOwn = false
        if let revision = change.revision {
            if let applied, revision <= applied { return nil }
            isOwn = own.remove(revision) != nil
            advance(to: revision)
        }
        remember(change)
        if change.kind == .created, let row = change.row, let position = holding.removeValue(forKey: row.id) {
            return hold(row, at: position, isKnown: false)
        }
        return update(change, isOwn: isOwn)
    }

    /// Takes a count that was made because gaps may be of a wrong size.
    ///
    /// - Returns: Whether it could be used; otherwise it was made at another moment, and has to be made again.
    mutating func settle(_ count: Count) -> Bool {
        if let counted = count.revision, let applied, counted != applied { return false }
        isCountDoubtful = false
        let unloaded = count.value - loadedCount
        guard unloaded != index.count - index.loadedCount else { return true }
        if unloaded < 0 || (unloaded > 0 && index.isComplete) {
            // More rows here than there are, or no gap for those that are missing: what is here cannot be right.
            needsResync = true
        } else {
            _ = setUnloaded(unloaded)
        }
        return true
    }

    private mutating func advance(to revision: Revision) {
        guard applied.map({ $0 < revision }) ?? true else { return }
        applied = revision
        if !own.isEmpty { own = own.filter { $0 > revision } }
    }

    mutating func remember(_ change: Change) { if !fetches.isEmpty { log.append((number(), change)) } }

    private mutating func update(_ change: Change, isOwn: Bool) -> Applied? {
        var result: Applied?
        switch change.kind {
        case .created, .updated: result = change.row.flatMap { put($0, change) }
        case .deleted: result = change.id.flatMap { drop($0, change) }
        case .bulkDeleted: result = dropAll(change)
        default: break
        }
        result?.isOwn = isOwn
        result?.revision = change.revision
        return result
    }
}

// MARK: - One row

extension CollectionState {
    /// A row was created or updated.
    private mutating func put(_ row: Row, _ change: Change) -> Applied? {
        if let index = held.index(of: row.id) {
            held.replace(row, at: index)
            return Applied(
                type: .updated,
                rows: [row],
                ids: [row.id],
                updated: [held.position(ofHeld: index)]
            )
        }
        let key = Key(row, sort: query.sort)
        guard let old = index.position(of: row.id) else { return putUnloaded(row, key, change) }
        let oldKey = index.row(at: old).map { Key($0, sort: query.sort) } ?? key
        if oldKey == key {
            index.replace(row, at: old)
            return Applied(type: .updated, rows: [row], ids: [row.id], updated: [held.position(ofBase: old)])
        }
        for id in cursors.keys { cursors[id]?.moved(row.id, from: oldKey, to: key, sort: query.sort) }
        let from = held.position(ofBase: old)
        takeOut(old)
        let to = insert(row, key)
        if from == to {
            return Applied(type: .updated, rows: [row], ids: [row.id], updated: [to])
        }
        return Applied(
            type: .updated,
            rows: [row],
            ids: [row.id],
            moved: [CollectionMove(from: from, to: to)]
        )
    }

    private mutating func putUnloaded(_ row: Row, _ key: Key, _ change: Change) -> Applied? {
        guard change.kind == .updated else {
            return Applied(type: .created, rows: [row], ids: [row.id], inserted: [insert(row, key)])
        }
        if let previous = change.previousKey {
            for id in cursors.keys { cursors[id]?.moved(row.id, from: previous, to: key, sort: query.sort) }
        }
        let from = shrinkGap(where: change.previousKey ?? key)
        let to = insert(row, key)
        if let from, from != to {
            return Applied(
                type: .updated,
                rows: [row],
                ids: [row.id],
                moved: [CollectionMove(from: from, to: to)]
            )
        }
        return Applied(type: .updated, rows: [row], ids: [row.id], updated: [to])
    }

    /// A row was deleted or left the clause.
    private mutating func drop(_ id: RowID, _ change: Change) -> Applied? {
        if let index = held.index(of: id) {
            let position = held.position(ofHeld: index)
            let row = held.remove(at: index)
            return Applied(type: .deleted, rows: [row], ids: [id], removed: [position])
        }
        if let position = index.position(of: id), let row = index.row(at: position) {
            let key = Key(row, sort: query.sort)
            for id in cursors.keys { cursors[id]?.removed(row.id, from: key, sort: query.sort) }
            let from = held.position(ofBase: position)
            takeOut(position)
            return Applied(type: .deleted, rows: [row], ids: [id], removed: [from])
        }
        if let previous = change.previousKey {
            for cursor in cursors.keys { cursors[cursor]?.removed(id, from: previous, sort: query.sort) }
        }
        let from = shrinkGap(where: change.previousKey)
        return Applied(type: .deleted, ids: [id], removed: from.map { [$0] } ?? [])
    }

    /// Puts a row where it sorts: among its neighbours when both are here, otherwise into the gap, unloaded.
    private mutating func insert(_ row: Row, _ key: Key) -> Int {
        switch index.place(of: key, sort: query.sort) {
        case .at(let position):
            index.replace(row, at: position)
            return held.position(ofBase: position)
        case .between(let position):
            index.insert(row, at: position)
            held.shift(from: position, by: 1)
            return held.position(ofBase: position)
        case .gap(let gap):
            index.resizeGap(at: gap.lowerBound, by: 1)
            held.shift(from: gap.upperBound - 1, by: 1)
            return held.position(ofBase: gap.upperBound)
        }
    }

    private mutating func takeOut(_ position: Int) {
        index.remove(at: position)
        held.shift(from: position, by: -1)
    }

    /// Takes one unloaded row away where a key lies; where that is not known, from the only gap there is.
    private mutating func shrinkGap(where key: Key?) -> Int? {
        var gap: Range<Int>?
        if let key {
            if case .gap(let found) = index.place(of: key, sort: query.sort) { gap = found }
        } else if index.gapCount == 1 {
            gap = index.firstGap()
        }
        guard let gap else {
            isCountDoubtful = index.gapCount > 0
            return nil
        }
        let position = held.position(ofBase: gap.upperBound - 1)
        index.resizeGap(at: gap.lowerBound, by: -1)
        held.shift(from: gap.upperBound - 1, by: -1)
        return position
    }
}

// MARK: - Many rows

extension CollectionState {
    /// Every row matching a predicate was deleted.
    private mutating func dropAll(_ change: Change) -> Applied {
        var dropped: [(position: Int, row: Row)] = []
        index.forEachLoaded { position, row in
            if change.predicate?.matches(row) ?? true { dropped.append((position, row)) }
        }
        let heldDropped = held.rows.indices.filter { change.predicate?.matches(held.rows[$0].row) ?? true }
        var removed = dropped.map { held.position(ofBase: $0.position) }
        removed += heldDropped.map { held.position(ofHeld: $0) }
        let rows = dropped.map(\.row) + heldDropped.map { held.rows[$0].row }
        for (position, row) in dropped.reversed() {
            let key = Key(row, sort: query.sort)
            for id in cursors.keys { cursors[id]?.removed(row.id, from: key, sort: query.sort) }
            takeOut(position)
        }
        for position in heldDropped.reversed() { held.remove(at: position) }
        removed += dropUnloaded(change, alreadyDropped: rows.count)
        return Applied(type: .bulkDeleted, rows: rows, ids: rows.map(\.id), removed: removed.sorted())
    }

    /// The rows of a bulk deletion that were not here: which gaps they were in, only a single gap tells.
    private mutating func dropUnloaded(_ change: Change, alreadyDropped: Int) -> [Int] {
        guard index.gapCount > 0 else { return [] }
        let unloaded = index.count - index.loadedCount
        let left: Int
        if change.predicate == nil {
            left = 0
        } else if let count = change.count {
            left = max(0, unloaded - max(0, count - alreadyDropped))
        } else {
            isCountDoubtful = true
            return []
        }
        guard left < unloaded else { return [] }
        return setUnloaded(left)
    }

    /// Makes the number of unloaded rows `total`.
    ///
    /// With several gaps nobody knows how they share it, so the rows behind the
    /// first are forgotten and it takes all.
    ///
    /// - Returns: Positions that went.
    mutating func setUnloaded(_ total: Int) -> [Int] {
        guard let gap = index.firstGap() else {
            index.insertGap(total, at: index.count)
            return []
        }
        let before = index.count
        var size = total
        if index.gapCount > 1, total > 0 {
            size += index.loadedCount - gap.lowerBound
            index.remove(gap.lowerBound..<index.count)
            index.insertGap(size, at: gap.lowerBound)
        } else {
            while let gap = index.firstGap(), index.gapCount > 1 || total == 0 {
                index.resizeGap(at: gap.lowerBound, by: -gap.count)
            }
            if total > 0 { index.resizeGap(at: gap.lowerBound, by: total - gap.count) }
        }
        held.shift(from: gap.lowerBound, by: index.count - before)
        let went = before - index.count
        return went > 0
            ? Array(held.position(ofBase: gap.lowerBound)..<(held.position(ofBase: gap.lowerBound) + went))
            : []
    }
}
