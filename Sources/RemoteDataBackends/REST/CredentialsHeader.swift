/// Where credentials stand in a request.
public struct CredentialsHeader: Sendable, Hashable {
    /// The header field's name.
    public let name: String
    /// What stands before the token, with a space after it; empty for nothing.
    public let scheme: String

    /// Puts a token in a header field of its own.
    public init(_ name: String, scheme: String = "") {
        self.name = name
        self.scheme = scheme
    }

    /// `Authorization: Bearer <token>` (RFC 6750).
    public static let bearer = CredentialsHeader("Authorization", scheme: "Bearer")
    /// `user-token: <token>`, as Backendless has it.
    public static let userToken = CredentialsHeader("user-token")

    func value(_ token: String) -> String { scheme.isEmpty ? token : "\(scheme) \(token)" }
}
