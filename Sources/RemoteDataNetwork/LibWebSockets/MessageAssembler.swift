/// Puts a message together from the pieces that arrive, and refuses what must not be accepted.
struct MessageAssembler {
    enum Step: Equatable {
        case more
        case message(WebSocketMessage)
        case fail(WebSocketClose)
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    private var isText = true

    /// How much memory a frame may be given before it has come.
    private static let reserveLimit = 1 << 20

    init(limit: Int) { self.limit = limit }

    /// Takes the next bytes of a frame.
    ///
    /// `isFirst` and `isLast` say whether they begin and end a message, `rest` how many bytes of the frame
    /// are to come.
    mutating func take(
        _ piece: UnsafeRawBufferPointer,
        isFirst: Bool,
        isLast: Bool,
        isText: Bool,
        rest: Int
    ) -> Step {
        if isFirst {
            bytes = []
            self.isText = isText
        }
        guard piece.count + rest <= limit - bytes.count else {
            bytes = []
            return .fail(WebSocketClose(code: 1009, reason: "a message is larger than \(limit) bytes"))
        }
        if rest == 0, bytes.isEmpty {
            bytes = Array(piece)
        } else {
            if rest > 0 { bytes.reserveCapacity(bytes.count + piece.count + min(rest, Self.reserveLimit)) }
            bytes.append(contentsOf: piece)
        }
        guard isLast else { return .more }
        let message = WebSocketMessage(isText: self.isText, bytes: bytes)
        bytes = []
        guard !message.isText || (try? UTF8Span(validating: message.bytes.span)) != nil else {
            return .fail(WebSocketClose(code: 1007, reason: "a text message is not UTF-8"))
        }
        return .message(message)
    }
}
