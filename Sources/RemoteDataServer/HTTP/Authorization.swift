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

    /// Why a request must not be answered; nil when it may.
    ///
    /// - Complexity: O(users); as long for a wrong token as for the right one, so that guessing learns nothing.
    func refusal(of head: HTTPRequestHead) -> HTTPRefusal? {
        do throws(HTTPRefusal) {
            _ = try caller(of: head)
            return nil
        } catch { return error }
    }

    /// Who sends a request.
    ///
    /// - Throws: ``HTTPRefusal`` when it must not be answered.
    /// - Complexity: O(users).
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
            if isLocal, Self.isFromForeignPage(head) { throw Self.foreign }
            return guest
        }
        if Self.isFromForeignPage(head) { throw Self.foreign }
        return .everything
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
        let named = head["host"] ?? "localhost"
        guard isLoopback(hostAndPort: named) else { return true }
        guard let origin = head["origin"]?.lowercased() else { return false }
        let host = named.lowercased()
        return origin != "http://" + host && origin != "https://" + host
    }

    private static func isLoopback(hostAndPort text: String) -> Bool {
        if text.hasPrefix("[") { return text.hasPrefix("[::1]") }
        return ListenAddress.isLoopback(String(text[...].part(before: ":")))
    }

    static let unauthorized = HTTPRefusal(
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
