import RemoteDataExecution
import Synchronization

/// A namespace of a Socket.IO server, joined over a WebSocket (socket.io-protocol 4 and 5).
///
/// Heartbeats are sent and answered by the connection itself. Acknowledgements and binary attachments are passed over. It closes
/// when it is released.
package final class SocketIOConnection: Sendable {
    private struct State {
        var handshake: SocketIOHandshake
        /// What came behind the end of the handshake.
        var backlog: [WebSocketMessage] = []
        var lastHeard: Duration = .zero
        var failure: NetworkError?
        var heart: Task<Void, Never>?
    }

    private let socket: any WebSocketConnection
    private let request: SocketIORequest
    private let version: EngineIOVersion
    private let clock: any Clock<Duration>
    private let watch: Stopwatch
    private let state: Mutex<State>

    private init(
        _ socket: any WebSocketConnection,
        _ request: SocketIORequest,
        _ version: EngineIOVersion,
        _ clock: any Clock<Duration>
    ) {
        (self.socket, self.request, self.version, self.clock) = (socket, request, version, clock)
        watch = Stopwatch(clock)
        state = Mutex(State(handshake: SocketIOHandshake(request, version)))
    }

    deinit { close() }

    /// Connects and joins the namespace.
    ///
    /// - Parameters:
    ///   - request: What to connect to.
    ///   - version: The version of the protocol.
    ///   - transport: Makes the WebSocket.
    ///   - clock: Measures heartbeats, and how long joining may take: as long as the WebSocket's handshake.
    /// - Returns: The connection, joined.
    /// - Throws: ``NetworkError``; `refused` when the server does not let anybody, or not with these credentials, into the
    ///   namespace, or with status 400 when it does not speak the version.
    package static func open(
        _ request: SocketIORequest,
        version: EngineIOVersion,
        over transport: any WebSocketTransport,
        clock: any Clock<Duration> = TimerClock()
    ) async throws(NetworkError) -> SocketIOConnection {
        let socket = try await transport.connect(request.webSocket(version))
        let connection = SocketIOConnection(socket, request, version, clock)
        let limit = request.limits.handshakeDeadline
        let alarm = Task(executorPreference: WorkerExecutor.background) { [weak connection] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            connection?.fail(NetworkError(.timedOut, "The server did not let anybody in within \(limit)."))
        }
        defer { alarm.cancel() }
        try await connection.join()
        connection.startHeart()
        return connection
    }

    /// Sends an event.
    ///
    /// Returns when the operating system has taken it.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - argument: JSON.
    /// - Throws: `closed` when the connection has ended, `overloaded` when too much waits.
    package func emit(_ name: String, _ argument: [UInt8]) async throws(NetworkError) {
        let payload = Array("[\(quoted(name)),".utf8) + argument + [UInt8(ascii: "]")]
        let packet = SocketIOPacket(.event, namespace: request.namespace, payload: payload)
        try await socket.send(WebSocketMessage(isText: true, bytes: packet.text()))
    }

    /// Waits for events, in order.
    ///
    /// One reader at a time. Never blocks the caller's thread.
    /// - Returns: One event or more; none when the server has ended the connection in order.
    /// - Throws: What ended it otherwise: `timedOut` when no heartbeat came, `protocolError` for a packet that is none;
    ///   `cancelled` when the task is.
    package func receiveBatch() async throws(NetworkError) -> [SocketIOEvent] {
        while true {
            let messages = try await receive()
            guard !messages.isEmpty else { return [] }
            var events: [SocketIOEvent] = []
            for message in messages {
                switch try await take(message) {
                case .event(let event): events.append(event)
                case .nothing: break
                case .end where events.isEmpty: return []
                case .end:
                    close()
                    return events
                }
            }
            if !events.isEmpty { return events }
        }
    }

    /// Begins to close the connection, without blocking.
    package func close() {
        let heart = state.withLock { $0.heart.take() }
        heart?.cancel()
        socket.close()
    }
}

extension SocketIOConnection {
    private enum Step {
        case event(SocketIOEvent)
        case nothing
        case end
    }

    private func join() async throws(NetworkError) {
        while true {
            let messages = try await receive()
            guard !messages.isEmpty else {
                throw NetworkError(.closed, "The server closed the connection instead of letting anybody in.")
            }
            for (position, message) in messages.enumerated() {
                guard let packet = EngineIOPacket(message) else { throw unreadable() }
                switch state.withLock({ $0.handshake.take(packet) }) {
                case .wait: break
                case .send(let bytes): try await socket.send(WebSocketMessage(isText: true, bytes: bytes))
                case .refused(let error):
                    close()
                    throw error
                case .joined:
                    state.withLock { $0.backlog = Array(messages[(position + 1)...]) }
                    return
                }
            }
        }
    }

    private func receive() async throws(NetworkError) -> [WebSocketMessage] {
        let backlog = state.withLock { state in
            defer { state.backlog = [] }
            return state.backlog
        }
        if !backlog.isEmpty { return backlog }
        do throws(NetworkError) {
            let messages = try await socket.receiveBatch()
            let now = watch.elapsed
            let failure = state.withLock { state in
                state.lastHeard = now
                return messages.isEmpty ? state.failure : nil
            }
            if let failure { throw failure }
            return messages
        } catch {
            throw state.withLock { $0.failure } ?? error
        }
    }

    private func take(_ message: WebSocketMessage) async throws(NetworkError) -> Step {
        guard let packet = EngineIOPacket(message) else { throw unreadable() }
        switch packet {
        case .close: return .end
        case .ping(let payload):
            try await socket.send(WebSocketMessage(isText: true, bytes: [UInt8(ascii: "3")] + payload))
            return .nothing
        case .message(let bytes):
            guard let packet = SocketIOPacket(bytes), packet.namespace == request.namespace else {
                return .nothing
            }
            switch packet.kind {
            case .event:
                guard let event = SocketIOEvent(payload: packet.payload) else { throw unreadable() }
                return .event(event)
            case .disconnect: return .end
            default: return .nothing
            }
        case .open, .pong, .attachment, .other: return .nothing
        }
    }

    private func unreadable() -> NetworkError {
        close()
        return NetworkError(.protocolError, "The server sent something that is no packet of Socket.IO.")
    }

    private func fail(_ error: NetworkError) {
        state.withLock { $0.failure = $0.failure ?? error }
        close()
    }

    private func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

// MARK: - Heartbeats

extension SocketIOConnection {
    private func startHeart() {
        guard let opening = state.withLock({ $0.handshake.opening }) else { return }
        // However often a server wants to be pinged, there is more to do.
        let interval = Duration.milliseconds(max(1_000, opening.pingInterval))
        let timeout = Duration.milliseconds(max(1, opening.pingTimeout))
        let (clock, version) = (clock, version)
        let heart = Task(executorPreference: WorkerExecutor.background) { [weak self] in
            async let pings: Void? =
                version == .three ? Self.ping(every: interval, clock) { [weak self] in self } : nil
            await Self.listen(interval + timeout, clock) { [weak self] in self }
            await pings
        }
        state.withLock { $0.heart = heart }
    }

    /// Engine.IO 3: the client pings, no less often than the server says, and the server answers.
    private static func ping(
        every interval: Duration,
        _ clock: any Clock<Duration>,
        _ connection: @Sendable () -> SocketIOConnection?
    ) async {
        while (try? await clock.sleep(for: interval)) != nil {
            guard await connection()?.ping() == true else { return }
        }
    }

    private func ping() async -> Bool { (try? await socket.send("2")) != nil }

    /// The server pings (Engine.IO 4) or answers pings, so that silence says that it is gone.
    private static func listen(
        _ limit: Duration,
        _ clock: any Clock<Duration>,
        _ connection: @Sendable () -> SocketIOConnection?
    ) async {
        var wait = limit
        while (try? await clock.sleep(for: wait)) != nil {
            guard let silent = connection()?.silence else { return }
            if silent >= limit { return connection()?.fail(silence(limit)) ?? () }
            wait = limit - silent
        }
    }

    private var silence: Duration { watch.elapsed - state.withLock { $0.lastHeard } }

    private static func silence(_ limit: Duration) -> NetworkError {
        NetworkError(.timedOut, "The server sent no heartbeat for \(limit).")
    }
}
