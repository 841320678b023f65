import RemoteDataTesting

@testable import RemoteData

// Iterations, trouble, and the end.
extension CollectionHistory {
    /// Notes which rows no longer match throughout the iterations.
    mutating func noteMembership() {
        let members = Set(table.ids)
        for id in iterations.keys { iterations[id]?.owed.formIntersection(members) }
    }

    /// Deletes rows that iterations may meet again if they are created anew, once they are no longer here.
    @discardableResult
    mutating func noteBulkDeletion(_ delete: (inout ReferenceTable) -> Change?) -> Change? {
        let before = Set(table.contents.keys)
        let change = delete(&table)
        guard trouble.contains(.eviction) else { return change }
        forgive(before.subtracting(table.contents.keys))
        return change
    }

    /// The answer to a write does not tell where a row was that is no longer here.
    mutating func noteUnlocated(_ write: OwnWrite) {
        guard trouble.contains(.eviction) else { return }
        for case .integer(let id)? in write.changes.map(\.id) where state.row(.integer(id)) == nil {
            forgive([id])
        }
    }

    private mutating func forgive(_ ids: Set<Int64>) {
        for id in iterations.keys { iterations[id]?.forgive(ids) }
    }

    mutating func iterate() {
        guard !iterations.isEmpty, !random.chance(6) else {
            guard iterations.count < 3 else { return }
            let id = state.beginIteration()
            // It sees the query as of the changes that have come, so what matters begins there.
            iterations[id] = IterationRecord(owed: table.membersThroughout(since: state.applied))
            trail.append("iteration \(id) begins")
            return
        }
        advance(random.pick(iterations.keys.sorted()))
    }

    private mutating func advance(_ id: Int) {
        switch state.step(id) {
        case .rows(let part):
            let ids = part.rows[part.range].map(\.number)
            trail.append("iteration \(id) takes \(ids)")
            if let fault = iterations[id]?.take(ids) { faults.append("iteration \(id): \(fault)") }
            for ahead in state.readAhead(id, pages: random.number(1..<5)) {
                asked.append(ahead)
                trail.append("asked ahead for \(ahead.request.start) limit \(ahead.request.limit)")
            }
        case .wait, .repair: break
        case .changes:
            guard state.needsProof(id) else { break }
            trail.append("iteration \(id) asked for a proof")
            let asked = state.number()
            state.prove(table.count.revision, asked: asked, at: nil)
        case .lost:
            trail.append("iteration \(id) is lost")
            endIteration(id)
        case .fetch(let fetch):
            asked.append(fetch)
            trail.append("iteration \(id) asked for \(fetch.request.start) limit \(fetch.request.limit)")
        case .end:
            trail.append("iteration \(id) ends")
            if let fault = iterations[id]?.faultAtEnd { faults.append("iteration \(id): \(fault)") }
            endIteration(id)
        }
    }

    private mutating func endIteration(_ id: Int) {
        state.endIteration(id)
        iterations[id] = nil
        // Rows that were kept for it alone may have left.
        if trouble.contains(.eviction) { shadow = ShadowCollection(state) }
    }

    mutating func makeTrouble() {
        let kinds: [Trouble] = [.interruptions, .impatience, .refreshes].filter { trouble.contains($0) }
        guard !kinds.isEmpty, random.chance(2) else { return }
        switch random.pick(kinds) {
        case .interruptions: isConnected ? disconnect() : connect()
        case .impatience:
            _ = state.mergeWaiting(force: true)
            resumeWriters(force: true)
            trail.append("no longer waited")
            shadow = ShadowCollection(state)
        default: counts.isEmpty ? askForCount() : startOver()
        }
    }

    private mutating func disconnect() {
        isConnected = false
        table.events = []
        state.pending.append(.interrupted(RemoteDataError(.unreachable, "Gone.")))
        trail.append("disconnected")
    }

    private mutating func connect() {
        isConnected = true
        if random.chance(3) {
            table.events = [.reset, .live(Revision(table.revision))]
            trail.append("connected with a gap at \(table.revision)")
        } else {
            // The pending events count as come.
            deliver()
            table.events = table.replay(since: state.applied?.rawValue ?? 0)
            trail.append("connected again after \(state.applied?.description ?? "")")
        }
    }

    private mutating func askForCount() {
        countWatch = state.beginWatch()
        counts.append(table.count)
        trail.append("counted at \(table.revision)")
    }

    private mutating func startOver() {
        guard let count = counts.popLast() else { return }
        let isNew = state.reset(to: count, since: countWatch)
        state.endWatch(countWatch)
        guard isNew else { return trail.append("a count from before a gap") }
        shadow = ShadowCollection(state)
        trail.append("started over with \(count.value) of \(count.revision?.description ?? "")")
    }

    /// Delivers everything, as if no further write came.
    mutating func comeToRest() {
        trail.append("comes to rest")
        if !counts.isEmpty { startOver() }
        if !isConnected { connect() }
        for _ in 0..<1_000 where faults.isEmpty {
            if settleDoubts() { continue }
            if !table.events.isEmpty { deliverEvents(1_000) }
            while !asked.isEmpty {
                let fetch = asked.removeFirst()
                answered.append((fetch, table.page(fetch.request)))
            }
            while !answered.isEmpty { deliverPage() }
            while !written.isEmpty { deliverWrite() }
            deliver()
            if !iterations.isEmpty {
                for id in iterations.keys.sorted() { advance(id) }
            } else if table.events.isEmpty, asked.isEmpty, awaited.isEmpty, !settleDoubts() {
                return
            }
        }
        faults.append("it does not come to rest")
    }

    /// What the collection does when changes may have been missed or the count is in doubt.
    private mutating func settleDoubts() -> Bool {
        if state.needsResync || state.isRepairing {
            deliverEvents(1_000)
            repair()
            return true
        }
        guard state.isCountDoubtful, state.isLive, state.applied == Revision(table.revision) else {
            return false
        }
        if !state.settle(table.count) { faults.append("the count could not be settled") }
        shadow = ShadowCollection(state)
        trail.append("settled the count")
        return true
    }

    /// How what is here differs from the table's rows once nothing is under way.
    mutating func differenceAtRest() -> String? {
        if let fault = difference() { return "at rest: \(fault)" }
        var position = 0
        for _ in 0..<1_000 where position < state.index.count {
            guard state.index.row(at: position) == nil else {
                position += 1
                continue
            }
            guard case .fetch(let fetch) = state.need(base: position) else { return "a fetch is left over" }
            answered.append((fetch, table.page(fetch.request)))
            while !answered.isEmpty { deliverPage() }
            if let fault = faults.first { return fault }
            if let fault = state.index.fault ?? difference() { return "reading everything: \(fault)" }
        }
        guard position == state.index.count else { return "row \(position) never comes" }
        guard state.isLoaded || trouble.contains(.eviction) else { return "it is never loaded" }
        return nil
    }

    private func difference() -> String? {
        let heldIDs = Set(state.held.rows.map(\.row.number))
        let rows = table.rows.filter { !heldIDs.contains($0.number) }
        guard state.index.count == rows.count else { return "\(state.index.count) rows, not \(rows.count)" }
        var fault: String?
        state.index.forEachLoaded { position, row in
            if rows[position].json != row.json, fault == nil {
                fault = "\(row) at \(position), where \(rows[position]) should be"
            }
        }
        for held in state.held.rows where table.row(held.row.number)?.json != held.row.json {
            fault = fault ?? "\(held.row) is held but is not in the table as such"
        }
        return fault
    }
}
