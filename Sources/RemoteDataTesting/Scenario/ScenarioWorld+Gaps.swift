import RemoteData
import Synchronization

// What may be reported while changes are missing, and what a gap in them may not do.
extension ScenarioWorld {
    /// Checks that the collection does not claim to be live while it knows of changes that it has missed.
    func checkStatus() {
        guard let collection, collection.isLiveInSpiteOfAGap else { return }
        fail("status", "The status is live although changes are known to be missing.")
    }

    /// Notes a status that is delivered.
    func noteStatus(_ status: LiveStatus) {
        checkStatus()
        let (word, now) = (status.word, scheduler.now)
        state.withLock { state in
            if state.lastStatus == "catching up" { state.caughtUp = now }
            if state.lastStatus == "interrupted", let healed = state.healed {
                let excess =
                    now - max(healed, state.lastStatusTime) - Self.interruptionLimit(state.isHeldOff)
                state.overlongInterruption = max(state.overlongInterruption, excess)
            }
            if state.lastStatus != word {
                (state.lastStatus, state.lastStatusTime, state.isHeldOff) = (word, now, false)
            }
            if case .interrupted(let error) = status, error.isRefusal || error.retryAfter != nil {
                state.isHeldOff = true
            }
            if state.statuses.count < 1_000 { state.statuses.append(word) }
        }
    }

    /// Checks an event by itself, and the status at the time it is delivered.
    func checkEvent(_ change: CollectionChange<Element>) {
        checkStatus()
        // Where no row is left to be compared, those that have come since are read when they are needed.
        if collection?.loadedCount == 0 { state.withLock { $0.isPopulated = false } }
        if change.type == .bulkDeleted, change.removedRanges.isEmpty {
            fail("events", "A bulk deletion is reported that removes no position.")
        }
        checkReportedOnce(change)
    }

    /// Checks that what has happened to a row at a revision is reported once.
    ///
    /// A comparison reports a row as created, too, that comes from where rows are not here.
    private func checkReportedOnce(_ change: CollectionChange<Element>) {
        guard change.type != .dataLoaded else { return state.withLock { $0.reports = [:] } }
        guard let revision = change.revision else { return }
        // What cannot be read any more is reported to be gone, whatever happened to it.
        for id in change.ids where !state.withLock({ $0.spoiled.contains(id) }) {
            let report = Report(id: id, revision: revision)
            let before = state.withLock { $0.reports.updateValue(change.type, forKey: report) }
            guard let before else { continue }
            let wasUnloaded = before == .created || before == .updated
            let isCompared = collection?.liveStatus.isLive == false
            if change.type == .created, wasUnloaded, isCompared { continue }
            fail("events", "What happened to row \(id) at revision \(revision) is reported twice.")
        }
    }

    /// How long catching up may last once nothing goes wrong any more: a deadline, after the longest waits
    /// between attempts, one of them until a time by the server's clock, which may be a minute ahead.
    private var catchingUpLimit: Duration {
        .milliseconds(scenario.collection.deadline ?? 30_000) + .seconds(120)
    }

    /// How long changes may stay interrupted once nothing goes wrong any more.
    ///
    /// An attempt under way at the time, and the longest wait: a minute after a refusal, and where the server
    /// has asked for time.
    private static func interruptionLimit(_ isHeldOff: Bool) -> Duration {
        isHeldOff ? .seconds(80) : .seconds(20)
    }

    /// Checks that the last status delivered is how it is, and that catching up has ended in time.
    func checkStatusAtRest(_ collection: RemoteDataCollection<Element>, since healed: Duration) {
        scheduler.runReady()
        let (status, last, caughtUp) = state.withLock { state in
            (collection.liveStatus.word, state.lastStatus, state.caughtUp ?? .zero)
        }
        let excess = state.withLock { $0.overlongInterruption }
        if excess > .zero {
            fail("status", "Changes stayed interrupted for \(excess) too long after the last fault.")
        }
        if caughtUp > healed + catchingUpLimit {
            fail("status", "Catching up ended only \(caughtUp - healed) after the last fault.")
        }
        if last != status { fail("status", "The last status delivered is \(last ?? "none"), not \(status).") }
        if status == "catching up" { fail("status", "Catching up does not end.") }
    }

    /// Notes that every row is loaded.
    func notePopulated(_ collection: RemoteDataCollection<Element>) {
        let isPopulated = collection.isLoaded && collection.loadedCount > 0
        state.withLock { $0.isPopulated = $0.isPopulated || isPopulated }
    }

    /// Checks that loaded rows have stayed, whatever happened to the connection.
    func checkRowsStayed(_ collection: RemoteDataCollection<Element>) {
        // In an order that cannot be reproduced, what many changes at once have done is read anew, as is
        // documented.
        let isPlaced =
            scenario.table.collation == nil && scenario.table.capabilities?.contains("binaryOrder") ?? true
        let isPopulated = state.withLock { $0.isPopulated && $0.spoiled.isEmpty }
        guard isPopulated, isPlaced, scenario.collection.cacheLimit == nil, !scenario.isUnfollowed else {
            return
        }
        guard !collection.isLoaded else { return }
        let (loaded, count) = (collection.loadedCount, collection.count)
        fail("rows stay", "\(loaded) of \(count) rows are left of all that were loaded.")
    }
}
