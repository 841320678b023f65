/// One HTTP request, read whole.
struct HTTPRequest: Sendable, Equatable {
    let head: HTTPRequestHead
    var body: ArraySlice<UInt8> = []
}

/// A request without its body.
struct HTTPRequestHead: Sendable, Equatable {
    /// The method, in the case it came in.
    let method: String
    /// What was asked for: path and query as sent, still percent-encoded.
    let target: String
    /// Whether the version is 1.1 or a later 1.x, not 1.0.
    let isVersion11: Bool
    /// The fields in their order; names in lower case.
    let fields: [HTTPField]
    /// What follows the head.
    let framing: HTTPBodyFraming

    init(
        method: String,
        target: String,
        isVersion11: Bool = true,
        fields: [HTTPField] = [],
        framing: HTTPBodyFraming = .none
    ) {
        self.method = method
        self.target = target
        self.isVersion11 = isVersion11
        self.fields = fields
        self.framing = framing
    }

    /// The value of a field by its name in lower case; the first one where there are many.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The elements of a comma-separated list field, over all its lines, in lower case.
    func tokens(of name: String) -> [String] {
        fields.filter { $0.name == name }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.trimming.lowercased() }
            .filter { !$0.isEmpty }
    }

    /// Whether the connection can carry another request after this one (RFC 9112, 9.3); never for HTTP/1.0.
    var keepsAlive: Bool { isVersion11 && !tokens(of: "connection").contains("close") }

    /// Whether the client waits for permission to send the body.
    var expectsContinue: Bool { isVersion11 && tokens(of: "expect").contains("100-continue") }
}

/// One line of a head.
struct HTTPField: Sendable, Equatable {
    let name: String
    let value: String
}

/// How long a body is (RFC 9112, 6).
enum HTTPBodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
}

extension StringProtocol where SubSequence == Substring {
    /// The text without the spaces and tabs around it.
    var trimming: String {
        var part = self[...]
        while let first = part.utf8.first, first == 0x20 || first == 0x09 { part = part.dropFirst() }
        while let last = part.last, last == " " || last == "\t" { part = part.dropLast() }
        return String(part)
    }
}
