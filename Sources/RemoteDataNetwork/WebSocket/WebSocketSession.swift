/// Keeps one WebSocket connected.
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
package typealias WebSocketSession = Session<any WebSocketConnection, WebSocketMessage>

extension Session where Connection == any WebSocketConnection, Message == WebSocketMessage {
    /// Makes the handshake to connect with; the reason is `rejected` after the server has refused one with
    /// 401.
    package typealias RequestMaker =
        @Sendable (CredentialsReason) async throws(NetworkError) -> WebSocketRequest

    /// Creates a session that connects when it is first read.
    ///
    /// - Parameters:
    ///   - transport: Makes the connections.
    ///   - options: How long to wait for what, and whom to tell.
    ///   - request: Asked before each attempt.
    package convenience init(
        transport: any WebSocketTransport,
        options: Options = Options(),
        request: @escaping RequestMaker
    ) {
        let driver = Driver(
            connect: { reason throws(NetworkError) in
                let request = try await request(reason)
                return (request.url, try await transport.connect(request))
            },
            receive: { connection throws(NetworkError) in try await connection.receiveBatch() },
            close: { $0.close() }
        )
        self.init(options: options, driver: driver)
    }
}
