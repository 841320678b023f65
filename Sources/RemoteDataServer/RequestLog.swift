/// What a server tells about a request it has answered.
public struct RequestLog: Sendable, Hashable {
    /// The method; empty for what was no HTTP request.
    public let method: String
    /// Path and query, as sent; empty for what was no HTTP request.
    public let target: String
    /// The answer's status.
    public let status: Int
    /// How many bytes the answer's body has.
    public let bytes: Int
    /// What failed, where the answer is 500, which does not say it; nil otherwise.
    public let problem: String?
    /// How long it took from the last byte of the request to the answer.
    public let duration: Duration
}
