import Dispatch
import Synchronization

/// A queue of notes of what subscriptions are to be sent, in order; one of them delivers at a time.
final class ChangeLane: Sendable {
    enum Note: Sendable {
        case begin(Int, Subscription, ChangeHub.Start)
        case end(Int)
        case changes([RowChange])
        case lost(Revision)
        case finish
    }

    private struct State {
        var notes: [Note] = []
        /// How many changes `notes` hold, and of how many bytes.
        var waiting = (changes: 0, bytes: 0)
        /// Away while they are delivered to.
        var subscriptions = SubscriptionIndex()
        var isDelivering = false
        /// How many subscriptions have begun and not ended, as of the last note.
        var listeners = 0

        mutating func loseChanges() {
            waiting = (0, 0)
            let lost = notes.map { note in
                guard case .changes(let changes) = note, let last = changes.last else { return note }
                return .lost(last.revision)
            }
            notes = []
            for note in lost { append(note) }
        }

        /// Adds a note; of changes that were not kept, the last one says all that those right before it do.
        mutating func append(_ note: Note) {
            if case .lost = note, case .lost? = notes.last { notes.removeLast() }
            notes.append(note)
        }
    }

    private let state = Mutex(State())
    private let limit: (changes: Int, bytes: Int)
    /// Where it delivers; nil for where it is asked to.
    private let queue: DispatchQueue?

    /// - Parameters:
    ///   - limit: How many changes may wait to be delivered, and of how many bytes; beyond, they are
    ///     dropped and every
    ///     subscription is reset.
    ///   - queue: Where it delivers, one at a time with others that do; nil for where it is asked to.
    init(limit: (changes: Int, bytes: Int), on queue: DispatchQueue?) {
        (self.limit, self.queue) = (limit, queue)
    }

    /// Adds a note.
    func add(_ note: Note) {
        state.withLock { state in
            switch note {
            case .begin: state.listeners += 1
            case .end: state.listeners -= 1
            case .changes(let changes):
                guard let last = changes.last, state.listeners > 0 || !state.notes.isEmpty else { return }
                state.waiting.changes += changes.count
                state.waiting.bytes += changes.reduce(0) { $0 + $1.byteCount }
                guard state.waiting.changes <= limit.changes, state.waiting.bytes <= limit.bytes else {
                    state.loseChanges()
                    state.append(.lost(last.revision))
                    return
                }
            // Who is about to go waits for nobody.
            case .finish where queue != nil: state.loseChanges()
            case .lost, .finish: break
            }
            state.append(note)
        }
    }

    /// Delivers what is waiting, or leaves it to whoever is delivering.
    ///
    /// To be called without any lock. Blocks for the work of the clauses only where it has no queue.
    func deliver() {
        let begins = state.withLock { state in
            guard !state.isDelivering, !state.notes.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        guard begins else { return }
        if let queue { queue.async { self.run() } } else { run() }
    }

    private func run() {
        var subscriptions = state.withLock { state in
            defer { state.subscriptions = SubscriptionIndex() }
            return state.subscriptions
        }
        while let notes = next(for: subscriptions) {
            Self.deliver(notes, to: &subscriptions)
            guard let queue else { continue }
            // Others that deliver there have their turn.
            state.withLock { $0.subscriptions = subscriptions }
            return queue.async { self.run() }
        }
    }

    /// The notes that wait; nil when there are none, so that nothing is delivered for now.
    private func next(for subscriptions: SubscriptionIndex) -> [Note]? {
        state.withLock { state in
            guard !state.notes.isEmpty else {
                (state.isDelivering, state.subscriptions) = (false, subscriptions)
                return nil
            }
            state.waiting = (0, 0)
            defer { state.notes = [] }
            return state.notes
        }
    }

    private static func deliver(_ notes: [Note], to subscriptions: inout SubscriptionIndex) {
        var batch: [RowChange] = []
        func flush(_ subscriptions: SubscriptionIndex) {
            subscriptions.deliver(batch)
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
                subscriptions.add(subscription, id)
                subscription.begin(start)
            case .end(let id): subscriptions.remove(id)
            case .lost(let revision): subscriptions.all.forEach { $0.lose(upTo: revision) }
            case .finish:
                subscriptions.all.forEach { $0.finish() }
                subscriptions = SubscriptionIndex()
            case .changes: break
            }
        }
        flush(subscriptions)
    }
}

extension RowChange {
    /// The bytes of its rows.
    var byteCount: Int {
        switch effect {
        case .created(let row), .deleted(let row), .left(let row): row.json.count
        case .updated(let before, let after): before.json.count + after.json.count
        case .bulkDeleted: clauseSize + (removed?.rows?.reduce(0) { $0 + $1.json.count } ?? 0)
        }
    }
}
