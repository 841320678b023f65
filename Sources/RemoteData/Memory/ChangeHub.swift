import Dispatch
import Synchronization

/// Delivers a table's changes to the subscriptions of their queries: what every table that sees its own
/// writes shares.
///
/// The table calls ``subscribe(to:start:capacity:)`` and ``publish(_:)`` where its writes are serialized
/// (under its lock, on its writer), which only puts a note in a queue; then, holding no lock, ``deliver()``.
/// One at a time delivers for all whose clauses are quick, and one for those whose clauses may take long, in
/// the order of the notes. So each subscription gets its events in the order of revisions, a subscription
/// made between two writes gets exactly the second, and nothing is called out to under a lock.
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

    /// Where changes are delivered.
    package enum Delivery: Sendable {
        /// By who publishes them, which is the same in every run.
        case inPlace
        /// Elsewhere: clauses, whose work is others', do not hold up those who write; those that may take
        /// long hold up each other alone.
        case queued
    }

    private struct State {
        var lastID = 0
        /// The filters of the subscriptions, as of the last note.
        var filters: [Int: Where?] = [:]
        /// The subscriptions of those who see only a part of the table.
        var guarded: Set<Int> = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let quick: ChangeLane
    private let slow: ChangeLane

    /// Where clauses that may take long are evaluated, of all hubs.
    private static let slowQueue = DispatchQueue(label: "remote-data.slow-changes", qos: .utility)

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - limit: How many changes may wait to be delivered, and of how many bytes; beyond that they are
    ///     dropped and every subscription is reset.
    ///   - delivery: Where changes are delivered.
    package init(limit: (changes: Int, bytes: Int) = (100_000, 64 << 20), delivery: Delivery = .inPlace) {
        switch delivery {
        case .inPlace: (quick, slow) = (ChangeLane(limit: limit, on: nil), ChangeLane(limit: limit, on: nil))
        case .queued:
            let queue = DispatchQueue(label: "remote-data.changes", target: .global(qos: .userInitiated))
            quick = ChangeLane(limit: limit, on: queue)
            slow = ChangeLane(limit: limit, on: Self.slowQueue)
        }
    }

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
        let lane = query.filter?.isCostly ?? false ? slow : quick
        let feed = ChangeFeed(capacity: capacity) { [self] in unsubscribe(id, lane) }
        let subscription = Subscription(query: query, access: access, feed: feed) { [weak self] in
            self?.forget(id, lane)
        }
        let isFinished = state.withLock { state in
            guard !state.isFinished else { return true }
            state.filters[id] = .some(access == nil ? query.filter : nil)
            if access != nil { state.guarded.insert(id) }
            lane.add(.begin(id, subscription, start))
            return false
        }
        if isFinished { feed.finish() }
        return feed
    }

    /// Adds committed changes, in the order of their revisions; to be called where writes are serialized.
    package func publish(_ changes: [RowChange]) {
        quick.add(.changes(changes))
        slow.add(.changes(changes))
    }

    /// Tells every subscription that changes up to a revision were not kept; to be called where writes are
    /// serialized.
    package func lose(upTo revision: Revision) {
        quick.add(.lost(revision))
        slow.add(.lost(revision))
    }

    /// Ends every subscription, where changes are delivered in place after what was published; later ones
    /// end at once.
    package func finish() {
        state.withLock { $0.isFinished = true }
        quick.add(.finish)
        slow.add(.finish)
        deliver()
    }

    /// Delivers what is waiting, or leaves it to whoever is delivering.
    ///
    /// To be called without any lock. Blocks for the work of the clauses only where changes are delivered
    /// in place.
    package func deliver() {
        quick.deliver()
        slow.deliver()
    }

    private func unsubscribe(_ id: Int, _ lane: ChangeLane) {
        forget(id, lane)
        lane.deliver()
    }

    private func forget(_ id: Int, _ lane: ChangeLane) {
        let isThere = state.withLock { state in
            state.guarded.remove(id)
            return state.filters.removeValue(forKey: id) != nil
        }
        // It may have been cancelled while it was ended for its clause.
        if isThere { lane.add(.end(id)) }
    }
}
