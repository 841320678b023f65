import RemoteDataExecution

/// A request that got no answer, or a socket that failed.
///
/// An HTTP answer is never an error here, whatever its status: it arrives as an ``HTTPResponse``. The
/// exception is a refused WebSocket handshake, which has no other way to tell its ``status``. Descriptions
/// hold neither bodies nor credentials, so they may be logged.
package struct NetworkError: Error, Sendable {
    /// What kind of thing went wrong.
    package let code: Code
    /// What happened and what to do about it, in words a person can act on.
    package let message: String
    /// The HTTP status that refused a WebSocket handshake.
    package let status: Int?
    /// How long the server asked to wait before trying again; five minutes where it asked for more.
    package let retryAfter: Duration?
    /// Why a WebSocket was closed, when a close frame told.
    package let close: WebSocketClose?
    /// The lower-level error, when there is one.
    package let cause: (any Error)?

    /// Creates an error.
    package init(
        _ code: Code,
        _ message: String,
        status: Int? = nil,
        retryAfter: Duration? = nil,
        close: WebSocketClose? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter.map { min($0, RetrySignal.longestWish) }
        self.close = close
        self.cause = cause
    }

    /// Whether trying the same thing again later may succeed.
    package var isTransient: Bool {
        if let status { return RetryPolicy.transientStatuses.contains(status) }
        return Self.transientCodes.contains(code)
    }

    private static let transientCodes: Set<Code> = [.unreachable, .timedOut, .closed, .overloaded]

    /// The error of a task that was cancelled.
    package static let cancelled = NetworkError(.cancelled, "The request was cancelled.")
}

extension NetworkError: CustomStringConvertible {
    /// The code and message, then in parentheses what the cause adds.
    package var description: String {
        RemoteDataExecution.errorDescription(code.description, message, cause: cause)
    }
}

extension NetworkError {
    /// A kind of failure.
    ///
    /// New codes may be added, so a `switch` needs a `default`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The name of the code.
        package var description: String { name }

        /// The name could not be resolved, or nobody listens there; nothing was sent.
        package static let unreachable = Code(name: "unreachable")
        /// The connection, the answer or the whole request took too long.
        package static let timedOut = Code(name: "timed out")
        /// No trusted connection: a certificate that is not valid for the host, or no common TLS version.
        package static let tls = Code(name: "tls")
        /// The caller gave up.
        package static let cancelled = Code(name: "cancelled")
        /// More than a stated limit.
        package static let tooLarge = Code(name: "too large")
        /// Something answered that does not speak HTTP or WebSocket.
        package static let badAnswer = Code(name: "bad answer")
        /// The other side broke the protocol.
        package static let protocolError = Code(name: "protocol error")
        /// The connection ended before the answer did, or the socket was closed.
        package static let closed = Code(name: "closed")
        /// The server refused the WebSocket handshake; ``NetworkError/status`` says how.
        package static let refused = Code(name: "refused")
        /// A request that cannot be sent: a malformed URL, a header with a line break.
        package static let invalidRequest = Code(name: "invalid request")
        /// The closure that supplies credentials failed.
        package static let credentials = Code(name: "credentials")
        /// More is waiting to be sent than the stated limit.
        package static let overloaded = Code(name: "overloaded")
        /// The network library could not be used.
        package static let unavailable = Code(name: "unavailable")
    }
}
