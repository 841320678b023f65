/// A request that is answered without asking a table: what is wrong, as status, code and message.
struct HTTPRefusal: Error, Sendable, Equatable {
    let status: Int
    let code: Int
    let message: String
    /// Fields for the answer, such as `Allow`.
    var fields: [HTTPField] = []

    init(_ status: Int, _ code: Int, _ message: String, fields: [HTTPField] = []) {
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
    }

    /// A request that cannot be read.
    static func unreadable(_ message: String) -> HTTPRefusal { HTTPRefusal(400, 1000, message) }

    /// A connection more than the server takes.
    static let tooManyConnections = HTTPRefusal(
        429,
        1429,
        "There are too many connections.",
        fields: [HTTPField(name: "Retry-After", value: "1")]
    )

    /// A guest's connection more than the server takes from one address.
    static let tooManyFromOneAddress = HTTPRefusal(
        429,
        1429,
        "There are too many connections without a token from this address.",
        fields: tooManyConnections.fields
    )

    /// The answer that tells it.
    var answer: HTTPAnswer {
        HTTPAnswer(status, fields: fields, body: ErrorBody(code: code, message: message).json)
    }
}

/// The body of every answer that is an error.
struct ErrorBody: Sendable, Equatable {
    let code: Int
    let message: String
    var position: Int?
    var row: ArraySlice<UInt8>?

    /// One JSON object.
    var json: [UInt8] {
        var text = JSONText()
        text.member("code", code)
        text.member("message", message)
        if let position { text.member("position", position) }
        if let row { text.member("row", json: row) }
        return text.closed
    }
}
