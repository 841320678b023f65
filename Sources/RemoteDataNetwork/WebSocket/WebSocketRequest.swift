/// What a WebSocket is connected to, and with what limits.
package struct WebSocketRequest: Sendable, Hashable {
    /// The URL: `ws`, `wss`, or `http` and `https`, which mean the same.
    package var url: String
    /// The subprotocols on offer, the preferred one first.
    package var subprotocols: [String]
    /// Header fields for the handshake.
    package var headers: HTTPHeaders
    /// Buffers and deadlines.
    package var limits: WebSocketLimits

    /// Creates a request.
    package init(
        _ url: String,
        subprotocols: [String] = [],
        headers: HTTPHeaders = [:],
        limits: WebSocketLimits = WebSocketLimits()
    ) {
        self.url = url
        self.subprotocols = subprotocols
        self.headers = headers
        self.limits = limits
    }
}

/// Buffers and deadlines of a WebSocket.
package struct WebSocketLimits: Sendable, Hashable {
    /// The most bytes a received message may have; a longer one closes the socket with 1009, and its reader
    /// learns ``NetworkError/Code/tooLarge``.
    ///
    /// A server takes a row of 16 MiB, and tells of it in a message that has more to say than the row.
    package var message = 17 << 20
    /// How many received messages may wait for a reader before nothing more is read from the network.
    package var bufferedMessages = 1_024
    /// How many bytes of received messages may wait likewise; the one that exceeds it is still held.
    package var bufferedBytes = 32 << 20
    /// How many bytes may wait to be sent; more fails with `overloaded`, but one message is always taken.
    package var unsentBytes = 16 << 20
    /// How long nothing is received before a ping is sent.
    package var pingInterval: Duration = .seconds(20)
    /// How long a ping may go unanswered, with nothing else received either, before the socket counts as
    /// dead.
    package var pongDeadline: Duration = .seconds(10)
    /// How long the name look-up, the connection, TLS and the handshake may take together.
    package var handshakeDeadline: Duration = .seconds(10)

    /// Creates the defaults.
    package init() {}
}
