/// The answer to an ``HTTPRequest``.
package struct HTTPResponse: Sendable, Hashable {
    /// The status code, such as 200.
    package var status: Int
    /// The header fields of the final answer, after redirects.
    package var headers: HTTPHeaders
    /// The body, uncompressed, in one piece.
    package var body: [UInt8]
    /// The URL that answered, which differs from the request's after a redirect.
    package var url: String
    /// The protocol version, such as `HTTP/1.1` or `HTTP/2`.
    package var version: String
    /// How often the request was sent, the attempt that was answered included.
    package var attempts = 1

    /// Creates an answer.
    package init(
        status: Int,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        url: String = "",
        version: String = "HTTP/1.1"
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.version = version
    }

    /// Whether the status is one of success, 200 to 299.
    package var isSuccess: Bool { 200..<300 ~= status }
}
