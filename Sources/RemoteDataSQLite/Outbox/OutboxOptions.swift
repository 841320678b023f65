/// How writes travel to a server.
public struct OutboxOptions: Sendable {
    /// How many requests are under way at once.
    public var parallelRequests = 8
    /// How many rows are created by one request, where the server takes several.
    public var bulkSize = 500
    /// How often a write is tried again soon when it fails for a reason that may pass.
    public var quickRetries = 5
    /// How long it is between later attempts at most; they never end.
    public var slowRetry: Duration = .seconds(60)

    /// The defaults.
    public init() {}
}
