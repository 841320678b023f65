/// Why credentials are asked for.
public enum CredentialsReason: Sendable, Hashable {
    /// They are needed, and were not asked for yet.
    case needed
    /// The server refused the ones it was given: fetch new ones.
    case rejected
}
