import Synchronization

/// Delivers a table's changes to the subscriptions of their queries: what every table that sees its own
/// writes shares.
///
/// The table calls ``subscribe(to:start:capacity:)`` and ``publish(_:)`` where its writes are serialized
/// (under its lock, on its writer), which only puts a note in a queue; then, holding no lock, ``deliver()``.
/// Whoever comes first delivers for all, in the order of the notes. So each subscription gets its events in
/// the order of revisions, a subscription made between two writes gets exactly the second, and nothing is
/// called out to under a lock.
package final class ChangeHub: Sendable {
    /// Where a subscription begins.
    package enum Start: Sendable {
        /// With the changes after the table's revision.
        case now(Revision)
        /// After an earlier revision, with the changes from there up to the table's revision.
        case after(Revision, ArraySlice<RowChange>, upTo: Revision)
        /// With a gap, because the log does not reach back to the revision asked for; the table's revision.
        case gap(Revision)
    }

    private enum Note: Sendable {
        case begin(Int, Subscription, Start)
        case end(Int)
        case changes([RowChange])
        case lost(Revision)
        case finish
    }

    private struct State {
        var notes: [Note] = []
        /// How many changes `notes` hold.
        var waiting = 0
        /// Away while somebody delivers.
        var subscriptions: [Int: Subscription] = [:]
        var isDelivering = false
        var lastID = 0
        /// The filters of the subscriptions, as of the last note.
        var filters: [Int: Where?] = [:]
        /// The subscriptions of those who see only a part of the table.
        var guarded: Set<Int> = []
        var isFinished = false

        /// The work of whoever is to deliver; nil when there is none or somebody else does it.
        mutating func take() -> ([Note], [Int: Subscription])? {
            guard !isDelivering, !notes.isEmpty else { return nil }
            isDelivering = true
            waiting = 0
            defer {
                notes = []
                subscriptions = [:]
            }
            return (notes, subscriptions)
        }

        mutating func loseChanges() {
            waiting = 0
            notes = notes.map { note in
                guard case .changes(let changes) = note, let last = changes.last else { return note }
                return .lost(last.revision)
            }
        }
    }

    private let state = Mutex(State())
    private let queueLimit: Int

    /// Creates a hub.
    ///
    /// - Parameter queueLimit: How many changes may wait to be delivered; beyond that they are dropped and
    ///   every subscription is reset.
    package init(queueLimit: Int = 100_000) { self.queueLimit = queueLimit }

    /// Whether anybody listens.
    package var isListenedTo: Bool { state.withLock { !$0.filters.isEmpty } }

    /// The distinct filters of the subscriptions, to count bulk deletions by.
    package var filters: Set<Where> { state.withLock { Set($0.filters.values.compactMap(\.self)) } }

    /// Whether anybody listens who sees only a part of the table.
    package var isGuarded: Bool { state.withLock { !$0.guarded.isEmpty } }

    /// Adds a subscription, which with rights sees only what these let be read; the feed it returns ends it when cancelled or
    /// released.
    ///
    /// To be called where no write can come between reading the revision in `start` and this.
    package func subscribe(
        to query: Query,
        start: Start,
        access: RowAccess? = nil,
        capacity: Int = 10_000
    ) -> ChangeFeed {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let feed = ChangeFeed(capacity: capacity) { [self] in unsubscribe(id) }
        let subscription = Subscription(query: query, access: access, feed: feed)
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            state.filters[id] = .some(access == nil ? query.filter : nil)
            if access != nil { state.guarded.insert(id) }
            state.notes.append(.begin(id, subscription, start))
            return false
        }
        if isFinished { feed.finish() }
        return feed
    }

    /// Adds committed changes, in the order of their revisions; to be called where writes are serialized.
    package func publish(_ changes: [RowChange]) {
        guard let last = changes.last else { return }
        state.withLock { state in
            guard !state.filters.isEmpty || !state.notes.isEmpty else { return }
            state.waiting += changes.count
            guard state.waiting <= queueLimit else {
                state.loseChanges()
                state.notes.append(.lost(last.revision))
                return
            }
            state.notes.append(.changes(changes))
        }
    }

    /// Tells every subscription that changes up to a revision were not kept; to be called where writes are
    /// serialized.
    package func lose(upTo revision: Revision) { state.withLock { $0.notes.append(.lost(revision)) } }

    /// Ends every subscription after what was published; later ones end at once.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.notes.append(.finish)
        }
        deliver()
    }

    /// Delivers what is waiting, or leaves it to whoever is delivering.
    ///
    /// To be called without any lock. Never blocks.
    package func deliver() {
        var work = state.withLock { $0.take() }
        while let (notes, taken) = work {
            var subscriptions = taken
            Self.deliver(notes, to: &subscriptions)
            work = state.withLock { state in
                state.subscriptions = subscriptions
                state.isDelivering = false
                return state.take()
            }
        }
    }

    private func unsubscribe(_ id: Int) {
        state.withLock { state in
            state.filters[id] = nil
            state.guarded.remove(id)
            state.notes.append(.end(id))
        }
        deliver()
    }

    private static func deliver(_ notes: [Note], to subscriptions: inout [Int: Subscription]) {
        var batch: [RowChange] = []
        func flush(_ subscriptions: [Int: Subscription]) {
            guard let last = batch.last else { return }
            for subscription in subscriptions.inOrder {
                subscription.deliver(batch[...], upTo: last.revision)
            }
            batch = []
        }
        for note in notes {
            if case .changes(let changes) = note {
                batch += changes
                continue
            }
            flush(subscriptions)
            switch note {
            case .begin(let id, let subscription, let start):
                subscriptions[id] = subscription
                subscription.begin(start)
            case .end(let id): subscriptions[id] = nil
            case .lost(let revision):
                for subscription in subscriptions.inOrder { subscription.lose(upTo: revision) }
            case .finish:
                for subscription in subscriptions.inOrder { subscription.finish() }
                subscriptions = [:]
            case .changes: break
            }
        }
        flush(subscriptions)
    }
}
