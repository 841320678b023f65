import Foundation

/// A request to go on as a WebSocket (RFC 6455, 4.2).
struct WebSocketUpgrade: Sendable, Equatable {
    /// The client's key.
    let key: String
    /// Who asks; nobody is let in without.
    var caller: Caller?

    /// The one subprotocol this server speaks.
    static let subprotocol = "table-changes.v1"

    /// Whether a request asks for a WebSocket at all.
    static func isAsked(by head: HTTPRequestHead) -> Bool { head.tokens(of: "upgrade").contains("websocket") }

    /// Reads the request.
    ///
    /// - Throws: ``HTTPRefusal`` when it cannot be granted.
    init(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        guard Self.isAsked(by: head), head.tokens(of: "connection").contains("upgrade") else {
            throw HTTPRefusal(426, 1426, "Changes come over a WebSocket.", fields: Self.upgradeFields)
        }
        guard head.method == "GET", head.isVersion11, head.framing == .none else {
            throw .unreadable("A WebSocket is opened by a GET of HTTP/1.1 without a body.")
        }
        guard head["sec-websocket-version"] == "13" else {
            throw HTTPRefusal(426, 1426, "The WebSocket's version has to be 13.", fields: Self.upgradeFields)
        }
        guard let key = head["sec-websocket-key"], Data(base64Encoded: key)?.count == 16 else {
            throw .unreadable("The Sec-WebSocket-Key is not 16 bytes in base64.")
        }
        guard head.tokens(of: "sec-websocket-protocol").contains(Self.subprotocol) else {
            throw .unreadable("The WebSocket has to offer the subprotocol \(Self.subprotocol).")
        }
        self.key = key
    }

    private static let upgradeFields = [
        HTTPField(name: "Upgrade", value: "websocket"),
        HTTPField(name: "Connection", value: "Upgrade"),
        HTTPField(name: "Sec-WebSocket-Version", value: "13"),
    ]

    /// The same request with only what the WebSocket library needs, to be read by it.
    var canonicalRequest: [UInt8] {
        let lines = [
            "GET /api/changes HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: \(Self.subprotocol)",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
