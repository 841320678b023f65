import RemoteDataExecution

/// What the loop's thread knows about one socket.
struct LWSLoopSide {
    /// How far the socket has come; each stage is entered by a callback of libwebsockets.
    enum Stage {
        /// The TCP connection is being made.
        case connecting
        /// TLS, if there is any, is being agreed.
        case connected
        /// The handshake is being sent and answered.
        case upgrading
        /// The server has answered the handshake with a status.
        case answered(status: Int, retryAfter: Duration?)
        /// Messages go back and forth.
        case open
        /// A close frame is being sent, or was, and is waited for.
        case closing
        case ended
    }

    var stage = Stage.connecting
    var wsi: OpaquePointer?
    var subprotocol: String?
    var assembler: MessageAssembler
    var liveness: Liveness
    /// The message that is being written.
    var writing: Outgoing?
    var owesPing = false
    /// What this side closes the socket with, as soon as it can be written to.
    var closing: WebSocketClose?
    /// What the other side closed the socket with.
    var peerClose: WebSocketClose?
    /// What the socket failed with, as far as this side found out.
    var failure: NetworkError?
    /// Whether the server's certificate was refused.
    var hasBadCertificate = false

    private let watch = Stopwatch(ContinuousClock())

    init(_ limits: WebSocketLimits) {
        assembler = MessageAssembler(limit: limits.message)
        liveness = Liveness(limits, now: .zero)
    }

    var now: Duration { watch.elapsed }

    var isOpen: Bool { if case .open = stage { true } else { false } }

    var isEstablished: Bool {
        switch stage {
        case .open, .closing: true
        default: false
        }
    }

    /// Why the socket did not come about, going by the stage it had reached.
    func handshakeFailure(_ detail: String, _ endpoint: Endpoint) -> NetworkError {
        if let failure { return failure }
        let origin = endpoint.origin
        let cause = detail.isEmpty ? nil : LWSError(detail: detail)
        switch stage {
        case .connecting where OpenFiles.areExhausted:
            return NetworkError(.overloaded, OpenFiles.message, cause: cause)
        case .connecting:
            return NetworkError(
                .unreachable,
                "Nobody answers at \(origin). Check that the server runs.",
                cause: cause
            )
        case .connected where endpoint.isSecure:
            let reason =
                hasBadCertificate
                ? "The certificate of \(origin) is not trusted."
                : "No TLS connection with \(origin) came about."
            return NetworkError(.tls, reason, cause: cause)
        case .answered(let status, let retryAfter) where status != 101:
            return NetworkError(
                .refused,
                "\(origin) refused the WebSocket with status \(status).",
                status: status,
                retryAfter: retryAfter,
                cause: cause
            )
        case .answered:
            return NetworkError(
                .badAnswer,
                "What answers at \(origin) does not speak WebSocket.",
                cause: cause
            )
        case .upgrading where detail.contains("pars") || detail.hasPrefix("HS:"):
            return NetworkError(.badAnswer, "What answers at \(origin) does not speak HTTP.", cause: cause)
        default:
            return NetworkError(
                .closed,
                "\(origin) closed the connection during the handshake.",
                cause: cause
            )
        }
    }

    /// How an open socket ended.
    func ending(_ endpoint: Endpoint) -> Result<Void, NetworkError> {
        if let failure { return .failure(failure) }
        guard let peerClose else {
            if case .closing = stage { return .success(()) }
            return .failure(NetworkError(.closed, "The connection with \(endpoint.origin) was lost."))
        }
        if peerClose.isNormal { return .success(()) }
        let reason = peerClose.reason.isEmpty ? "" : ": " + peerClose.reason
        let stop = reason.hasSuffix(".") ? "" : "."
        let message = "\(endpoint.origin) closed the socket with code \(peerClose.code)\(reason)\(stop)"
        return .failure(NetworkError(.closed, message, close: peerClose))
    }
}

/// What libwebsockets says about a failed connection.
package struct LWSError: Error, Hashable, CustomStringConvertible {
    /// Its own words.
    package let detail: String

    /// Its own words.
    package var description: String { "libwebsockets: \(detail)" }
}
