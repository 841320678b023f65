import Foundation

/// Joins a namespace once the WebSocket is open.
struct SocketIOHandshake: Sendable {
    /// What follows a packet.
    enum Step: Sendable {
        case send([UInt8])
        case wait
        case joined
        case refused(NetworkError)
    }

    private let request: SocketIORequest
    private let version: EngineIOVersion
    /// What the server said first.
    private(set) var opening: EngineIOOpening?

    init(_ request: SocketIORequest, _ version: EngineIOVersion) {
        (self.request, self.version) = (request, version)
    }

    /// A packet came.
    mutating func take(_ packet: EngineIOPacket) -> Step {
        switch packet {
        case .open(let opening):
            self.opening = opening
            // Who speaks version 3 is in the default namespace without asking.
            return version == .three && request.namespace == "/" ? .wait : .send(joining)
        case .ping(let payload): return .send([UInt8(ascii: "3")] + payload)
        case .message(let bytes):
            guard let packet = SocketIOPacket(bytes), packet.namespace == request.namespace else {
                return .wait
            }
            switch packet.kind {
            case .connect: return .joined
            case .connectError, .disconnect: return .refused(refusal(packet))
            default: return .wait
            }
        case .close: return .refused(NetworkError(.closed, "The server closed the connection."))
        case .pong, .attachment, .other: return .wait
        }
    }

    private var joining: [UInt8] {
        var packet = SocketIOPacket(.connect, namespace: request.namespace)
        if version == .four { packet.payload = request.credentials }
        let isLocal = version == .three && request.namespace != "/"
        return packet.text(query: isLocal ? request.query : "")
    }

    /// The server's words: text, or an object with a message.
    private func refusal(_ packet: SocketIOPacket) -> NetworkError {
        let said = try? JSONDecoder().decode(Refusal.self, from: Data(packet.payload))
        let words = said.map { ": \($0.message)" } ?? "."
        return NetworkError(.refused, "The server refuses the namespace \(request.namespace)\(words)")
    }

    private struct Refusal: Decodable {
        let message: String

        private enum Keys: CodingKey { case message }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                message = text
            } else {
                message = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .message)
            }
        }
    }
}
