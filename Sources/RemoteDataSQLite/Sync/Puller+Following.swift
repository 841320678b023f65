import RemoteData
import RemoteDataExecution
import Synchronization

// Events of the server.
extension Puller {
    /// Follows the server's events until they end or fail.
    ///
    /// - Returns: Whether the next turn may try it again at once.
    func follow() async -> Bool {
        do throws(RemoteDataError) {
            let known = try await progress()
            let feed = try await remote.subscribe(to: Query(), since: known.isWhole ? known.revision : nil)
            let isStopped = state.withLock { state in
                state.feed = feed
                return state.isStopped
            }
            defer { state.withLock { $0.feed = nil } }
            guard !isStopped else { return false }
            return try await take(feed, isWhole: known.isWhole && known.revision != nil)
        } catch {
            note(error)
            return false
        }
    }

    private func take(_ feed: ChangeFeed, isWhole: Bool) async throws(RemoteDataError) -> Bool {
        var isWhole = isWhole
        while true {
            let events = await feed.nextBatch()
            guard !events.isEmpty else { return false }
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
                    (changes, revision, isWhole) = ([], nil, false)
                case .live:
                    state.withLock { $0.plan.isLive = true }
                    outbox.networkReturned()
                    if !isWhole {
                        try await turns.take { () async throws(RemoteDataError) in
                            try await self.pull(.complete)
                        }
                    }
                    isWhole = true
                    state.withLock { ($0.hasSynced, $0.error) = (true, nil) }
                case .interrupted(let error):
                    state.withLock { state in
                        state.plan.isLive = false
                        state.error = error
                    }
                    if !error.isTransient { throw error }
                }
            }
            if isWhole { try await take(changes, upTo: changes.isEmpty ? nil : revision) }
        }
    }
}
