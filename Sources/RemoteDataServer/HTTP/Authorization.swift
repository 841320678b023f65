/// Who may ask: whoever knows the token, or without one everybody on this machine who is not a foreign web
/// page.
struct Authorization: Sendable {
    private let token: [UInt8]?

    /// Takes the token; nil for a server that only this machine can reach.
    init(token: String?) { self.token = token.map { Array($0.utf8) } }

    /// Why a request must not be answered; nil when it may.
    ///
    /// - Complexity: As long for a wrong token as for the right one, so that guessing learns nothing.
    func refusal(of head: HTTPRequestHead) -> HTTPRefusal? {
        guard let token else { return Self.isFromForeignPage(head) ? Self.foreign : nil }
        let isKnown = Self.candidates(head).reduce(false) { Self.areSame(Array($1.utf8), token) || $0 }
        return isKnown ? nil : Self.unauthorized
    }

    private static func candidates(_ head: HTTPRequestHead) -> [String] {
        let scheme = "bearer "
        let bearer = head["authorization"].flatMap { value in
            value.lowercased().hasPrefix(scheme) ? value.dropFirst(scheme.count).trimming : nil
        }
        return [bearer, head["user-token"]].compactMap(\.self)
    }

    private static func areSame(_ candidate: [UInt8], _ token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference: UInt8 = candidate.count == token.count ? 0 : 1
        for index in candidate.indices { difference |= candidate[index] ^ token[index % token.count] }
        return difference == 0
    }

    /// Whether a browser sends this for a page from elsewhere.
    ///
    /// Such a page names its origin, or its own name was made to point at this machine (DNS rebinding).
    /// Without this, any web page could write to a server without a token.
    private static func isFromForeignPage(_ head: HTTPRequestHead) -> Bool {
        let host = head["host"]?.lowercased() ?? "localhost"
        guard isLoopback(hostAndPort: host) else { return true }
        guard let origin = head["origin"]?.lowercased() else { return false }
        return origin != "http://" + host && origin != "https://" + host
    }

    private static func isLoopback(hostAndPort text: String) -> Bool {
        if text.hasPrefix("[") { return text.hasPrefix("[::1]") }
        return ListenAddress.isLoopback(String(text.prefix { $0 != ":" }))
    }

    private static let unauthorized = HTTPRefusal(
        401,
        3064,
        "This server asks for a token: Authorization: Bearer <token>.",
        fields: [HTTPField(name: "WWW-Authenticate", value: "Bearer")]
    )

    private static let foreign = HTTPRefusal(
        403,
        1403,
        "A server without a token answers only to localhost, and to no web page of another origin."
    )
}
