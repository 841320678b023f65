// The changes that have come and wait until they are applied.
extension CollectionState {
    /// Takes changes as they are delivered; they wait for their turn.
    mutating func receive(_ events: [ChangeEvent]) {
        var reached = pendingCount == 0 ? applied : received.map { applied.advanced(to: $0) } ?? applied
        for event in events {
            if case .interrupted = event {
                // From now on changes are missing, however long the event waits for its turn.
                resumedAt = number()
                // One says it all, however often the feed is asked for in vain meanwhile.
                if pendingCount > 0, case .interrupted? = pending.last { continue }
            }
            let revision = event.revision
            if event.isGap(at: revision, after: reached) { gapEnd = pending.count + 1 }
            reached = revision ?? reached
            pending.append(event)
        }
        received = reached
    }

    /// The revision from which on the feed delivers, by the events that wait as well; nil while it is away.
    var fence: Revision? {
        pending[pendingStart...].reduce(liveSince) { fence, event in
            switch event {
            case .live(let revision): revision
            case .interrupted: nil
            case .change, .progress, .reset: fence
            }
        }
    }

    /// Whether changes are known to have been missed, and the rows have not been compared with the table
    /// since.
    var knowsGap: Bool { needsResync || repair != nil || pendingStart < gapEnd }

    /// How many changes wait.
    var pendingCount: Int { pending.count - pendingStart }

    /// The revision of the last change that waits to be applied; nil where none does, or everything is to be compared first.
    var lastPending: Revision? {
        guard expectsChanges, pendingCount > 0 else { return nil }
        return pending[pendingStart...].last { $0.revision != nil }?.revision
    }

    /// Takes the next change that waits, unless everything has to be compared first.
    mutating func takePending() -> ChangeEvent? {
        guard !needsResync, pendingStart < pending.count else { return nil }
        // Taken out rather than copied: nobody looks at what has been applied.
        var event = ChangeEvent.progress(Revision(0))
        swap(&event, &pending[pendingStart])
        pendingStart += 1
        if pendingStart == pending.count || pendingStart > 10_000 { trimPending() }
        return event
    }

    /// Whether the feed is known to have been interrupted, though changes from before that still wait.
    ///
    /// - Complexity: O(changes that wait).
    var awaitsInterruption: Bool {
        pending[pendingStart...].contains { if case .interrupted = $0 { true } else { false } }
    }

    /// Puts changes that were applied since a count was made in front of those that are still to be applied.
    mutating func repeatChanges(after count: Count, since watch: Int) {
        trimPending()
        guard let counted = count.revision, let applied, applied > counted else { return }
        let missing = log.filter { item in
            item.number > watch && item.change.revision.map { $0 > counted && $0 <= applied } ?? false
        }
        // An own write that was applied by its answer is in the log too early, and once more when its event
        // came.
        let ordered = missing.sorted { left, right in
            let (first, second) = (left.change.revision ?? counted, right.change.revision ?? counted)
            return first == second ? left.number > right.number : first < second
        }
        pending = ordered.map { .change($0.change) } + [.progress(applied)] + pending
    }

    /// Frees what has been applied.
    mutating func trimPending() {
        pending.removeFirst(pendingStart)
        gapEnd = max(0, gapEnd - pendingStart)
        pendingStart = 0
    }

    /// What is here may not be what the table has: everything has to be compared.
    mutating func loseTrack() {
        if !needsResync { note(.lost) }
        needsResync = true
        // Until then it is not known which rows were counted.
        if following == .off { noteDoubt() }
    }

    /// Makes a gap of the changes that wait, because they are too many; whether the feed is connected stays known.
    ///
    /// The gap is known at once: it does not wait for its turn after what is being applied.
    mutating func losePending() {
        for event in pending[pendingStart...] {
            switch event {
            case .live(let revision): (following, liveSince) = (.live, revision)
            case .interrupted: following = .interrupted
            case .change, .progress, .reset: break
            }
        }
        (pending, pendingStart, gapEnd) = ([], 0, 0)
        loseTrack()
        // A count that was asked for before leads to the changes that are gone here, not over them.
        if let received { liveSince = liveSince.advanced(to: received) } else { outset = number() }
    }

    /// Whether the changes that wait begin with a gap, or lead to one, so that more is known to have been missed than is applied.
    var awaitsGap: Bool { endOfGap > pendingStart }

    /// Where in ``pending`` the last gap ends; not after ``pendingStart`` where there is none.
    ///
    /// - Complexity: O(changes that wait).
    var endOfGap: Int {
        var (reached, end) = (applied, 0)
        for position in pending.indices.dropFirst(pendingStart) {
            let revision = pending[position].revision
            if pending[position].isGap(at: revision, after: reached) { end = position + 1 }
            reached = revision ?? reached
        }
        return end
    }
}

extension ChangeEvent {
    /// Whether changes are missing before the event, where those up to a revision are known.
    fileprivate func isGap(at revision: Revision?, after reached: Revision?) -> Bool {
        if let reached, let revision, !revision.isOfSameHistory(as: reached) { return true }
        switch self {
        case .reset: return true
        case .live:
            if let reached, let revision { return revision > reached }
            return false
        case .change, .progress, .interrupted: return false
        }
    }
}
