/// One whole message of a WebSocket.
package struct WebSocketMessage: Sendable, Hashable {
    /// Whether the message is text, which is valid UTF-8; otherwise it is binary.
    package let isText: Bool
    /// What the payload is a part of: small messages that came together share their memory.
    package let memory: [UInt8]
    /// Where in it the payload is.
    package let range: Range<Int>

    /// The payload.
    package var bytes: ArraySlice<UInt8> { memory[range] }

    /// Creates a message from its payload; that of text must be valid UTF-8.
    package init(isText: Bool, bytes: [UInt8]) { self.init(isText: isText, bytes, bytes.indices) }

    /// Creates a message whose payload is a part of some bytes.
    package init(isText: Bool, _ memory: [UInt8], _ range: Range<Int>) {
        (self.isText, self.memory, self.range) = (isText, memory, range)
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

    /// Whether two messages have the same payload of the same kind.
    package static func == (left: WebSocketMessage, right: WebSocketMessage) -> Bool {
        left.isText == right.isText && left.bytes == right.bytes
    }

    /// Hashes the kind and the payload.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(isText)
        hasher.combine(bytes)
    }
}
