import RemoteDataExecution
import Synchronization

/// WebSockets over libwebsockets.
///
/// All sockets of the process share one thread, which starts with the first connection and ends when all
/// transports and connections are released. Certificates are always verified; redirects are not followed,
/// and no proxy is used.
package final class LWSTransport: WebSocketTransport {
    /// What can be chosen.
    package struct Options: Sendable {
        /// A file with certificates in PEM format to trust besides the system's.
        package var extraCAFile: String?
        /// Told of every event; called on the sockets' thread.
        package var observe: NetworkObserver?

        /// Creates the defaults.
        package init() {}
    }

    private let options: Options
    private let owner: LWSLoopOwner

    /// Creates a transport.
    package init(_ options: Options = Options()) {
        self.options = options
        owner = .shared()
    }

    /// Connects and waits for the handshake; every address of the host is tried in turn.
    package func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection {
        let endpoint = try Endpoint(request.url)
        try Self.check(request, endpoint)
        let watch = Stopwatch(ContinuousClock())
        let limit = request.limits.handshakeDeadline
        options.observe?(.connecting(url: request.url))
        do throws(NetworkError) {
            var addresses = try await Resolver.addresses(of: endpoint.host, within: limit)[...]
            while let address = addresses.popFirst() {
                // An address that does not answer must leave time for the others.
                let left = (limit - watch.elapsed) / (addresses.count + 1)
                do throws(NetworkError) {
                    return try await attempt(request, endpoint, address, within: max(left, .milliseconds(1)))
                } catch {
                    guard error.code == .unreachable || error.code == .timedOut, !addresses.isEmpty else {
                        throw error
                    }
                }
            }
            throw NetworkError(.unreachable, "The name \(endpoint.host) has no address.")
        } catch {
            options.observe?(.closed(url: request.url, error))
            throw error
        }
    }

    private func attempt(
        _ request: WebSocketRequest,
        _ endpoint: Endpoint,
        _ address: String,
        within limit: Duration
    ) async throws(NetworkError) -> any WebSocketConnection {
        let connection = LWSConnection(request, endpoint, address: address, limit: limit, options: options)
        let loop = owner.loop
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if connection.handshake.start(continuation) { loop.perform(.connect(connection)) }
            }
        } onCancel: {
            if connection.handshake.finish(.failure(.cancelled)) {
                loop.perform(.close(connection, .goingAway))
            }
        }
        return LWSSocket(connection, subprotocol: try result.get(), owner)
    }

    /// Refuses what libwebsockets would cut off or garble.
    private static func check(_ request: WebSocketRequest, _ endpoint: Endpoint) throws(NetworkError) {
        if let field = request.headers.fields.first(where: { !$0.isWellFormed }) {
            throw NetworkError(
                .invalidRequest,
                "The header \(field.name) cannot be sent: it holds a control character."
            )
        }
        guard endpoint.target.utf8.count <= 1_900, endpoint.authority.utf8.count <= 110 else {
            throw NetworkError(
                .invalidRequest,
                "The URL is too long for a WebSocket; put parameters into a message."
            )
        }
    }
}

/// Holds the loop for transports and sockets; when all of them are gone, the thread ends.
final class LWSLoopOwner: Sendable {
    private struct Current {
        weak var owner: LWSLoopOwner?
        var loop: LWSLoop?
    }

    private static let current = Mutex(Current())

    let loop: LWSLoop

    private init(_ loop: LWSLoop) { self.loop = loop }

    deinit { loop.stop() }

    /// The owner there is, or a new one.
    static func shared() -> LWSLoopOwner {
        current.withLock { current in
            if let owner = current.owner { return owner }
            let loop = LWSLoop(after: current.loop)
            let owner = LWSLoopOwner(loop)
            current = Current(owner: owner, loop: loop)
            return owner
        }
    }
}

/// The connection as its user holds it; closes the socket when it is released.
private final class LWSSocket: WebSocketConnection {
    let subprotocol: String?
    private let connection: LWSConnection
    private let owner: LWSLoopOwner

    init(_ connection: LWSConnection, subprotocol: String?, _ owner: LWSLoopOwner) {
        self.connection = connection
        self.subprotocol = subprotocol
        self.owner = owner
    }

    deinit { close(.goingAway) }

    func send(_ message: WebSocketMessage) async throws(NetworkError) {
        let loop = owner.loop
        let (entry, wakes) = try connection.enqueue(message)
        let (connection, id, handoff) = (connection, entry.id, entry.handoff)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !handoff.start(continuation) { connection.withdraw(id) }
                if wakes { loop.perform(.write(connection)) }
            }
        } onCancel: {
            if handoff.finish(.failure(.cancelled)) { connection.withdraw(id) }
        }
        try result.get()
    }

    func receiveBatch() async throws(NetworkError) -> [WebSocketMessage] {
        let (connection, loop) = (connection, owner.loop)
        let handoff = Handoff<[WebSocketMessage], NetworkError>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard handoff.start(continuation) else { return }
                if connection.read(into: handoff) { loop.perform(.resume(connection)) }
            }
        } onCancel: {
            handoff.finish(.failure(.cancelled))
            connection.stopReading(handoff)
        }
        return try result.get()
    }

    func setTaker(_ taker: @escaping MessageTaker) { connection.setTaker(taker) }

    func close(_ reason: WebSocketClose) {
        connection.end(.success(()))
        owner.loop.perform(.close(connection, reason))
    }
}
