/// One HTTP request.
package struct HTTPRequest: Sendable, Hashable {
    /// The method, such as `GET`, in capitals.
    package var method: String
    /// The absolute URL, percent-encoded, `http` or `https`.
    package var url: String
    /// The header fields; `Host`, `Content-Length`, `Accept-Encoding` and `Connection` are added by the
    /// transport.
    package var headers: HTTPHeaders
    /// The body, or nil for none.
    package var body: [UInt8]?
    /// How long to wait for what.
    package var timeouts: HTTPTimeouts
    /// The most bytes an answer may have, uncompressed; more is refused with `tooLarge` while it arrives.
    package var bodyLimit: Int
    /// Whether sending the request twice does the same as sending it once, although its method does not say
    /// so.
    ///
    /// A `POST` that only reads is one.
    package var isIdempotent: Bool
    /// What the sender calls the request, for observers; it is not sent.
    package var number = 0

    /// Creates a request.
    package init(
        _ method: String,
        _ url: String,
        headers: HTTPHeaders = [:],
        body: [UInt8]? = nil,
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        bodyLimit: Int = 64 << 20,
        isIdempotent: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.bodyLimit = bodyLimit
        self.isIdempotent = isIdempotent
    }

    /// Whether the request only reads: `GET`, `HEAD`, or marked as ``isIdempotent``.
    package var isRead: Bool { method == "GET" || method == "HEAD" || isIdempotent }

    /// Whether the request may be sent again when nobody knows if the first time was heard.
    ///
    /// Reads may, and writes that carry an `Idempotency-Key`.
    package var isRepeatable: Bool { isRead || headers["Idempotency-Key"] != nil }
}

/// How long to wait for what; nil waits for ever.
package struct HTTPTimeouts: Sendable, Hashable {
    /// For the name look-up, the connection and TLS together.
    package var connect: Duration
    /// While no byte moves in either direction, an answer that does not begin included.
    package var stall: Duration
    /// For everything, from sending to the last byte, redirects included.
    package var total: Duration?

    /// Creates timeouts.
    package init(connect: Duration = .seconds(10), stall: Duration = .seconds(30), total: Duration? = nil) {
        self.connect = connect
        self.stall = stall
        self.total = total
    }
}
