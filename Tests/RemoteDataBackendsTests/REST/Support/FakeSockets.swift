import RemoteDataNetwork
import RemoteDataTesting

/// Gives connections in memory, and hands their other ends to a test.
final class FakeSockets: WebSocketTransport {
    private struct State {
        var results: [Result<FakeConnection, NetworkError>] = []
        var requests: [WebSocketRequest] = []
    }

    private let state = Watched(State())

    /// What was connected to so far.
    var requests: [WebSocketRequest] { state.value.requests }

    /// Waits for a number of attempts to connect.
    func attempts(_ count: Int) async { await state.wait { $0.requests.count >= count } }

    /// Has the next attempt to connect, or the one that waits, succeed.
    func accept() -> FakeConnection {
        let connection = FakeConnection()
        state.change { $0.results.append(.success(connection)) }
        return connection
    }

    /// Has the next attempt to connect, or the one that waits, fail.
    func refuse(_ error: NetworkError) { state.change { $0.results.append(.failure(error)) } }

    func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection {
        state.change { $0.requests.append(request) }
        await state.wait { !$0.results.isEmpty }
        let result = state.change { $0.results.isEmpty ? nil : $0.results.removeFirst() }
        guard let result else { throw .cancelled }
        return try result.get()
    }
}

/// One connection: the code under test holds it as a WebSocket, the test plays the server.
final class FakeConnection: WebSocketConnection {
    private struct State {
        var incoming: [WebSocketMessage] = []
        var end: Result<[WebSocketMessage], NetworkError>?
        var sent: [String] = []
        var close: WebSocketClose?
        var taker: MessageTaker?
        /// Whether somebody waits for messages.
        var isAwaited = false
    }

    private let state = Watched(State())

    let subprotocol: String? = "table-changes.v1"

    /// Why the code under test closed the connection.
    var closeReason: WebSocketClose? { state.value.close }

    /// Waits until the code under test closes the connection.
    func closed() async { await state.wait { $0.close != nil } }

    /// The server says something.
    func say(_ frames: String...) { receive(frames.map { .text($0) }) }

    /// The server sends messages.
    func receive(_ messages: [WebSocketMessage]) { state.change { $0.incoming += messages } }

    /// The server sends messages, which are offered where the network is read, once somebody waits for them; whether they are
    /// taken there.
    func offer(_ messages: [WebSocketMessage]) async -> Bool {
        await state.wait { $0.taker != nil && $0.isAwaited && $0.incoming.isEmpty }
        return state.value.taker?(messages) ?? false
    }

    /// The server's end is gone; nil for an end in order.
    func drop(_ error: NetworkError? = NetworkError(.closed, "The connection ended.")) {
        state.change { $0.end = error.map { .failure($0) } ?? .success([]) }
    }

    /// The first `count` frames that were sent; waits for them.
    func sent(_ count: Int) async -> [String] {
        await state.wait { $0.sent.count >= count }
        return Array(state.value.sent.prefix(count))
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        let isOpen = state.change { state in
            if state.end == nil { state.sent.append(message.text) }
            return state.end == nil
        }
        if !isOpen { throw NetworkError(.closed, "The connection ended.") }
    }

    func receiveBatch() async throws(NetworkError) -> [WebSocketMessage] {
        state.change { $0.isAwaited = true }
        await state.wait { !$0.incoming.isEmpty || $0.end != nil }
        let next = state.change { state -> Result<[WebSocketMessage], NetworkError> in
            state.isAwaited = false
            guard state.incoming.isEmpty else {
                defer { state.incoming = [] }
                return .success(state.incoming)
            }
            return state.end ?? .failure(.cancelled)
        }
        return try next.get()
    }

    func setTaker(_ taker: @escaping MessageTaker) { state.change { $0.taker = taker } }

    func close(_ reason: WebSocketClose) {
        state.change { state in
            state.close = reason
            state.incoming = []
            state.end = .success([])
        }
    }
}
