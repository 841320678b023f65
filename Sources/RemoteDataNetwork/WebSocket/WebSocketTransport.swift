/// Connects WebSockets (RFC 6455).
///
/// ``LWSTransport`` is the real one. A test's stub gives connections in memory.
package protocol WebSocketTransport: Sendable {
    /// Connects and waits for the handshake.
    ///
    /// Never blocks the caller's thread. Ends at the latest when the handshake's deadline passes, and at
    /// once when the task is cancelled.
    /// - Parameter request: What to connect to.
    /// - Returns: An open connection.
    /// - Throws: ``NetworkError``; a server that answers with something else than an upgrade is `refused`
    ///   with its status.
    func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection
}

/// An open WebSocket.
///
/// Pings are sent and answered by the connection itself. It closes when it is released.
package protocol WebSocketConnection: Sendable {
    /// The subprotocol the server chose, or nil when it chose none.
    var subprotocol: String? { get }

    /// Sends a message.
    ///
    /// Returns when the operating system has taken it, which is no promise that it arrives. Messages are
    /// sent in the order of the calls. A cancelled call may still have sent its message.
    /// - Parameter message: What to send.
    /// - Throws: `closed` when the connection has ended, `overloaded` when more waits than
    ///   ``WebSocketLimits/unsentBytes``.
    func send(_ message: WebSocketMessage) async throws(NetworkError)

    /// Everything that has been received and not read yet, in order; waits for a message when there is none.
    ///
    /// One reader at a time. While nobody reads, at most what ``WebSocketLimits`` allow is kept, then the
    /// network is not read any more.
    /// - Returns: One message or more; none when the socket has been closed in order, by either side.
    /// - Throws: What ended the socket otherwise, after all messages before it were read; `cancelled` when
    ///   the task is.
    func receiveBatch() async throws(NetworkError) -> [WebSocketMessage]

    /// Has few messages that come while ``receiveBatch()`` waits taken at once, on the thread that reads the network, which saves
    /// the time until the reader's task runs; it goes on waiting.
    ///
    /// In order with what the reader gets, and never while it has something in hand. A connection that has no such thread does
    /// without.
    /// - Parameter taker: Called under no lock.
    func setTaker(_ taker: @escaping MessageTaker)

    /// Begins to close the socket; nothing is received or sent any more.
    ///
    /// Never blocks: the closing handshake goes on by itself and is cut off after five seconds.
    func close(_ reason: WebSocketClose)
}

/// Takes messages, without waiting for anything, or leaves them to the reader: whether it has taken them.
package typealias MessageTaker = @Sendable ([WebSocketMessage]) -> Bool

extension WebSocketConnection {
    package func setTaker(_ taker: @escaping MessageTaker) {}

    /// Sends text; see ``send(_:)-(WebSocketMessage)``.
    package func send(_ text: String) async throws(NetworkError) { try await send(.text(text)) }

    /// Begins to close the socket with code 1000.
    package func close() { close(.normal) }
}
