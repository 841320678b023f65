/// What an observer of the network is told, for logs and metrics.
///
/// New cases may be added, so a `switch` needs a `default`.
package enum NetworkEvent: Sendable {
    /// An attempt of a request begins; attempts count from one.
    case started(HTTPRequest, attempt: Int)
    /// An attempt was answered.
    case answered(HTTPRequest, status: Int, bytes: Int, duration: Duration)
    /// An attempt got no answer.
    case failed(HTTPRequest, NetworkError, duration: Duration)
    /// The request will be sent again after a delay.
    case retrying(HTTPRequest, attempt: Int, after: Duration)
    /// Credentials are being asked for again, because the server no longer takes the ones it was given.
    case refreshingCredentials
    /// A socket is being connected.
    case connecting(url: String)
    /// A socket is connected.
    case connected(url: String, subprotocol: String?)
    /// A message was handed to the operating system.
    case sent(url: String, bytes: Int)
    /// A whole message was received.
    case received(url: String, bytes: Int)
    /// A ping was sent.
    case pinged(url: String)
    /// The answer to a ping came after the duration.
    case ponged(url: String, after: Duration)
    /// A socket, or the attempt to connect one, ended; nil when it was closed in order.
    case closed(url: String, NetworkError?)
    /// A session will connect again after a delay; attempts count from one since the last stable connection.
    case reconnecting(url: String, attempt: Int, after: Duration)
}

/// Told of every event.
///
/// Called on the library's own threads or on the caller's, never while a lock is held. It must return at
/// once.
package typealias NetworkObserver = @Sendable (NetworkEvent) -> Void
