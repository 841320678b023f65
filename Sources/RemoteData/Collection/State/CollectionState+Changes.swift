// Applying changes.
extension CollectionState {
    /// Applies every change delivered so far, or those up to a revision.
    mutating func applyPending(through limit: Revision? = nil) -> [Applied] {
        var told = applyFound()
        while limit.map({ applied == nil || isToCome($0) }) ?? true, let event = takePending() {
            tell(apply(event), in: &told)
        }
        return told
    }

    /// Applies everything that a repair has found.
    mutating func applyFound() -> [Applied] {
        var told: [Applied] = []
        tell(nil, in: &told)
        while let change = takeFound() {
            tell(update(change, isOwn: false), in: &told)
        }
        return told
    }

    private mutating func takeFound() -> Change? {
        guard let change = repair?.takeFound() else { return nil }
        note(.ownChange(change))
        if sharesFound { foundForOthers.append(change) }
        return change
    }

    /// Adds what is to be told of a change, and that of what happened without one.
    mutating func tell(_ applied: Applied?, in told: inout [Applied]) {
        if let applied { told.append(applied) }
        if let again = takeRecount() { told.append(again) }
    }

    /// Where positions are others than before, and no change says so, that is to be told before the next one.
    private mutating func takeRecount() -> Applied? {
        guard isRecounted else { return nil }
        isRecounted = false
        return Applied(type: .dataLoaded)
    }

    /// Applies changes up to the first that is to be told.
    mutating func applyNext() -> Applied? {
        if let again = takeRecount() { return again }
        while let change = takeFound() {
            if let applied = update(change, isOwn: false) ?? takeRecount() { return applied }
        }
        while let event = takePending() { if let applied = apply(event) ?? takeRecount() { return applied } }
        return nil
    }

    /// The same where nobody is told what a change did to which positions.
    mutating func applyNextUnheard() -> Bool {
        isHeard = false
        defer { isHeard = true }
        return applyNext() != nil
    }

    private mutating func apply(_ event: ChangeEvent) -> Applied? {
        switch event {
        case .change(let change):
            defer { evict() }
            return apply(change)
        case .progress(let revision):
            guard isOfThisHistory(revision) else {
                loseTrack()
                break
            }
            if revision != applied { note(.reached(revision)) }
            advance(to: revision)
        case .live(let revision):
            if following == .interrupted || resumedAt != nil { resumedAt = number() }
            following = .live
            liveSince = revision
            // Without revisions everything is compared from here on.
            if applied == nil { for id in cursors.keys { cursors[id]?.noteBegin() } }
            // Opened at a later revision than was reached: what lies between was missed.
            guard let applied, let revision, !applied.reaches(revision) else { break }
            loseTrack()
            note(.reached(revision))
        case .interrupted: following = .interrupted
        case .reset: loseTrack()
        }
        return nil
    }

    private mutating func apply(_ change: Change) -> Applied? {
        let isOwn = own.made(change)
        if isOwn { noteMade(change.idempotencyKey) }
        let rest = isBehindReads || !answered.isEmpty ? rest(of: change) : change
        if let revision = change.revision {
            guard isOfThisHistory(revision) else {
                loseTrack()
                return nil
            }
            if let applied, revision <= applied {
                // What is here has been read since, but labels may hold rows that have not.
                note(.lateChange(change))
                return nil
            }
            advance(to: revision)
        }
        note(.change(change))
        remember(change, isPassed: rest == nil)
        guard let change = rest else { return nil }
        if own.tell(change) {
            // Rows that are not here have been counted by the answer, unless a page was thought to show that they are gone.
            if let id = change.id, row(id) == nil, mayBeUnloaded(change) { return nil }
            if change.kind == .bulkDeleted { return updateInTurn(change.withoutUnloaded, isOwn: true) }
        }
        if change.kind == .created, let row = change.row {
            let planned = own.takePosition(change)
            if !holding.isEmpty || planned != nil,
                let position = holding.removeValue(forKey: row.id) ?? planned, !held.contains(row.id)
            {
                return hold(change.rowToKeep ?? row, at: position, isKnown: false)
            }
        }
        return updateInTurn(change, isOwn: isOwn)
    }

    private mutating func updateInTurn(_ change: Change, isOwn: Bool) -> Applied? {
        let result = update(change, isOwn: isOwn)
        // It may be older than what was answered about the same rows: the events of those come behind it then.
        if own.hasAnswers {
            let ids = [change.id, change.row?.id, change.formerID].compactMap(\.self)
            own.forgetAnswers(about: (result?.ids ?? []) + ids)
        }
        return result
    }

    private mutating func advance(to revision: Revision) {
        guard applied.map({ $0 < revision }) ?? true else { return }
        applied = revision
        own.forget(through: revision)
        answered.reach(revision)
        newer.reach(revision)
        proof.reach(revision)
    }

    /// Keeps a change, which is about to be made, for the pages that are under way.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - isPassed: Whether its row is here as it became by this change or later.
    mutating func remember(_ change: Change, isPassed: Bool = false) {
        guard keepsLog else { return }
        if log.count >= Self.logLimit { loseLog() }
        log.append((number(), located(change, isPassed)))
    }

    /// The change with the key its row had before, which the table may not tell.
    private func located(_ change: Change, _ isPassed: Bool) -> Change {
        guard !change.hasPreviousKey, change.kind == .updated || change.kind == .deleted,
            let id = change.formerID ?? change.id,
            let previous = isPassed ? answeredKey(change) : row(id).map({ Key($0, sort: query.sort) })
        else { return change.withKeyRead }
        return change.with(previousKey: previous)
    }

    /// The key that a row had before an own write which was applied by its answer already.
    private func answeredKey(_ change: Change) -> Key? {
        guard let revision = change.revision else { return nil }
        return log.last { $0.change.revision == revision && $0.change.id == change.id }?.change.previousKey
    }

    mutating func update(_ change: Change, isOwn: Bool) -> Applied? {
        var result: Applied?
        let isOwnUpdate = isOwn && change.kind == .updated
        if isOwnUpdate { noteOwn(true) }
        defer { if isOwnUpdate { noteOwn(false) } }
        switch change.kind {
        case .created, .updated:
            result = change.rowToKeep.flatMap { row in
                change.formerID.map { rename($0, to: row, change) } ?? put(row, change)
            }
        case .deleted: result = change.id.flatMap { drop($0, change) }
        case .bulkDeleted:
            let dropped = dropAll(change)
            noteDropped(dropped.rows, by: change)
            // An own one that comes back, one of rows that a page did not show any more, or one of rows that
            // are not here and have to be counted: that is delivered by itself.
            if dropped.removedRanges.isEmpty { return nil }
            result = dropped
        default: break
        }
        result?.isOwn = isOwn
        result?.revision = change.revision
        noteTold(result)
        return result
    }
}

// MARK: - One row

extension CollectionState {
    /// A row was created or updated.
    mutating func put(_ row: Row, _ change: Change) -> Applied? {
        // What happens most, without making an id of the row.
        if isInIDOrder, held.isEmpty, cursors.isEmpty, let spot = index.spot(ofOneLike: row) {
            return exchange(row, at: spot)
        }
        var row = row
        if ordersByPlace, row.place == nil {
            // It stays where it is, and nobody knows where that is unless it is here.
            guard let known = self.row(row.id), let place = known.place else {
                guard droppedTogether.remove(row.id) == nil else {
                    loseTrack()
                    return nil
                }
                return Applied(type: .updated, row: row)
            }
            guard !isElsewhere(row, than: known) else {
                loseTrack()
                return nil
            }
            row.place = place
        }
        let key = Key(row, sort: query.sort)
        if let index = held.index(of: key.id) {
            let known = held.rows[index].row
            held.replace(row, at: index)
            // An own write that comes back.
            if known.isSame(as: row) { return nil }
            return Applied(type: .updated, row: row, effect: .updated(held.position(ofHeld: index)))
        }
        let mark = row.idMark
        guard let spot = index.spot(of: key.id, mark) else { return putUnloaded(row, key, change) }
        if !cursors.isEmpty {
            let oldKey = Key(index.row(at: spot), sort: query.sort)
            for id in cursors.keys {
                cursors[id]?.moved(row, from: oldKey, to: key, sort: query.sort, at: change.revision)
            }
        }
        if isInIDOrder || index.hasKey(key, at: spot) { return exchange(row, at: spot) }
        let known = index.row(at: spot)
        let old = index.position(of: spot)
        let from = held.position(ofBase: old)
        let place = index.move(spot, to: row, mark, key)
        held.shift(from: old, by: -1)
        let to = arrive(row, key, place)
        let stays = if case .gap = place { false } else { true }
        // Only its place was another one than thought, and is among the same rows.
        if stays, from == to, known.isSame(as: row) { return nil }
        return Applied(type: .updated, row: row, effect: .init(from: from, to: to, stays: stays))
    }

    /// Whether rows are in the order of their ids, in which none ever moves.
    private var isInIDOrder: Bool { query.sort.isEmpty && !ordersByPlace }

    /// A row becomes another one where it is.
    private mutating func exchange(_ row: Row, at spot: RowIndex.Spot) -> Applied? {
        let known = index.replace(row, at: spot)
        // An own write that comes back, or a change that a page has shown already.
        if known.isSame(as: row) { return nil }
        guard isHeard else { return Applied(type: .updated) }
        let position = index.position(of: spot)
        return Applied(type: .updated, row: row, effect: .updated(held.position(ofBase: position)))
    }

    mutating func putUnloaded(_ row: Row, _ key: Key, _ change: Change) -> Applied? {
        guard change.kind == .updated else {
            for id in cursors.keys {
                cursors[id]?.created(row, at: key, sort: query.sort, change: change.revision)
            }
            let position = insert(row, key)
            return Applied(type: .created, row: row, effect: .inserted(position))
        }
        let told = change.previousKey
        // A place that is guessed, or of an unknown moment, says nothing of what was taken.
        let sure = change.revision != nil && told?.certainty == .sure ? told : nil
        for id in cursors.keys {
            let revision = change.revision
            cursors[id]?.changedUnloaded(row, from: sure, to: key, sort: query.sort, at: revision)
        }
        // Whether it was a row of the query before, a count is to tell.
        if !knowsMembership, told == nil, index.gapCount > 0 { noteDoubt() }
        let previous = told ?? keyInIDOrder(change.formerID ?? row.id)
        // The rows between are unloaded then, and `dataLoaded` follows.
        let isLost = isGapOpen(previous)
        guard let from = shrinkGap(where: previous) else {
            let position = insert(row, key)
            return Applied(type: .created, row: row, effect: isLost ? nil : .inserted(position))
        }
        let to = insert(row, key)
        guard !isLost else { return Applied(type: .updated, row: row) }
        let stays = index.spot(of: row.id) == nil
        return Applied(type: .updated, row: row, effect: .init(from: from, to: to, stays: stays))
    }

    /// A row was deleted or left the clause.
    mutating func drop(_ id: RowID, _ change: Change) -> Applied? {
        if let index = held.index(of: id) {
            let position = held.position(ofHeld: index)
            let row = held.rows[index].row
            held.remove(at: index)
            for id in cursors.keys { cursors[id]?.removed(held: row.id) }
            return Applied(type: .deleted, row: row, effect: .removed(position))
        }
        if let position = index.position(of: id), let row = index.row(at: position) {
            let key = Key(row, sort: query.sort)
            for id in cursors.keys {
                cursors[id]?.removed(row.id, from: key, sort: query.sort, at: change.revision)
            }
            let from = held.position(ofBase: position)
            takeOut(position)
            return Applied(type: .deleted, row: row, effect: .removed(from))
        }
        let previous = change.previousKey
        for cursor in cursors.keys { cursors[cursor]?.removedUnloaded(id, at: change.revision) }
        guard knowsMembership || previous != nil else {
            // It may never have been a row of the query.
            if index.gapCount > 0 { noteDoubt() }
            return nil
        }
        let key = previous ?? keyInIDOrder(id)
        // The rows between are unloaded then, and `dataLoaded` follows.
        let isLost = isGapOpen(key)
        guard let from = shrinkGap(where: key) else { return nil }
        return Applied(type: .deleted, id: id, effect: isLost ? nil : .removed(from))
    }

    /// Where a row was; without a sort order its id tells.
    private func keyInIDOrder(_ id: RowID) -> Key? { isInIDOrder ? Key(values: [], id: id) : nil }

    /// Puts a row where it sorts: among its neighbours when both are here, otherwise into the gap, unloaded.
    ///
    /// - Returns: The position of the collection.
    private mutating func insert(_ row: Row, _ key: Key) -> Int {
        arrive(row, key, index.insert(row, key))
    }

    /// Follows a row that came to a place in the index.
    ///
    /// - Returns: The position of the collection.
    mutating func arrive(_ row: Row, _ key: Key, _ place: Place) -> Int {
        switch place {
        case .at(let position): return held.position(ofBase: position)
        case .between(let position):
            held.shift(from: position, by: 1)
            if position == index.count - 1, following == .off, !isExact, !isEndKnown {
                // Rows that others made may lie in front of it, so that nobody knows its position yet.
                forget(position..<(position + 1))
                isRecounted = true
                for id in cursors.keys { cursors[id]?.unloaded(row.id, at: key, sort: query.sort) }
            }
            return held.position(ofBase: position)
        case .gap(let gap):
            if let through = passed?.through, Key.order(key, through, sort: query.sort) != .descending {
                passed = nil
            }
            index.resizeGap(at: gap.lowerBound, by: 1)
            held.shift(from: gap.upperBound - 1, by: 1)
            for id in cursors.keys { cursors[id]?.unloaded(row.id, at: key, sort: query.sort) }
            return held.position(ofBase: gap.upperBound)
        }
    }

    mutating func takeOut(_ position: Int) {
        index.remove(at: position)
        held.shift(from: position, by: -1)
    }

    /// Whether an unloaded row that was where a key lies may have been in more than one gap.
    private func isGapOpen(_ key: Key?) -> Bool {
        guard index.gapCount > 1 else { return false }
        return key.map { gaps(around: $0).count > 1 } ?? true
    }

    /// Takes one unloaded row away where a key lies; where that is not known, from the first gap.
    ///
    /// - Returns: The position that went; nil when no row that is not here can have been there.
    private mutating func shrinkGap(where key: Key?) -> Int? {
        if isGapOpen(key) { forgetBehindFirstGap() }
        guard var gap = index.firstGap() else { return nil }
        if let key {
            guard let found = gaps(around: key).first else {
                // A row that came and went unseen.
                if repair?.isStale(key, query.sort) != true { noteDoubt() }
                return nil
            }
            gap = found
        }
        // Only a page shows that a gap is none, unless its size is known.
        guard isAlone || gap.count > 1 else {
            if repair != nil { noteDoubt() }
            return nil
        }
        let position = held.position(ofBase: gap.upperBound - 1)
        index.resizeGap(at: gap.lowerBound, by: -1)
        held.shift(from: gap.upperBound - 1, by: -1)
        return position
    }
}

extension Change {
    /// The same bulk deletion where those rows are counted already that are not here.
    var withoutUnloaded: Change { Change(revision: revision, kind: kind, predicate: predicate, count: 0) }
}
