/// One HTTP request, read whole.
struct HTTPRequest: Sendable, Equatable {
    let head: HTTPRequestHead
    var body: ArraySlice<UInt8> = []
}

extension HTTPRequest {
    /// Refuses a body that says it is something else than JSON, as what a browser sends for a form of any
    /// page does.
    func checkContentType() throws(HTTPRefusal) {
        guard !body.isEmpty, let type = head["content-type"] else { return }
        let parts = type.asciiLowercased.split(separator: ";", omittingEmptySubsequences: false).map(
            \.trimming
        )
        let isJSON =
            parts[0] == "application/json"
            || parts[0].hasPrefix("application/") && parts[0].hasSuffix("+json")
        let isUTF8 = parts.dropFirst().allSatisfy { part in
            !part.hasPrefix("charset=")
                || ["utf-8", "\"utf-8\"", "us-ascii"].contains(part.dropFirst("charset=".count))
        }
        guard isJSON, isUTF8 else {
            throw HTTPRefusal(
                415,
                1415,
                "Bodies are JSON in UTF-8: Content-Type: application/json, not \(type)."
            )
        }
    }
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
            .map { $0.trimming.asciiLowercased }
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
    /// The text with the letters A to Z small, and no other: some letters beyond ASCII have small ones in it.
    var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// The text without the spaces and tabs around it.
    var trimming: String {
        var part = self[...].utf8
        while let first = part.first, first == 0x20 || first == 0x09 { part.removeFirst() }
        while let last = part.last, last == 0x20 || last == 0x09 { part.removeLast() }
        return String(Substring(part))
    }
}

extension Substring {
    /// The parts between bytes that are a separator, none of which is left out.
    func parts(between separator: Unicode.Scalar, most: Int = .max) -> [Substring] {
        utf8.split(
            separator: UInt8(ascii: separator),
            maxSplits: most - 1,
            omittingEmptySubsequences: false
        )
        .map { Substring($0) }
    }

    /// What comes before the first byte of a kind; all of it where there is none.
    func part(before separator: Unicode.Scalar) -> Substring {
        Substring(utf8.prefix { $0 != UInt8(ascii: separator) })
    }
}
