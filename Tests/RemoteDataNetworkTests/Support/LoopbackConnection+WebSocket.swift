import Foundation

/// A frame as it travels (RFC 6455, section 5.2), the mask taken off.
struct LoopbackFrame: Sendable, Equatable {
    var isFinal = true
    var opcode: UInt8
    var payload: [UInt8]

    static let continuation: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10

    /// The code of a close frame.
    var closeCode: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }
}

extension LoopbackConnection {
    /// Reads the handshake and accepts it.
    @discardableResult
    func acceptWebSocket(subprotocol: String? = nil) throws -> LoopbackRequest {
        guard let request = try readRequest(), let key = request.header("Sec-WebSocket-Key") else {
            throw Ended()
        }
        try write(Self.upgrade(key, subprotocol: subprotocol))
        return request
    }

    /// The answer that accepts a handshake.
    static func upgrade(_ key: String, subprotocol: String? = nil) -> String {
        let digest = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let accept = Data(digest).base64EncodedString()
        let chosen = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\(chosen)\r\n"
    }

    static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ..<65_536: bytes += [126] + Self.bigEndian(payload.count, 2)
        default: bytes += [127] + Self.bigEndian(payload.count, 8)
        }
        return bytes + payload
    }

    func sendFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) throws {
        try write(Self.frame(opcode, payload, isFinal: isFinal))
    }

    func sendText(_ text: String) throws { try sendFrame(LoopbackFrame.text, Array(text.utf8)) }

    func sendClose(_ code: Int, _ reason: String = "") throws {
        try sendFrame(LoopbackFrame.close, Self.bigEndian(code, 2) + Array(reason.utf8))
    }

    func readFrame() throws -> LoopbackFrame {
        let head = try read(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 {
            length = Self.number(try read(2))
        } else if length == 127 {
            length = Self.number(try read(8))
        }
        let mask = head[1] & 0x80 == 0 ? [0, 0, 0, 0] : try read(4)
        var payload = try read(length)
        payload.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices { bytes[index] ^= mask[index & 3] }
        }
        return LoopbackFrame(isFinal: head[0] & 0x80 != 0, opcode: head[0] & 0x0F, payload: payload)
    }

    /// Reads a whole message from its fragments; pings in between are answered.
    func readMessage() throws -> LoopbackFrame {
        var message: LoopbackFrame?
        while true {
            let frame = try readFrame()
            if frame.opcode == LoopbackFrame.ping {
                try sendFrame(LoopbackFrame.pong, frame.payload)
                continue
            }
            if frame.opcode >= LoopbackFrame.close { return frame }
            message = LoopbackFrame(
                isFinal: frame.isFinal,
                opcode: message?.opcode ?? frame.opcode,
                payload: (message?.payload ?? []) + frame.payload
            )
            if let message, frame.isFinal { return message }
        }
    }

    private static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

/// SHA-1 (RFC 3174), which a WebSocket handshake needs.
enum SHA1 {
    static func hash(_ input: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var bytes = input + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: (input.count * 8) >> (56 - 8 * $0)) }
        for block in stride(from: 0, to: bytes.count, by: 64) {
            mix(bytes[block..<(block + 64)], into: &state)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let start = block.startIndex
        var w = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[start + word * 4 + $1]) }
        }
        for i in 16..<80 { w.append(rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1)) }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for i in 0..<80 {
            let (f, k): (UInt32, UInt32) =
                switch i {
                case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (rotate(a, 5) &+ f &+ e &+ k &+ w[i], a, rotate(b, 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }
}
