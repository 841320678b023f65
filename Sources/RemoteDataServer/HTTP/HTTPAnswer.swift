/// What is sent for a request.
struct HTTPAnswer: Sendable, Equatable {
    /// The status code.
    var status: Int
    /// Fields besides those that every answer has.
    var fields: [HTTPField] = []
    /// The body: JSON, or nothing.
    var body: [UInt8] = []
    /// Whether the connection cannot be used any further.
    var closes = false
    /// What failed, for the log of the server.
    var problem: String?
    /// The room it takes until it is sent.
    var share: AnswerRoom.Share?

    /// An answer with a JSON body.
    init(_ status: Int, fields: [HTTPField] = [], body: [UInt8] = [], closes: Bool = false) {
        self.status = status
        self.fields = fields
        self.body = body
        self.closes = closes
    }

    /// Whether both are the same on the wire.
    static func == (left: HTTPAnswer, right: HTTPAnswer) -> Bool {
        left.status == right.status && left.fields == right.fields && left.body == right.body
            && left.closes == right.closes
    }

    /// The answer with another field.
    func with(_ name: String, _ value: String) -> HTTPAnswer {
        var answer = self
        answer.fields.append(HTTPField(name: name, value: value))
        return answer
    }

    /// The answer as it goes over the wire.
    ///
    /// - Parameters:
    ///   - withoutBody: Whether it answers a `HEAD`: everything but the body itself.
    ///   - closing: Whether the connection ends after it.
    ///   - date: The time as HTTP writes it.
    /// - Returns: The bytes, in one buffer.
    func serialized(withoutBody: Bool, closing: Bool, date: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + (withoutBody ? 0 : body.count))
        func add(_ texts: String...) { for text in texts { bytes += text.utf8 } }
        add("HTTP/1.1 ", String(status), " ", Self.reason(status), "\r\nDate: ", date)
        // That of what was not changed would be the length of the row.
        if status != 304 { add("\r\nContent-Length: ", String(body.count)) }
        if !body.isEmpty { add("\r\nContent-Type: application/json") }
        for field in fields { add("\r\n", field.name, ": ", field.value) }
        if closing { add("\r\nConnection: close") }
        add("\r\n\r\n")
        if !withoutBody { bytes += body }
        return bytes
    }

    /// Tells the client to send its body.
    static let continuation = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        default: "Unknown"
        }
    }
}
