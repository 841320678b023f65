/// Why credentials are asked for.
package enum CredentialsReason: Sendable, Hashable {
    /// They are needed, and were not asked for yet.
    case needed
    /// The server answered 401 to the ones it was given: fetch new ones.
    case rejected
}

/// Gives the current credentials, such as a token, or nil for none.
///
/// Asked before the first request, and again after a 401; the answer is kept in between. Concurrent
/// requests ask once together. May suspend, and runs on the library's own threads.
package typealias CredentialsProvider = @Sendable (CredentialsReason) async throws -> String?

/// How credentials travel in a request.
package struct CredentialsPlacement: Sendable {
    private let place: @Sendable (String, inout HTTPHeaders) -> Void

    /// Creates a placement; mark the header it sets as sensitive.
    package init(_ place: @escaping @Sendable (_ token: String, _ headers: inout HTTPHeaders) -> Void) {
        self.place = place
    }

    /// `Authorization: Bearer <token>` (RFC 6750).
    package static let bearer = CredentialsPlacement {
        $1.set("Authorization", "Bearer \($0)", isSensitive: true)
    }

    /// The bare token as the value of a header.
    package static func header(_ name: String) -> CredentialsPlacement {
        CredentialsPlacement { $1.set(name, $0, isSensitive: true) }
    }

    func callAsFunction(_ token: String, _ headers: inout HTTPHeaders) { place(token, &headers) }
}
