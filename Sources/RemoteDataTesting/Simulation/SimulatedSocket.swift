import RemoteData
import RemoteDataExecution
import Synchronization

/// The client's side of a subscription: connects, puts frames in order, and connects again from the last good revision.
final class SimulatedSocket: Sendable {
    private struct State {
        weak var feed: ChangeFeed?
        var since: Revision?
        var connection: Int?
        var order = FrameOrder()
        var backoff = ReconnectBackoff()
        var isClosed = false
        /// Whether what happens while there is no connection is missed.
        var owesReset = false
        var timer: Int?
    }

    private let state: Mutex<State>
    private let query: Query
    /// Picks what concerns the query, where the server cannot.
    private let filter: ChangeFilter?
    private let network: SimulatedNetwork
    private let capabilities: Capabilities
    private let credentials: SimulatedCredentials
    private let defect: Defect?

    init(
        query: Query,
        since: Revision?,
        network: SimulatedNetwork,
        capabilities: Capabilities,
        credentials: SimulatedCredentials,
        defect: Defect?
    ) {
        // Rows that leave a clause are heard of only by those who hear everything.
        let isWhole = capabilities.reportsEntering && capabilities.everyChange
        self.query = isWhole ? query : Query()
        filter = isWhole ? nil : ChangeFilter(query)
        self.network = network
        self.capabilities = capabilities
        self.credentials = credentials
        self.defect = defect
        state = Mutex(State(since: since))
    }

    /// How many frames may wait for a hole to close.
    static let frameLimit = 64

    /// Begins to deliver to a feed.
    func start(_ feed: ChangeFeed) {
        state.withLock { $0.feed = feed }
        connect()
    }

    /// Ends it for good.
    func close() {
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection.take()
        }
        if let connection { network.close(connection) }
    }

    private func connect() {
        let (isClosed, since) = state.withLock { ($0.isClosed, $0.since) }
        guard !isClosed else { return }
        let connection = network.connect(self, query: query, since: since, token: credentials.token)
        let isOver = state.withLock { state in
            state.connection = connection
            state.order = FrameOrder(limit: Self.frameLimit)
            state.backoff.opened(at: network.scheduler.now)
            return state.isClosed
        }
        if isOver { return network.close(connection) }
        // Nobody waits for an answer for ever.
        network.scheduler.after(.seconds(10)) { [weak self] in
            let isSilent = self?.state.withLock { $0.connection == connection && $0.order.last == nil }
            if isSilent == true { self?.reconnect(connection) }
        }
    }

    private func reconnect(_ connection: Int) {
        let error = RemoteDataError(.timedOut, "The server does not answer a subscription.")
        network.close(connection)
        disconnected(connection, error)
    }

    /// A frame came.
    func receive(_ frame: WireFrame) {
        guard !frame.isMalformed else {
            network.close(frame.connection)
            return disconnected(frame.connection, RemoteDataError(.invalidAnswer, "A frame cannot be read."))
        }
        let (feed, events, hole) = state.withLock { state -> (ChangeFeed?, [ChangeEvent], Revision?) in
            guard state.connection == frame.connection else { return (nil, [], nil) }
            let isFirst = state.order.last == nil
            var events =
                defect == .framesTakenAsTheyCome
                ? state.order.takeAsItComes(frame)
                : state.order.receive(after: frame.after, revision: frame.revision, event: frame.event)
            if isFirst, state.order.last != nil {
                state.backoff.worked()
                if state.owesReset, let last = state.order.last {
                    events = [.reset, .live(last)] + events.dropFirst()
                }
                state.owesReset = false
            }
            if capabilities.resume { state.since = state.order.last ?? state.since }
            return (state.feed, events, state.order.hasHole ? state.order.last : nil)
        }
        let received = events.compactMap { event in
            defect.map { $0.spoil(event, revision: frame.revision) } ?? event
        }.compactMap { event in
            filter.map { $0.seen(capabilities.everyChange ? event : event.withoutCreation) } ?? event
        }.compactMap {
            capabilities.revisions ? $0 : $0.withoutRevision
        }
        feed?.handOn(received)
        if let hole { watch(hole, frame.connection) }
    }

    /// Subscribes again when a hole does not close.
    private func watch(_ hole: Revision, _ connection: Int) {
        let isBroken = state.withLock { $0.connection == connection && $0.order.isBroken }
        if isBroken { return resubscribe(connection) }
        network.scheduler.after(.seconds(2)) { [weak self] in
            let isOpen = self?.state.withLock { state in
                state.connection == connection && state.order.hasHole && state.order.last == hole
            }
            if isOpen == true { self?.resubscribe(connection) }
        }
    }

    private func resubscribe(_ connection: Int) {
        network.close(connection)
        let isCurrent = state.withLock { state in
            guard state.connection == connection else { return false }
            state.connection = nil
            if state.order.last != nil, state.since == nil { state.owesReset = true }
            return true
        }
        if isCurrent { connect() }
    }

    /// The connection is gone.
    func disconnected(_ connection: Int, _ error: RemoteDataError) {
        let (now, chance) = (network.scheduler.now, network.scheduler.chance())
        let next = state.withLock { state -> (feed: ChangeFeed?, wait: Duration)? in
            guard state.connection == connection, !state.isClosed else { return nil }
            state.connection = nil
            if state.order.last != nil, state.since == nil { state.owesReset = true }
            return (state.feed, state.backoff.ended(at: now, atLeast: error.retryAfter, chance: chance))
        }
        guard let next else { return }
        if error.code == .unauthorized { credentials.renew() }
        let isFinal = !error.isTransient && error.code != .unauthorized && error.code != .invalidAnswer
        next.feed?.send(.interrupted(error))
        if isFinal {
            if defect != .refusalsForGood { next.feed?.finish() }
            return close()
        }
        network.scheduler.after(next.wait) { [weak self] in self?.connect() }
    }
}

extension ChangeEvent {
    /// What a table tells that only looks what has changed.
    fileprivate var withoutCreation: ChangeEvent {
        guard case .change(let change) = self, change.kind == .created else { return self }
        return .change(
            Change(
                revision: change.revision,
                kind: .updated,
                row: change.row,
                idempotencyKey: change.idempotencyKey
            )
        )
    }

    /// What a table without revisions tells; nil for nothing.
    fileprivate var withoutRevision: ChangeEvent? {
        switch self {
        case .live: .live(nil)
        case .change(let change): .change(change.withoutRevision)
        case .progress: nil
        case .interrupted, .reset: self
        }
    }
}

extension Change {
    fileprivate var withoutRevision: Change {
        Change(
            revision: nil,
            kind: kind,
            id: id,
            row: row.map { Row(id: $0.id, json: $0.json) },
            left: left,
            previousKey: previousKey,
            predicate: predicate,
            count: count,
            idempotencyKey: idempotencyKey
        )
    }
}

extension FrameOrder {
    /// What a client does that trusts the network.
    fileprivate mutating func takeAsItComes(_ frame: WireFrame) -> [ChangeEvent] {
        _ = receive(after: nil, revision: frame.revision, event: frame.event)
        if case .reset = frame.event { return [.reset, .live(frame.revision)] }
        return [frame.event]
    }
}
