// Taking the answers to own writes: where events come, those do the work in their turn, and elsewhere the answers do.
extension CollectionState {
    /// What an own write's answer calls for.
    enum OwnWrite: Sendable {
        /// Its changes are in place; these are to be told.
        case applied([Applied])
        /// Its events are under way: it is in place when `applied` has reached this revision.
        case comes(Revision)
    }

    /// The revision of an own write whose events are still to come; nil when it has to be applied by its answer.
    func coming(_ changes: [Change]) -> Revision? {
        guard expectsChanges, let last = changes.compactMap(\.revision).max(), isToCome(last) else {
            return nil
        }
        return last
    }

    /// Takes the changes that the answer to an own write tells of.
    ///
    /// - Parameters:
    ///   - changes: What was done, in order.
    ///   - key: The write's idempotency key, by which its events are known.
    ///   - position: Where the rows are to be held, if anywhere.
    ///   - watch: A watch begun before the write.
    ///   - now: Whether not to wait for the events any longer.
    ///   - makesRows: Whether rows that are not here were not there before: an update may find that others
    ///     had brought one into the query.
    ///   - fate: What the table told of the rows that a removal by clause may have taken away; nil when nobody had to ask.
    /// - Returns: What is left to do.
    mutating func wrote(
        _ changes: [Change],
        by key: String? = nil,
        heldAt position: Int? = nil,
        since watch: Int,
        now: Bool = false,
        makesRows: Bool = true,
        fate: RowsFate? = nil
    ) -> OwnWrite {
        if changes.contains(where: { !isOfThisHistory($0.revision) }) { loseTrack() }
        if !now, let last = coming(changes) {
            own.expect(changes.compactMap(\.revision))
            if let position { expectToHold(changes, at: position) }
            return .comes(last)
        }
        if let key { own.noteAnswer(key, at: number()) }
        var told: [Applied] = []
        tell(nil, in: &told)
        // What everything was read anew at shows them already.
        let known = applied ?? counted
        noteOwn(changes, since: watch)
        let ids = changes.compactMap(\.id)
        let newer = log.filter { $0.number > watch }.map(\.change)
        var previous: RowID?
        for (offset, change) in changes.enumerated() {
            let isKnown = isKnown(change, by: key, newer, readAt: known)
            if !isKnown, !takeAnswer(change, to: key, since: watch, newer) { continue }
            if let position, let row = change.row {
                holding[row.id] = nil
                guard let row = isKnown && !held.contains(row.id) ? latest(row, since: watch) : row else {
                    continue
                }
                if !held.contains(row.id) {
                    let place = previous == nil ? position : position + offset
                    tell(hold(row, at: place, behind: previous, besides: ids, isKnown: isKnown), in: &told)
                }
                previous = row.id
            } else if !isKnown, let fate {
                remember(change)
                dropAll(change, fate, telling: &told)
            } else if !isKnown {
                guard let change = caughtUp(change, with: newer) else { continue }
                if !makesRows { noteAppeared(change) }
                tell(update(change.withVaguePlace, isOwn: true), in: &told)
            }
        }
        evict()
        return .applied(told)
    }

    /// Takes a change of an own write that is not here yet, unless it is outdated.
    ///
    /// - Returns: Whether it is to be applied.
    private mutating func takeAnswer(
        _ change: Change,
        to key: String?,
        since watch: Int,
        _ newer: [Change]
    ) -> Bool {
        if isOutdated(change, since: watch, by: newer) || rest(of: change) == nil
            || !canTake(change, since: watch)
        {
            return false
        }
        if expectsChanges { own.answer(change, to: key) }
        note(.ownChange(change))
        // Neither here nor known to have been: a page under way may still have it.
        guard let id = change.id, change.left, !change.hasPreviousKey, row(id) == nil else { return true }
        remember(change)
        return false
    }

    /// The change by an own write, after the changes received since the write began; keeps it for the pages
    /// that are under way.
    ///
    /// - Returns: Nil when one of those had removed the row already.
    private mutating func caughtUp(_ change: Change, with newer: [Change]) -> Change? {
        let latest = latest(change, after: newer)
        // One of a row that was removed already has moved no others.
        remember(latest == nil ? change.withVaguePlace : change)
        return latest
    }

    /// The change of an unloaded row by an own write, after others.
    private mutating func latest(_ change: Change, after newer: [Change]) -> Change? {
        guard change.hasPreviousKey, let id = change.formerID ?? change.id, row(id) == nil,
            let last = newer.last(where: { $0.kind == .bulkDeleted || $0.concerns(id) })
        else { return change }
        if let row = last.row { return change.with(previousKey: Key(row, sort: query.sort)) }
        // Whether the bulk deletion removed it is not known.
        if last.kind == .bulkDeleted { noteDoubt() }
        return change.row.map { Change(revision: change.revision, kind: .created, row: $0) }
    }

    /// Has iterations know that a row which is not here may have been there since before they began.
    private mutating func noteAppeared(_ change: Change) {
        guard change.kind == .created, let new = change.row, row(new.id) == nil,
            !ordersByPlace || new.place != nil
        else { return }
        let key = Key(new, sort: query.sort)
        for id in cursors.keys { cursors[id]?.appeared(new, at: key, sort: query.sort) }
    }

    /// Whether a change of an own write is here already, by its event or as everything was read anew.
    private mutating func isKnown(
        _ change: Change,
        by key: String?,
        _ newer: [Change],
        readAt known: Revision?
    ) -> Bool {
        if let revision = change.revision, let known { return known.reaches(revision) }
        guard expectsChanges else { return false }
        return own.wasTold(change, by: key) || change.isPassed(by: newer)
    }

    /// Whether what has come since an own write began is newer: answers may come in another order than the writes were made.
    private func isOutdated(_ change: Change, since watch: Int, by newer: [Change]) -> Bool {
        let id = change.id
        return newer.contains { other in
            guard let revision = change.revision, let last = other.revision else {
                switch (change.kind, other.kind) {
                // Unless the row came with a write that was answered before this one began. If this one was
                // made later, its event still comes, as it does behind a removal.
                case (.deleted, .created): return other.id == id && !own.made(other, by: watch)
                case (.updated, .updated), (.updated, .deleted): return other.id == id
                case (.created, .bulkDeleted), (.updated, .bulkDeleted):
                    return change.row.map(other.removes) ?? false
                default: return false
                }
            }
            guard last.isLater(than: revision) else { return false }
            guard other.kind == .bulkDeleted else { return id.map(other.concerns) ?? false }
            return change.row.map(other.removes) ?? false
        }
    }

    /// Whether an answer that comes before its event can be taken; notes what it leaves open.
    private mutating func canTake(_ change: Change, since watch: Int) -> Bool {
        // Where revisions cannot be compared, what was read anew meanwhile may be newer than the answer.
        let isComparable = change.revision != nil && isOfThisHistory(change.revision)
        if !isComparable, watch > 0, watch < outset {
            loseTrack()
            return false
        }
        // Nor where iterations have found a row that came from elsewhere, and may have been forgotten since.
        if cache != nil, watch > 0, watch < outset, !cursors.isEmpty, change.hasPreviousKey,
            change.id.flatMap(row) == nil
        {
            loseTrack()
            return false
        }
        // Its place comes with the event.
        if isPlacedByEvent(change) { return false }
        // Its event may still come, which is not counted once more then; and what came before it, nothing has
        // reported yet.
        if change.revision != nil, applied != nil {
            noteAhead(change)
            noteDoubt()
        }
        return true
    }

    /// Notes that a change is taken although its event is still to come.
    mutating func noteAhead(_ change: Change) {
        noteAhead(change.revision)
        guard isEventToCome(of: change) else { return }
        // Its place comes with the event.
        if ordersByPlace, let row = change.row, row.place == nil { return }
        if !answered.note(change) { loseTrack() }
    }

    /// Whether a change comes without the place of its row, which is not here, and its event is to come.
    private func isPlacedByEvent(_ change: Change) -> Bool {
        guard ordersByPlace, let row = change.row, row.place == nil, self.row(row.id) == nil else {
            return false
        }
        return isEventToCome(of: change)
    }

    /// Whether a change is taken before its event, which may be one of a new history.
    private func isEventToCome(of change: Change) -> Bool {
        guard let applied, let revision = change.revision else { return false }
        return !applied.reaches(revision)
    }

    /// Notes which rows a removal of many takes away whose event is still to come.
    mutating func noteAhead(_ rows: [Row], removedBy change: Change) {
        guard isEventToCome(of: change) else { return }
        for row in rows {
            guard answered.note(Change(revision: change.revision, kind: .deleted, id: row.id)) else {
                return loseTrack()
            }
        }
    }

    /// What a change still does where rows are known by answers before its turn: none goes back to what it
    /// was.
    ///
    /// - Returns: Nil where it does nothing.
    func rest(of change: Change) -> Change? {
        guard let revision = change.revision, isOfThisHistory(revision) else { return change }
        if change.kind == .bulkDeleted {
            return answered.hasRemoval(at: revision) ? change.withoutUnloaded : change
        }
        guard let id = change.row?.id ?? change.id else { return change }
        let isKnown = answered.has(id, at: revision)
        if let former = change.formerID {
            guard isKnown else { return change }
            guard !answered.has(former, at: revision) else { return nil }
            return Change(revision: revision, kind: .deleted, id: former, previousKey: change.previousKey)
        }
        let isHereLater = row(id)?.revision.map { $0.isLater(than: revision) } ?? false
        return isKnown || isHereLater ? nil : change
    }

    /// Where no changes come: whether a row was counted is not known if it was looked at before the count.
    mutating func noteChange(ofRowKnownSince begin: Int) {
        if following == .off, begin != outset { noteDoubt() }
    }

    /// Where no changes come: nothing but own writes since the count leaves it right.
    private mutating func noteOwn(_ changes: [Change], since watch: Int) {
        guard following == .off else { return }
        // A page that came meanwhile may or may not show them.
        if counted == nil, lastMerge > watch { noteDoubt() }
        // A row that is not here may have come and gone since the count.
        let isVague = changes.contains { change in
            change.revision == nil && change.kind == .deleted && change.id.flatMap(row) == nil
        }
        if isVague { noteDoubt() }
        for case let revision? in changes.map(\.revision) where revision == counted?.next {
            counted = revision
        }
        if let counted, let last = changes.compactMap(\.revision).max(), last.isLater(than: counted) {
            // Others wrote before it, and what, nothing tells.
            ahead = max(last, ahead ?? last)
            noteDoubt()
        }
    }

    /// What has become of a row of an own write since then; nil when it is gone, or everything was read anew.
    private func latest(_ row: Row, since watch: Int) -> Row? {
        guard watch > outset else { return nil }
        var latest: Row? = row
        // Without revisions, what comes behind the row's own event is newer than it.
        var isBehind = false
        for (number, change) in log where number > watch {
            if let revision = change.revision {
                guard row.revision.map({ revision.isLater(than: $0) }) ?? true else { continue }
            } else {
                isBehind = isBehind || change.concerns(row)
                guard isBehind else { continue }
            }
            if change.kind == .bulkDeleted {
                if let known = latest, change.predicate?.matches(known) ?? true { latest = nil }
            } else if change.concerns(latest ?? row) {
                latest = change.row
            }
        }
        return latest
    }

    /// Whether the row of a change may be among those that are not here.
    func mayBeUnloaded(_ change: Change) -> Bool {
        guard index.gapCount > 0 else { return false }
        let key = change.row.map { Key($0, sort: query.sort) } ?? change.previousKey
        guard let key, !ordersByPlace || key.place != nil else { return true }
        return if case .gap = index.place(of: key) { true } else { false }
    }
}

extension Change {
    /// Whether events of a table without revisions contain the created row, or a later version of it.
    fileprivate func isPassed(by events: [Change]) -> Bool {
        kind == .created && revision == nil && events.contains { $0.id == id }
    }

    /// Whether a bulk deletion removes a row.
    fileprivate func removes(_ row: Row) -> Bool { predicate?.matches(row) ?? true }

    /// The same, where the row was when it was last seen: others may have moved it before the write.
    fileprivate var withVaguePlace: Change {
        var previous = previousKey
        if previous?.certainty == .sure { previous?.certainty = .vague }
        return Change(
            revision: revision,
            kind: kind,
            id: id,
            row: row,
            left: left,
            previousKey: previous,
            predicate: predicate,
            count: count,
            idempotencyKey: idempotencyKey,
            formerID: formerID
        )
    }
}
