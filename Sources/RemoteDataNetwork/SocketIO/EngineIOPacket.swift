import Foundation

/// A packet of Engine.IO as a WebSocket carries it (engine.io-protocol, versions 3 and 4).
enum EngineIOPacket: Sendable, Hashable {
    case open(EngineIOOpening)
    case close
    case ping([UInt8])
    case pong([UInt8])
    /// A packet of Socket.IO.
    case message([UInt8])
    /// Bytes that belong to an earlier message.
    case attachment
    /// One that says nothing to a WebSocket: an upgrade, or of a type not known.
    case other

    /// Reads a message; nil when it is none of the protocol.
    init?(_ message: WebSocketMessage) {
        guard message.isText else {
            self = .attachment
            return
        }
        let payload = Array(message.bytes.dropFirst())
        switch message.bytes.first {
        case UInt8(ascii: "0"):
            guard let opening = try? JSONDecoder().decode(EngineIOOpening.self, from: Data(payload)) else {
                return nil
            }
            self = .open(opening)
        case UInt8(ascii: "1"): self = .close
        case UInt8(ascii: "2"): self = .ping(payload)
        case UInt8(ascii: "3"): self = .pong(payload)
        case UInt8(ascii: "4"): self = .message(payload)
        case let digit? where 0x30...0x39 ~= digit: self = .other
        default: return nil
        }
    }
}

/// What a server says when a connection is open.
struct EngineIOOpening: Sendable, Hashable, Decodable {
    let sid: String
    /// Milliseconds.
    let pingInterval: Int
    /// Milliseconds.
    let pingTimeout: Int
}
