/// Why a WebSocket ended, as a close frame says it (RFC 6455, section 7.4).
package struct WebSocketClose: Sendable, Hashable {
    /// The code, such as 1000.
    package let code: Int
    /// The text that came with it, at most 123 bytes.
    package let reason: String

    /// Creates a reason.
    package init(code: Int, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// 1000: the purpose is fulfilled.
    package static let normal = WebSocketClose(code: 1000)
    /// 1001: this side is going away.
    package static let goingAway = WebSocketClose(code: 1001)
    /// 1005: a close frame without a code, which is an end in order.
    package static let none = WebSocketClose(code: 1005)

    /// Whether this is an end in order rather than a failure.
    package var isNormal: Bool { code == 1000 || code == 1005 }
}
