package import RemoteDataExecution
import Synchronization

/// Keeps one WebSocket connected: reconnects after a growing random wait for as long as it is read.
///
/// A session does nothing by itself. Whoever reads it drives it, in one task, which is also what limits how
/// fast messages are taken from the network:
///
/// ```swift
/// let session = WebSocketSession(transport: LWSTransport()) { reason throws(NetworkError) in
///     try await client.authorized(WebSocketRequest(url), reason: reason)
/// }
/// while let event = try await session.next() {
///     switch event {
///     case .connected(let connection): subscribe again over the connection
///     case .messages(let messages): handle them
///     case .disconnected(let error): what was subscribed is gone
///     case .retrying(let attempt, let delay, let error): say so
///     }
/// }
/// ```
package final class WebSocketSession: Sendable {
    /// What can be chosen.
    package struct Options: Sendable {
        /// The waits between attempts.
        package var backoff = Backoff(cap: .seconds(60))
        /// How long a connection must last for the waits to begin small again.
        package var stableAfter: Duration = .seconds(30)
        /// The longest `Retry-After` that is obeyed in full.
        package var longestRetryAfter: Duration = .seconds(300)
        /// Told of reconnects.
        package var observe: NetworkObserver?
        /// Measures the waits.
        package var clock: any Clock<Duration> = TimerClock()
        /// Random numbers for the jitter.
        package var chance: Chance = systemChance

        /// Creates the defaults.
        package init() {}
    }

    /// What happens to a session.
    package enum Event: Sendable {
        /// A new connection is open; everything must be subscribed again.
        case connected(any WebSocketConnection)
        /// Messages in order, one or more.
        case messages([WebSocketMessage])
        /// The connection has ended; nil when the server closed it in order.
        case disconnected(NetworkError?)
        /// The next call of ``WebSocketSession/next()`` waits, then connects again.
        case retrying(attempt: Int, after: Duration, because: NetworkError?)
    }

    /// Makes the handshake to connect with; the reason is `rejected` after the server has refused one with
    /// 401.
    package typealias RequestMaker =
        @Sendable (CredentialsReason) async throws(NetworkError) -> WebSocketRequest

    private struct State {
        var session: WebSocketSessionState
        var connection: (any WebSocketConnection)?
        var lastError: NetworkError?
        var url = ""
        var interrupt: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let transport: any WebSocketTransport
    private let options: Options
    private let watch: Stopwatch
    private let request: RequestMaker

    /// Creates a session that connects when it is first read.
    ///
    /// - Parameters:
    ///   - transport: Makes the connections.
    ///   - options: How long to wait for what, and whom to tell.
    ///   - request: Asked before each attempt.
    package init(
        transport: any WebSocketTransport,
        options: Options = Options(),
        request: @escaping RequestMaker
    ) {
        state = Mutex(State(session: WebSocketSessionState(options)))
        self.transport = transport
        self.options = options
        watch = Stopwatch(options.clock)
        self.request = request
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
        connection?.close()
        interrupt?()
    }
}

extension WebSocketSession {
    /// Makes a connection; nil when there is nothing to tell yet.
    private func connect(_ reason: CredentialsReason) async throws(NetworkError) -> Event? {
        state.withLock { $0.session.began() }
        let result = await interruptible { [transport, request] () throws(NetworkError) in
            let request = try await request(reason)
            return (request.url, try await transport.connect(request))
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
                connection.close()
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
            let messages = try await connection.receiveBatch()
            if !messages.isEmpty { return .messages(messages) }
        } catch {
            if error.code == .cancelled { throw error }
            reason = error
        }
        let (now, chance) = (watch.elapsed, options.chance())
        let isOver = state.withLock { state in
            state.session.lost(now: now, chance: chance)
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
        let result = await interruptible { [clock = options.clock] () throws(NetworkError) in
            do {
                try await clock.sleep(for: delay)
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
