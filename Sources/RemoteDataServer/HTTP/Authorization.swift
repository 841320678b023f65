import RemoteData

/// Who may ask, and as whom: whoever knows the server's token, which sees everything, or that of a user; without either everybody
/// on this machine who is not a foreign web page, and where there are users, guests.
struct Authorization: Sendable {
    private let token: [UInt8]?
    private let members: [(token: [UInt8], caller: Caller)]
    /// Whoever sends no token, where there are users; nil where they are refused.
    private let guest: Caller?
    /// Whether there are users, and so answers that are not for everybody.
    let hasUsers: Bool
    private let isLocal: Bool

    /// Takes the tokens.
    ///
    /// - Parameters:
    ///   - token: The one that sees everything; nil for none, and then, without users, for a server that only this machine can
    ///     reach.
    ///   - users: Those who see a part.
    ///   - isLocal: Whether only this machine can reach the server.
    init(token: String?, users: TableServer.Users? = nil, isLocal: Bool = true) {
        self.token = token.map { Array($0.utf8) }
        self.isLocal = isLocal
        hasUsers = users != nil
        let newRows = users?.newRows ?? DefaultACL.none
        members = (users?.members ?? [])
            .map { (Array($0.token.utf8), Caller(user: $0.user, newRows: newRows, mayWrite: true)) }
        guest = users.flatMap { users in
            users.guests == .none
                ? nil : Caller(user: .nobody, newRows: .none, mayWrite: users.guests == .write)
        }
    }

    /// Who sends a request.
    ///
    /// - Throws: ``HTTPRefusal`` when it must not be answered.
    /// - Complexity: O(users); as long for a wrong token as for the right one, so that guessing learns
    ///   nothing.
    func caller(of head: HTTPRequestHead) throws(HTTPRefusal) -> Caller {
        let candidates = Self.candidates(head).map { Array($0.utf8) }
        var found: Caller?
        for candidate in candidates {
            for member in members where Self.areSame(candidate, member.token) {
                found = found ?? member.caller
            }
        }
        if let token, candidates.reduce(false, { Self.areSame($1, token) || $0 }) { found = .everything }
        if let found { return found }
        guard hasUsers || token == nil else { throw Self.unauthorized }
        if hasUsers {
            let namesSomebody = head["authorization"] != nil || head["user-token"] != nil
            guard !namesSomebody, let guest else { throw Self.unauthorized }
            try refuseForeignPages(head)
            return guest
        }
        try refuseForeignPages(head)
        return .everything
    }

    private static func candidates(_ head: HTTPRequestHead) -> [String] {
        let scheme = "bearer "
        let bearer = head["authorization"].flatMap { value in
            value.asciiLowercased.hasPrefix(scheme) ? value.dropFirst(scheme.count).trimming : nil
        }
        return [bearer, head["user-token"]].compactMap(\.self)
    }

    private static func areSame(_ candidate: [UInt8], _ token: [UInt8]) -> Bool {
        guard !token.isEmpty else { return false }
        var difference: UInt8 = candidate.count == token.count ? 0 : 1
        for index in candidate.indices { difference |= candidate[index] ^ token[index % token.count] }
        return difference == 0
    }

    /// Refuses what a browser sends for a page from elsewhere.
    ///
    /// Such a page names its origin, or its own name was made to point at this machine (DNS rebinding).
    /// Without this, any web page could write where a browser's user may.
    private func refuseForeignPages(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        let host = head["host"] ?? "localhost"
        if isLocal, !Self.isLoopback(hostAndPort: host) { throw Self.foreignHost }
        guard let origin = head["origin"] else { return }
        let isOwn = [("http", ":80"), ("https", ":443")].contains { scheme, port in
            Self.isSame(origin, scheme + "://" + host, except: port)
        }
        guard isOwn else { throw Self.foreignOrigin }
    }

    /// Whether two origins are the same, either of which may name the port that it would have without.
    private static func isSame(_ first: String, _ second: String, except port: String) -> Bool {
        let (first, second) = (first.asciiLowercased, second.asciiLowercased)
        func short(_ origin: String) -> Substring {
            origin.hasSuffix(port) ? origin.dropLast(port.count) : origin[...]
        }
        return short(first) == short(second)
    }

    private static func isLoopback(hostAndPort text: String) -> Bool {
        guard text.hasPrefix("[") else {
            return ListenAddress.isLoopback(String(text[...].part(before: ":")))
        }
        let rest = text.dropFirst("[::1]".count)
        return text.hasPrefix("[::1]")
            && (rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy(\.isNumber))
    }

    static let unauthorized = HTTPRefusal(
        401,
        3064,
        "This server asks for a token: Authorization: Bearer <token>.",
        fields: [HTTPField(name: "WWW-Authenticate", value: "Bearer")]
    )

    private static let foreignHost = HTTPRefusal(
        403,
        1403,
        "Without a token, a server of this machine alone answers to no other name than localhost."
    )

    private static let foreignOrigin = HTTPRefusal(
        403,
        1403,
        "Without a token, requests of web pages from another origin are not answered."
    )
}
