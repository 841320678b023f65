/// One whole message of a WebSocket.
package struct WebSocketMessage: Sendable, Hashable {
    /// Whether the message is text, which is valid UTF-8; otherwise it is binary.
    package let isText: Bool
    /// The payload.
    package let bytes: [UInt8]

    /// Creates a message from its payload; that of text must be valid UTF-8.
    package init(isText: Bool, bytes: [UInt8]) {
        self.isText = isText
        self.bytes = bytes
    }

    /// A text message.
    package static func text(_ text: String) -> WebSocketMessage {
        WebSocketMessage(isText: true, bytes: Array(text.utf8))
    }

    /// A binary message.
    package static func binary(_ bytes: [UInt8]) -> WebSocketMessage {
        WebSocketMessage(isText: false, bytes: bytes)
    }

    /// The payload as text, in O(n); bytes of a binary message that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
