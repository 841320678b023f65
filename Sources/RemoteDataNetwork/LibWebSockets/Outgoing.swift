import RemoteDataExecution
import CLibWebSockets

/// A message on its way out, with the room in front of it that libwebsockets writes frame headers to.
struct Outgoing {
    let id: Int
    let handoff: Handoff<Void, NetworkError>
    private let isText: Bool
    private var buffer: [UInt8]
    private var sent = 0

    /// Longer messages travel in fragments of this size, so that pings and the closing handshake are not
    /// held up.
    private static let fragment = 64 << 10
    private static let room = Int(clws_pre)

    init(_ message: WebSocketMessage, id: Int) {
        self.id = id
        handoff = Handoff()
        isText = message.isText
        buffer = []
        buffer.reserveCapacity(Self.room + message.bytes.count)
        buffer.append(contentsOf: repeatElement(0, count: Self.room))
        buffer.append(contentsOf: message.bytes)
    }

    var count: Int { buffer.count - Self.room }

    /// Writes the next fragment; nil when the socket cannot take it, otherwise whether it was the last.
    ///
    /// libwebsockets masks the payload where it is, and writes the header over what was sent before.
    mutating func write(to wsi: OpaquePointer) -> Bool? {
        let size = min(Self.fragment, count - sent)
        let isLast = sent + size == count
        let kind = isText ? LWS_WRITE_TEXT : LWS_WRITE_BINARY
        let flags = lws_write_ws_flags(Int32(kind.rawValue), sent == 0 ? 1 : 0, isLast ? 1 : 0)
        let start = Self.room + sent
        let written = buffer.withUnsafeMutableBufferPointer { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return lws_write(wsi, base + start, size, lws_write_protocol(rawValue: UInt32(flags)))
        }
        guard written >= size else { return nil }
        sent += size
        return isLast
    }
}
