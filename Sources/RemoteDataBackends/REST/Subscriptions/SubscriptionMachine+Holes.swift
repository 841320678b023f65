import RemoteData

/// Frames that are missing.
extension SubscriptionMachine {
    /// A frame with a revision came: what is in order is handed on, and a hole is waited for.
    mutating func received(_ id: Int, _ event: ChangeEvent, _ revision: Revision, after: Revision?)
        -> [Action]
    {
        guard var entry = entries[id] else { return [] }
        let before = entry.since
        let events = entry.receive(event, revision, after: after)
        let isNew = entry.order.hasHole && (entry.hole == nil || entry.since != before)
        if isNew { lastHole += 1 }
        entry.hole = isNew ? lastHole : entry.order.hasHole ? entry.hole : nil
        entries[id] = entry
        var actions: [Action] = events.isEmpty ? [] : [.deliver(id, events)]
        if entry.order.isBroken { return actions + resume(id) }
        if isNew, !isPatient {
            isPatient = true
            actions.append(.startPatience(lastHole))
        }
        return actions
    }

    /// The time after ``Action/startPatience(_:)`` is over: what is still missing is lost.
    mutating func impatient(_ number: Int) -> [Action] {
        isPatient = false
        guard link == .open else { return [] }
        var actions: [Action] = []
        for id in entries.keys.sorted() {
            if let hole = entries[id]?.hole, hole <= number { actions += resume(id) }
        }
        if entries.values.contains(where: { $0.hole != nil }) {
            isPatient = true
            actions.append(.startPatience(lastHole))
        }
        return actions
    }

    /// Asks anew for everything behind a hole; where that has left the same hole, for a new beginning.
    private mutating func resume(_ id: Int) -> [Action] {
        guard var entry = entries[id] else { return [] }
        outgoing.append(.end(entry.name))
        if entry.since == entry.resumedFrom {
            entry.since = nil
            entry.owesReset = true
        }
        entry.resumedFrom = entry.since
        entry.rename()
        entries[id] = entry
        return ask([id])
    }
}
