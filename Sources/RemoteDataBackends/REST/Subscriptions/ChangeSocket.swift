import RemoteDataExecution
import RemoteData
import RemoteDataNetwork
import Synchronization

/// A WebSocket of a server, shared by subscriptions to its tables.
///
/// Connects with the first subscription and closes a while after the last. What to do is decided by a
/// ``SubscriptionMachine``; here it is done. One task reads the socket, and while it waits the thread that
/// brings messages may, so the events of each feed stay in order.
final class ChangeSocket: Sendable {
    /// The subprotocol's name.
    static let subprotocol = "table-changes.v1"
    /// How many subscriptions a server takes over one connection.
    static let subscriptionLimit = 256
    /// How long a server may take to answer a subscription.
    static let answerDeadline: Duration = .seconds(30)
    /// How long a frame may be missing that others have overtaken.
    static let patience: Duration = .seconds(2)
    /// How long what comes may wait for a subscriber who is slow to read.
    static let readerPatience: Duration = .seconds(1)

    private struct State {
        var machine: SubscriptionMachine
        var sessions: [Int: WebSocketSession] = [:]
        var connection: (any WebSocketConnection)?
        /// Reads messages; nil while it does.
        var reader: FrameReader?
        var isSending = false
        var lingerTimer: Timer?
        var deadlineTimer: Timer?
        var patienceTimer: Timer?
    }

    /// A wait, by the number its end will be told with.
    private struct Timer {
        let number: Int
        let task: Task<Void, Never>
    }

    private let state: Mutex<State>
    private let feeds = FeedRegistry()
    private let linger: Duration
    private let clock: any Clock<Duration>
    private let idColumn: String
    private let makeSession: @Sendable () -> WebSocketSession

    /// - Parameters:
    ///   - base: The server, for messages.
    ///   - idColumn: The column that holds a row's id, in every table.
    ///   - linger: How long the socket stays open after the last subscription.
    ///   - clock: Measures the waits.
    ///   - makeSession: Makes the session that connects.
    init(
        base: BaseURL,
        idColumn: String = "objectId",
        linger: Duration,
        clock: any Clock<Duration>,
        makeSession: @escaping @Sendable () -> WebSocketSession
    ) {
        state = Mutex(State(machine: SubscriptionMachine(server: base.text)))
        self.linger = linger
        self.clock = clock
        self.idColumn = idColumn
        self.makeSession = makeSession
    }

    deinit {
        let timers = state.withLock { [$0.lingerTimer, $0.deadlineTimer, $0.patienceTimer] }
        for timer in timers { timer?.task.cancel() }
    }

    /// Begins a subscription.
    ///
    /// Never waits.
    /// - Returns: Its changes; nil where the socket has as many subscriptions as a server takes.
    /// - Throws: `tooLarge` when the frame for it would be.
    func subscribe(_ request: SubscriptionRequest, since: Revision?) throws(RemoteDataError) -> ChangeFeed? {
        let size = request.frame(id: "", since: since).count
        guard size <= SubscriptionRequest.frameLimit else {
            throw RemoteDataError(
                .tooLarge,
                "The clause makes \(size) bytes of a subscription's \(SubscriptionRequest.frameLimit)."
            )
        }
        let (id, feed) = feeds.add { [self] id in act { $0.end(id) } }
        let actions = state.withLock { state in
            state.machine.count < Self.subscriptionLimit
                ? state.machine.begin(id, request, since: since) : nil
        }
        guard let actions else { return nil }
        for action in actions { perform(action) }
        send()
        return feed
    }

    /// Nobody will subscribe any more; what is subscribed goes on.
    func release() { act { $0.released() } }
}

// MARK: Acting

extension ChangeSocket {
    /// Lets the machine decide, then does what it says.
    ///
    /// Never called under the lock.
    private func act(_ event: (inout SubscriptionMachine) -> [SubscriptionMachine.Action]) {
        let actions = state.withLock { event(&$0.machine) }
        for action in actions { perform(action) }
        send()
    }

    private func perform(_ action: SubscriptionMachine.Action) {
        switch action {
        case .open(let number): open(number)
        case .close(let number): state.withLock { $0.sessions[number] }?.close()
        case .reconnect:
            let (session, connection) = state.withLock { ($0.sessions[$0.machine.session], $0.connection) }
            session?.givenUp()
            connection?.close(WebSocketClose(code: 1002))
        case .confirm(let number): state.withLock { $0.sessions[number] }?.worked()
        case .deliver(let id, let events): feeds.deliver(events, to: id)
        case .finish(let id): feeds.finish(id)
        case .linger(let number): start(\.lingerTimer, number, after: linger) { $0.lingered(number) }
        case .startDeadline(let number):
            start(\.deadlineTimer, number, after: Self.answerDeadline) { $0.overdue(number) }
        case .startPatience(let number):
            start(\.patienceTimer, number, after: Self.patience) { $0.impatient(number) }
        }
    }

    /// Has an event happen after a while, in place of an earlier one.
    private func start(
        _ timer: WritableKeyPath<State, Timer?>,
        _ number: Int,
        after wait: Duration,
        _ event: @escaping @Sendable (inout SubscriptionMachine) -> [SubscriptionMachine.Action]
    ) {
        let task = Task(executorPreference: WorkerExecutor.background) { [weak self, clock] in
            guard (try? await clock.sleep(for: wait)) != nil else { return }
            self?.act(event)
        }
        // Of two threads that start timers at once, the one with the later number is right.
        let spare = state.withLock { state in
            if let current = state[keyPath: timer], current.number > number {
                return Timer?.some(Timer(number: number, task: task))
            }
            defer { state[keyPath: timer] = Timer(number: number, task: task) }
            return state[keyPath: timer]
        }
        spare?.task.cancel()
    }
}

// MARK: The session

extension ChangeSocket {
    private func open(_ number: Int) {
        let session = makeSession()
        state.withLock { $0.sessions[number] = session }
        Task(executorPreference: WorkerExecutor.background) { await self.read(session, number) }
    }

    /// Reads a session until it is over.
    private func read(_ session: WebSocketSession, _ number: Int) async {
        var end: RemoteDataError?
        do throws(NetworkError) {
            while let event = try await session.next() {
                handle(event, number)
                // The server's side of the connection fills instead of a subscriber's feed.
                await feeds.waitForRoom(atMost: Self.readerPatience, clock)
            }
        } catch { end = RemoteDataError(error) }
        state.withLock { state in
            state.sessions[number] = nil
            if state.sessions.isEmpty { state.connection = nil }
        }
        act { $0.ended(session: number, end) }
    }

    /// Takes messages where the network is read, unless what has come before has to be waited for.
    private func take(_ messages: [WebSocketMessage], _ number: Int) -> Bool {
        guard !feeds.isCrowded else { return false }
        handle(.messages(messages), number)
        return true
    }

    private func handle(_ event: WebSocketSession.Event, _ number: Int) {
        switch event {
        case .connected(let connection):
            // Together, so that nothing is taken from the machine for an earlier connection.
            let actions = state.withLock { state in
                state.connection = connection
                return state.machine.connected(session: number)
            }
            for action in actions { perform(action) }
            send()
            connection.setTaker { [weak self] in self?.take($0, number) ?? false }
        case .messages(let messages):
            let frames = read(messages)
            act { $0.received(session: number, frames) }
        case .disconnected(let error):
            state.withLock { $0.connection = nil }
            act { $0.disconnected(session: number, error.map { RemoteDataError($0) }) }
        case .retrying(_, _, let error):
            act { $0.retrying(session: number, because: error.map { RemoteDataError($0) }) }
        }
    }

    private func read(_ messages: [WebSocketMessage]) -> [IncomingFrame] {
        var reader = state.withLock { $0.reader.take() } ?? FrameReader(idColumn: idColumn)
        let frames = messages.map { reader.read($0) }
        state.withLock { [reader] in $0.reader = reader }
        return frames
    }

    /// Sends what the machine has to say, one frame after another, unless that is being done.
    private func send() {
        let isNeeded = state.withLock { state in
            guard !state.isSending, state.connection != nil, state.machine.hasFrames else { return false }
            state.isSending = true
            return true
        }
        guard isNeeded else { return }
        Task(executorPreference: WorkerExecutor.background) { await self.sendAll() }
    }

    private func sendAll() async {
        while let (connection, frame) = nextFrame() {
            // A connection that takes nothing more is about to be reported as ended, and everything is sent
            // again.
            try? await connection.send(WebSocketMessage(isText: true, bytes: frame))
        }
    }

    private func nextFrame() -> (any WebSocketConnection, [UInt8])? {
        state.withLock { state in
            guard let connection = state.connection, let frame = state.machine.nextFrame() else {
                state.isSending = false
                return nil
            }
            return (connection, frame)
        }
    }
}
