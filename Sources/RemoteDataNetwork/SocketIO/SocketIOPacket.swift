/// A packet of Socket.IO (socket.io-protocol, versions 4 and 5), without its attachments.
struct SocketIOPacket: Sendable, Hashable {
    /// What a packet is for; types that are not known are passed over.
    enum Kind: UInt8, Sendable {
        case connect = 0x30
        case disconnect
        case event
        case acknowledgement
        case connectError
        case binaryEvent
        case binaryAcknowledgement
    }

    var kind: Kind
    /// Begins with a slash; without the query that older servers repeat.
    var namespace = "/"
    /// JSON; empty for none.
    var payload: [UInt8] = []

    init(_ kind: Kind, namespace: String = "/", payload: [UInt8] = []) {
        (self.kind, self.namespace, self.payload) = (kind, namespace, payload)
    }

    /// Reads `<type>[<attachments>-][<namespace>,][<ack id>]<JSON>`; nil when it is not that.
    ///
    /// A namespace ends with a comma or with the packet: python-socketio 4 leaves the comma out.
    init?(_ bytes: [UInt8]) {
        guard let first = bytes.first, let kind = Kind(rawValue: first) else { return nil }
        self.kind = kind
        var rest = bytes.dropFirst()
        if kind == .binaryEvent || kind == .binaryAcknowledgement {
            guard let dash = rest.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            rest = rest[(dash + 1)...]
        }
        if rest.first == UInt8(ascii: "/") {
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            namespace = String(decoding: rest[..<end].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        if kind == .event || kind == .acknowledgement || kind == .binaryEvent {
            rest = rest.drop { 0x30...0x39 ~= $0 }
        }
        payload = Array(rest)
    }

    /// The packet as the message of an Engine.IO connection.
    func text(query: String = "") -> [UInt8] {
        var text = [UInt8(ascii: "4"), kind.rawValue]
        if namespace != "/" || !query.isEmpty {
            text += Array(namespace.utf8)
            if !query.isEmpty { text += Array("?\(query)".utf8) }
            text.append(UInt8(ascii: ","))
        }
        return text + payload
    }
}
