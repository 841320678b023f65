import RemoteDataExecution
import Synchronization

/// Keeps one connection to a server: makes it again for as long as it is read, by ``ReconnectBackoff``.
///
/// A session does nothing by itself. Whoever reads it drives it, in one task, which is also what limits how
/// fast messages are taken from the network: see ``WebSocketSession``.
package final class Session<Connection: Sendable, Message: Sendable>: Sendable {
    /// What can be chosen.
    package typealias Options = SessionOptions

    /// What happens to a session.
    package enum Event: Sendable {
        /// A new connection is open; everything must be subscribed again.
        case connected(Connection)
        /// Messages in order, one or more.
        case messages([Message])
        /// The connection has ended; nil when the server closed it in order.
        case disconnected(NetworkError?)
        /// The next call of ``Session/next()`` waits, then connects again.
        case retrying(attempt: Int, after: Duration, because: NetworkError?)
    }

    /// What a session does with connections of a kind.
    package struct Driver: Sendable {
        /// Makes a connection, and tells what it is connected to; the reason is `rejected` after the server has refused one
        /// with 401.
        package var connect:
            @Sendable (CredentialsReason) async throws(NetworkError) -> (url: String, connection: Connection)
        /// Waits for messages, one or more; none at an end in order.
        package var receive: @Sendable (Connection) async throws(NetworkError) -> [Message]
        /// Begins to close a connection, without blocking.
        package var close: @Sendable (Connection) -> Void
        /// How long to wait at least when a connection has ended, as the server has said.
        package var retryAfter: @Sendable (Connection) -> Duration?

        /// Creates a driver.
        package init(
            connect:
                @escaping @Sendable (CredentialsReason) async throws(NetworkError) -> (
                    url: String, connection: Connection
                ),
            receive: @escaping @Sendable (Connection) async throws(NetworkError) -> [Message],
            close: @escaping @Sendable (Connection) -> Void,
            retryAfter: @escaping @Sendable (Connection) -> Duration? = { _ in nil }
        ) {
            (self.connect, self.receive) = (connect, receive)
            (self.close, self.retryAfter) = (close, retryAfter)
        }
    }

    private struct State {
        var session: SessionState
        var connection: Connection?
        var lastError: NetworkError?
        var url = ""
        var interrupt: (@Sendable () -> Void)?
        /// How often waits were ended before the attempt, or when the connection was lost.
        var wakes = 0
    }

    private let state: Mutex<State>
    private let driver: Driver
    private let options: Options
    private let watch: Stopwatch

    /// Creates a session that connects when it is first read.
    ///
    /// - Parameters:
    ///   - options: How long to wait for what, and whom to tell.
    ///   - driver: Makes the connections.
    package init(options: Options = Options(), driver: Driver) {
        state = Mutex(State(session: SessionState(options)))
        self.driver = driver
        self.options = options
        watch = Stopwatch(options.clock)
    }

    deinit { close() }

    /// Waits for the next event; one call at a time.
    ///
    /// Never blocks the caller's thread. A cancelled call loses nothing but a connection that was just
    /// being made; the next call goes on.
    /// - Returns: The event, or nil once the session is over.
    /// - Throws: `cancelled` when the task is; once, what ended the session when the server refuses it for
    ///   good: a second 401, another status of the client's fault, or credentials that cannot be obtained.
    package func next() async throws(NetworkError) -> Event? {
        while true {
            switch state.withLock({ $0.session.phase }) {
            case .idle(let reason):
                if let event = try await connect(reason) { return event }
            case .connecting:
                throw NetworkError(.invalidRequest, "The session has a reader already.")
            case .open:
                return try await receive()
            case .delayed(let attempt, let delay):
                return announce(attempt, delay)
            case .waiting(let delay):
                try await wait(delay)
            case .ended:
                return nil
            }
        }
    }

    /// Notes that the open connection does what it was made for: when it ends, another one is made at once.
    package func worked() {
        state.withLock { $0.session.worked() }
        options.signal.answered()
    }

    /// Notes that the open connection is given up because of what came over it, which lets the waits grow.
    package func givenUp() { state.withLock { $0.session.givenUp() } }

    /// Notes that the credentials were refused over the open connection: the wait after it may be longer.
    package func refused() { state.withLock { $0.session.refused() } }

    /// Ends the session and its connection, without blocking; a waiting ``next()`` returns nil.
    package func close() {
        let (connection, interrupt) = state.withLock { state in
            state.session.closed()
            defer {
                state.connection = nil
                state.interrupt = nil
            }
            return (state.connection, state.interrupt)
        }
        if let connection { driver.close(connection) }
        interrupt?()
    }
}

extension Session {
    /// Makes a connection; nil when there is nothing to tell yet.
    private func connect(_ reason: CredentialsReason) async throws(NetworkError) -> Event? {
        let wakes = options.signal.wakes
        state.withLock { state in
            state.session.began()
            state.wakes = wakes
        }
        let result = await interruptible { [driver] () throws(NetworkError) in
            try await driver.connect(reason)
        }
        switch result {
        case .success(let (url, connection)):
            let now = watch.elapsed
            let isOpen = state.withLock { state in
                state.session.connected(now: now)
                guard !state.session.hasEnded else { return false }
                state.connection = connection
                state.url = url
                return true
            }
            guard isOpen else {
                driver.close(connection)
                return nil
            }
            return .connected(connection)
        case .failure(let error):
            if error.code == .cancelled {
                let isClosed = state.withLock { state in
                    state.session.abandoned()
                    return state.session.hasEnded
                }
                if isClosed { return nil }
                throw error
            }
            let chance = options.chance()
            let isOver = state.withLock { state in
                let wasOver = state.session.hasEnded
                state.session.failed(error, chance: chance)
                state.lastError = error
                return state.session.hasEnded && !wasOver
            }
            if isOver { throw error }
            return nil
        }
    }

    private func receive() async throws(NetworkError) -> Event? {
        guard let connection = state.withLock({ $0.connection }) else { return nil }
        var reason: NetworkError?
        do throws(NetworkError) {
            let messages = try await driver.receive(connection)
            if !messages.isEmpty { return .messages(messages) }
        } catch {
            if error.code == .cancelled { throw error }
            reason = error
        }
        let (now, chance, wish) = (watch.elapsed, options.chance(), driver.retryAfter(connection))
        let wakes = options.signal.wakes
        let isOver = state.withLock { state in
            state.session.lost(now: now, atLeast: wish, chance: chance)
            state.wakes = wakes
            state.connection = nil
            state.lastError = reason
            return state.session.hasEnded
        }
        return isOver ? nil : .disconnected(reason)
    }

    private func announce(_ attempt: Int, _ delay: Duration) -> Event? {
        let (reason, url) = state.withLock { state in
            state.session.announced()
            return (state.lastError, state.url)
        }
        options.observe?(.reconnecting(url: url, attempt: attempt, after: delay))
        return .retrying(attempt: attempt, after: delay, because: reason)
    }

    private func wait(_ delay: Duration) async throws(NetworkError) {
        let (session, wakes) = state.withLock { ($0.session, $0.wakes) }
        let result = await interruptible { [options] () throws(NetworkError) in
            do {
                try await options.signal.sleep(
                    for: delay,
                    atLeast: session.leastDelay,
                    since: wakes,
                    heedsAnswers: session.heedsAnswers,
                    needsNetwork: true,
                    clock: options.clock
                )
            } catch {
                throw .cancelled
            }
        }
        let isOver = state.withLock { $0.session.hasEnded }
        if case .failure(let error) = result, !isOver { throw error }
        state.withLock { $0.session.waited() }
    }

    /// Runs something that the caller's cancellation and ``close()`` stop alike, on the library's own
    /// threads.
    private func interruptible<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(NetworkError) -> Value
    ) async -> Result<Value, NetworkError> {
        let task = Task(executorPreference: WorkerExecutor.background) { () -> Result<Value, NetworkError> in
            do throws(NetworkError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        let isOver = state.withLock { state in
            state.interrupt = { task.cancel() }
            return state.session.hasEnded
        }
        if isOver { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.interrupt = nil }
        return result
    }
}
