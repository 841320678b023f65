import RemoteDataNetwork
import Synchronization

/// Connects for real and changes what comes in, as a faulty proxy does.
final class MeddlingSockets: WebSocketTransport {
    private let transport: any WebSocketTransport
    private let meddle: @Sendable (WebSocketMessage) -> [WebSocketMessage]

    /// - Parameters:
    ///   - transport: What connects.
    ///   - meddle: What becomes of each message.
    init(
        _ transport: any WebSocketTransport,
        meddle: @escaping @Sendable (WebSocketMessage) -> [WebSocketMessage]
    ) {
        self.transport = transport
        self.meddle = meddle
    }

    func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection {
        MeddledConnection(connection: try await transport.connect(request), meddle: meddle)
    }
}

/// A connection of ``MeddlingSockets``.
private struct MeddledConnection: WebSocketConnection {
    let connection: any WebSocketConnection
    let meddle: @Sendable (WebSocketMessage) -> [WebSocketMessage]

    var subprotocol: String? { connection.subprotocol }

    func send(_ message: WebSocketMessage) async throws(NetworkError) { try await connection.send(message) }

    func receiveBatch() async throws(NetworkError) -> [WebSocketMessage] {
        while true {
            let messages = try await connection.receiveBatch()
            let left = messages.flatMap(meddle)
            // None would say that the connection was closed.
            if !left.isEmpty || messages.isEmpty { return left }
        }
    }

    func close(_ reason: WebSocketClose) { connection.close(reason) }
}
