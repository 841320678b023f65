import RemoteDataNetwork
import Synchronization

/// Gives connections in memory, and hands their other ends to a test.
final class FakeSockets: WebSocketTransport {
    private struct State {
        var results: [Result<FakeConnection, NetworkError>] = []
        var requests: [WebSocketRequest] = []
        var waiters: [CheckedContinuation<Result<FakeConnection, NetworkError>, Never>] = []
    }

    private let state = Mutex(State())

    /// What was connected to so far.
    var requests: [WebSocketRequest] { state.withLock { $0.requests } }

    /// Has the next attempt to connect, or the one that waits, succeed.
    func accept() -> FakeConnection {
        let connection = FakeConnection()
        give(.success(connection))
        return connection
    }

    /// Has the next attempt to connect, or the one that waits, fail.
    func refuse(_ error: NetworkError) { give(.failure(error)) }

    private func give(_ result: Result<FakeConnection, NetworkError>) {
        let waiter = state.withLock { state in
            if state.waiters.isEmpty {
                state.results.append(result)
                return CheckedContinuation<Result<FakeConnection, NetworkError>, Never>?.none
            }
            return state.waiters.removeFirst()
        }
        waiter?.resume(returning: result)
    }

    func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection {
        let result = await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<FakeConnection, NetworkError>? in
                state.requests.append(request)
                if !state.results.isEmpty { return state.results.removeFirst() }
                state.waiters.append(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
        return try result.get()
    }
}

/// One connection: the code under test holds it as a WebSocket, the test plays the server.
final class FakeConnection: WebSocketConnection {
    private struct State {
        var incoming: [WebSocketMessage] = []
        var end: Result<[WebSocketMessage], NetworkError>?
        var reader: CheckedContinuation<Void, Never>?
        var sent: [String] = []
        var listener: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        var close: WebSocketClose?
        var closeListener: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    let subprotocol: String? = "table-changes.v1"

    /// Why the code under test closed the connection.
    var closeReason: WebSocketClose? { state.withLock { $0.close } }

    /// Waits until the code under test closes the connection, under the test's time limit.
    func closed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if state.close == nil { state.closeListener = continuation }
                return state.close != nil
            }
            if isClosed { continuation.resume() }
        }
    }

    /// The server says something.
    func say(_ frames: String...) { receive(frames.map { .text($0) }) }

    /// The server sends messages.
    func receive(_ messages: [WebSocketMessage]) { change { $0.incoming += messages } }

    /// The server's end is gone; nil for an end in order.
    func drop(_ error: NetworkError? = NetworkError(.closed, "The connection ended.")) {
        change { $0.end = error.map { .failure($0) } ?? .success([]) }
    }

    /// The first `count` frames that were sent; waits for them, under the test's time limit.
    func sent(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sent.count >= count { return true }
                state.listener = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { Array($0.sent.prefix(count)) }
    }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        let (isOpen, listener) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (false, nil) }
            state.sent.append(message.text)
            guard let listener = state.listener, state.sent.count >= listener.count else {
                return (true, nil)
            }
            state.listener = nil
            return (true, listener.continuation)
        }
        listener?.resume()
        if !isOpen { throw NetworkError(.closed, "The connection ended.") }
    }

    func receiveBatch() async throws(NetworkError) -> [WebSocketMessage] {
        while true {
            let next = state.withLock { state -> Result<[WebSocketMessage], NetworkError>? in
                guard state.incoming.isEmpty else {
                    defer { state.incoming = [] }
                    return .success(state.incoming)
                }
                return state.end
            }
            if let next { return try next.get() }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.incoming.isEmpty || state.end != nil { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    func close(_ reason: WebSocketClose) {
        change { state in
            state.close = reason
            state.incoming = []
            state.end = .success([])
        }
        state.withLock { $0.closeListener.take() }?.resume()
    }

    private func change(_ body: (inout sending State) -> Void) {
        let reader = state.withLock { state in
            body(&state)
            return state.reader.take()
        }
        reader?.resume()
    }
}
