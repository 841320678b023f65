import Foundation

extension TestConnection {
    /// Opens a WebSocket for changes.
    convenience init(socketAt port: Int, fields: [String: String] = [:], receiveBuffer: Int32? = nil) throws {
        try self.init(port: port, receiveBuffer: receiveBuffer)
        try send(Self.handshake(fields))
        let head = try take(through: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Failure(description: "no WebSocket: \(head)") }
    }

    static func handshake(_ fields: [String: String] = [:]) -> String {
        request("GET", "/api/changes", fields: handshakeFields.merging(fields) { $1 })
    }

    static let handshakeFields = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "table-changes.v1",
    ]

    /// Sends a frame, masked as a client's are.
    func sendFrame(_ payload: [UInt8], opcode: UInt8 = 1, isLast: Bool = true) throws {
        var bytes: [UInt8] = [(isLast ? 0x80 : 0) | opcode]
        switch payload.count {
        case 0..<126: bytes.append(0x80 | UInt8(payload.count))
        case 126..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [0x80 | 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        bytes += mask
        bytes += payload.enumerated().map { $1 ^ mask[$0 % 4] }
        try send(bytes)
    }

    func say(_ text: String) throws { try sendFrame(Array(text.utf8)) }

    /// One frame as it came.
    func frame() throws -> (opcode: UInt8, isLast: Bool, payload: [UInt8]) {
        let head = try take(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 { length = try take(2).reduce(0) { $0 << 8 | Int($1) } }
        if length == 127 { length = try take(8).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0] & 0x0F, head[0] & 0x80 != 0, try take(length))
    }

    /// The next message, put together; pings are passed over.
    func message() throws -> [UInt8] {
        var payload: [UInt8] = []
        while true {
            let frame = try frame()
            switch frame.opcode {
            case 0, 1:
                payload += frame.payload
                if frame.isLast { return payload }
            case 9: continue
            default: throw Failure(description: "frame \(frame.opcode): \(frame.payload)")
            }
        }
    }

    /// The next message as JSON with sorted members, so that it can be compared.
    func hear() throws -> String { try Self.sorted(try message()) }

    /// The next message of a type, those before it passed over.
    func hear(type: String) throws -> String {
        while true {
            let text = try hear()
            if text.contains("\"type\":\"\(type)\"") { return text }
        }
    }

    static func sorted(_ json: [UInt8]) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(json))
        let data = try JSONSerialization.data(
            withJSONObject: object,
            options: [.sortedKeys, .withoutEscapingSlashes]
        )
        return String(decoding: data, as: UTF8.self)
    }

    /// The code with which the server closes.
    func closeCode() throws -> Int {
        while true {
            let frame = try frame()
            if frame.opcode == 8 { return frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
        }
    }
}
