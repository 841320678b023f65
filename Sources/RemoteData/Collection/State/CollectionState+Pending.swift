// The changes that have come and wait until they are applied.
extension CollectionState {
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

    /// Frees what has been applied.
    mutating func trimPending() {
        pending.removeFirst(pendingStart)
        pendingStart = 0
    }

    /// What is here may not be what the table has: everything has to be compared.
    mutating func loseTrack() {
        if !needsResync { note(.lost) }
        needsResync = true
    }

    /// Makes a gap of the changes that wait, because they are too many; whether the feed is connected stays known.
    mutating func losePending() {
        trimPending()
        let last = pending.last { event in
            switch event {
            case .live, .interrupted: true
            case .change, .progress, .reset: false
            }
        }
        switch last {
        case .live: pending = [.reset, .live(nil)]
        case .interrupted(let error): pending = [.reset, .interrupted(error)]
        default: pending = [.reset]
        }
    }

    /// Whether the changes that wait begin with a gap, or lead to one, so that more is known to have been missed than is applied.
    var awaitsGap: Bool {
        var reached = applied
        for event in pending[pendingStart...] {
            switch event {
            case .reset: return true
            case .live(let revision):
                if let reached, let revision, revision > reached { return true }
            case .change, .progress, .interrupted: break
            }
            reached = event.revision ?? reached
        }
        return false
    }
}
