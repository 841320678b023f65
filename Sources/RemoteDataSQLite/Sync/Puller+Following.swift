import RemoteData
import RemoteDataExecution
import Synchronization

// Events of the server.
extension Puller {
    /// Waits until it is time to subscribe, or follows the server's events until they end or fail.
    func feedTurn() async {
        let due = capabilities.liveChanges ? state.withLock { $0.plan.nextSubscription } : nil
        guard let due, due <= now else { return await feedPause.wait(for: due.map { $0 - now }) }
        var failure: RemoteDataError?
        do throws(RemoteDataError) { try await follow() } catch { failure = error }
        state.withLock { [failure] state in
            // What can be read by polling can be read.
            if let failure, state.plan.feed != .down || !state.hasSynced { state.error = failure }
            state.plan.unsubscribed(after: failure, at: now, chance: surroundings.chance())
        }
        pollPause.cutShort()
    }

    private func follow() async throws(RemoteDataError) {
        let known = try await progress()
        let since = capabilities.resume && known.isWhole ? known.revision : nil
        let feed = try await server().subscribe(to: Query(), since: since)
        let isWanted = state.withLock { state in
            guard !state.isStopped, state.plan.rate != .off else { return false }
            state.feed = feed
            state.plan.subscribed(resuming: since != nil, at: now)
            return true
        }
        defer {
            feed.cancel()
            state.withLock { $0.feed = nil }
        }
        guard isWanted else { return }
        while true {
            let events = await feed.nextBatch()
            guard !events.isEmpty else { return }
            try await turns.take { () async throws(RemoteDataError) in try await self.take(events) }
        }
    }

    /// Applies events, unless everything is still to be read.
    private func take(_ events: [ChangeEvent]) async throws(RemoteDataError) {
        // No log has what a change of rights has shown or hidden, nor what a server found out by counting.
        if events.contains(where: \.isReset) {
            try await change { [name] (transaction) throws(RemoteDataError) in
                try transaction.noteIncomplete(name)
            }
        }
        var changes: [Change] = []
        var revision: Revision?
        for event in events {
            switch event {
            case .change(let change):
                changes.append(change)
                revision = change.revision ?? revision
            case .progress(let reached): revision = reached
            case .reset:
                // What came before is part of what is read now.
                (changes, revision) = ([], nil)
                state.withLock { $0.plan.missedEvents() }
            case .live:
                state.withLock { $0.plan.live(at: now) }
                outbox.networkReturned()
            case .interrupted(let error):
                state.withLock { state in
                    if state.plan.feed != .down { state.error = error }
                    state.plan.interrupted(at: now)
                }
            }
        }
        let (isComplete, isBehind) = state.withLock { state in
            if !changes.isEmpty { state.plan.sawChange() }
            let isComplete = state.plan.feed == .live && !state.plan.isBehind
            if isComplete { (state.hasSynced, state.error) = (true, nil) }
            return (isComplete, state.plan.isBehind)
        }
        // What events do not tell now is read.
        if !isComplete { pollPause.cutShort() }
        if !isBehind { try await take(changes, upTo: changes.isEmpty ? nil : revision) }
    }
}

extension ChangeEvent {
    fileprivate var isReset: Bool { if case .reset = self { true } else { false } }
}
