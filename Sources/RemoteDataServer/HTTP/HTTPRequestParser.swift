/// Reads requests out of the bytes of a connection, one after another (RFC 9112).
///
/// libwebsockets' own reader would not do: it makes `+` a space, merges slashes, resolves dots and decodes
/// the path before anybody can tell `%2F` from `/`, knows no chunked bodies, and drops the connection where
/// an answer is due. This one is stricter than HTTP allows wherever two readers could disagree about where a
/// request ends.
struct HTTPRequestParser {
    /// What the bytes so far amount to.
    enum Event: Equatable {
        /// A head is complete and a body follows; the request comes later.
        case head(HTTPRequestHead)
        /// A request is complete.
        case request(HTTPRequest)
        /// The bytes are no request, or more than is allowed; nothing behind them can be read.
        case refusal(HTTPRefusal)
    }

    private enum State {
        case head
        case body(HTTPRequestHead, length: Int)
        case chunks(HTTPRequestHead, HTTPChunkedBody)
        case failed
    }

    private let headerLimit: Int
    private let bodyLimit: Int
    private var state = State.head
    private var buffer: [UInt8] = []
    private var position = 0
    /// Up to where the end of the head has been looked for.
    private var searched = 0

    init(headerLimit: Int, bodyLimit: Int) {
        self.headerLimit = headerLimit
        self.bodyLimit = bodyLimit
    }

    /// Whether part of a request has come in.
    var isInsideRequest: Bool {
        if case .head = state { return position < buffer.count }
        return true
    }

    /// How many bytes are kept.
    var heldBytes: Int {
        if case .chunks(_, let body) = state { return buffer.count + body.bytes.count }
        return buffer.count
    }

    /// What has come in and belongs to no request yet; it is the caller's from now on.
    mutating func takeRest() -> [UInt8] {
        defer { buffer = [] }
        return Array(buffer[position...])
    }

    /// Adds what came in.
    mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            buffer.removeFirst(position)
            searched -= position
            position = 0
        }
        buffer += bytes
    }

    /// The next thing the bytes amount to; nil when more are needed.
    mutating func next() -> Event? {
        do {
            return switch state {
            case .head: try nextHead()
            case .body(let head, let length): nextBody(head, length)
            case .chunks(let head, let body): try nextChunks(head, body)
            case .failed: nil
            }
        } catch {
            state = .failed
            buffer = []
            position = 0
            return .refusal(error)
        }
    }

    private mutating func nextHead() throws(HTTPRefusal) -> Event? {
        skipEmptyLines()
        try checkFirstByte()
        guard let end = endOfHead() else {
            if buffer.count - position > headerLimit { throw tooLong() }
            return nil
        }
        guard end - position <= headerLimit else { throw tooLong() }
        let head = try HTTPRequestHead.parse(buffer[position..<end])
        position = end
        searched = end
        switch head.framing {
        case .none: return .request(HTTPRequest(head: head))
        case .length(let length):
            guard length <= bodyLimit else { throw bodyTooLarge() }
            if length == 0 { return .request(HTTPRequest(head: head)) }
            state = .body(head, length: length)
        case .chunked: state = .chunks(head, HTTPChunkedBody(limit: bodyLimit))
        }
        return .head(head)
    }

    private mutating func nextBody(_ head: HTTPRequestHead, _ length: Int) -> Event? {
        guard buffer.count - position >= length else { return nil }
        let body = Array(buffer[position..<(position + length)])
        return finish(head, body, end: position + length)
    }

    private mutating func nextChunks(_ head: HTTPRequestHead, _ body: HTTPChunkedBody) throws(HTTPRefusal)
        -> Event?
    {
        var body = body
        // The bytes so far are in `body` alone, so that adding to them copies nothing.
        state = .failed
        switch try body.read(buffer[position...]) {
        case .incomplete(let used):
            position += used
            searched = position
            state = .chunks(head, body)
            return nil
        case .complete(let used): return finish(head, body.bytes, end: position + used)
        case .tooLarge: throw bodyTooLarge()
        }
    }

    private mutating func finish(_ head: HTTPRequestHead, _ body: [UInt8], end: Int) -> Event {
        position = end
        searched = end
        state = .head
        // A large body's room is given back.
        if position == buffer.count { (buffer, position, searched) = ([], 0, 0) }
        return .request(HTTPRequest(head: head, body: body[...]))
    }

    /// A server ignores at least one empty line in front of a request (RFC 9112, 2.2).
    private mutating func skipEmptyLines() {
        while buffer.count - position >= 2, buffer[position] == 0x0D, buffer[position + 1] == 0x0A {
            position += 2
        }
        searched = max(searched, position)
    }

    /// Refuses at once what can begin no request, such as a TLS handshake, which would wait for an answer.
    private func checkFirstByte() throws(HTTPRefusal) {
        guard position < buffer.count, buffer[position] != 0x0D else { return }
        let byte = buffer[position]
        guard byte != 0x16 else {
            throw .unreadable("This server speaks HTTP without TLS: ask it by http:// instead of https://.")
        }
        guard HTTPRequestHead.isTokenByte(byte) else { throw .unreadable("This is not an HTTP request.") }
    }

    /// The position behind the empty line that ends a head.
    private mutating func endOfHead() -> Int? {
        var index = max(searched, position + 3)
        while index < buffer.count {
            if buffer[index] == 0x0A, buffer[index - 1] == 0x0D, buffer[index - 2] == 0x0A,
                buffer[index - 3] == 0x0D
            {
                return index + 1
            }
            index += 1
        }
        searched = index
        return nil
    }

    private func tooLong() -> HTTPRefusal {
        let hasLine = buffer[position...].prefix(headerLimit).contains(0x0A)
        return hasLine
            ? HTTPRefusal(431, 1431, "The header has more than \(headerLimit) bytes.")
            : HTTPRefusal(
                414,
                1431,
                "The request line has more than \(headerLimit) bytes; POST .../find takes the same in a body."
            )
    }

    private func bodyTooLarge() -> HTTPRefusal {
        HTTPRefusal(
            413,
            1413,
            "The body has more than \(bodyLimit) bytes; send the rows in several requests."
        )
    }
}
