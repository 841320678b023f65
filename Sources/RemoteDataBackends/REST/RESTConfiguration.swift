import RemoteDataExecution
public import RemoteData

/// How a ``RESTServer`` is reached; every value has a sensible default.
public struct RESTConfiguration: Sendable {
    /// Gives the current token, or nil for none.
    ///
    /// Asked before the first request and again after the server refused what it was given, once for all
    /// requests that wait; the answer is kept in between and serves requests and the socket alike. Runs on
    /// the library's threads. An error it throws is the cause of the `unauthorized` that the callers get;
    /// a `RemoteDataError` that is transient makes theirs transient too.
    public var credentials: (@Sendable (CredentialsReason) async throws -> String?)?
    /// Where the token goes.
    public var credentialsHeader = CredentialsHeader.bearer
    /// How long the credentials closure may take.
    public var credentialsTimeout: Duration = .seconds(30)
    /// How long a connection may take, TLS included.
    ///
    /// All attempts to connect fit into the deadline, so a host that swallows everything is tried as often as any.
    public var connectTimeout: Duration = .seconds(5)
    /// How long an answer may stand still, not having begun included.
    public var stallTimeout: Duration = .seconds(20)
    /// How long a request may take with all its repetitions and the waits between them.
    ///
    /// Less than a collection waits (30 s), so that the collection can tell why there was no answer. Raise both for
    /// bulk writes and pages that take longer on the way.
    public var deadline: Duration = .seconds(25)
    /// How often a request is sent at most while it fails for a reason that may pass; at least once.
    ///
    /// Writes are sent again too: each carries an `Idempotency-Key`, by which the server applies it once.
    public var attempts = 4
    /// A file with certificates in PEM format to trust besides the system's.
    public var extraCAFile: String?
    /// Whether a table that is not there counts as an empty one.
    ///
    /// A table comes into being with its first row. While this is false a mistyped name is an error
    /// (`notFound`); set it for a program that opens tables before it fills them.
    public var treatsMissingTablesAsEmpty = false
    /// How long the socket stays open after the last subscription has ended.
    public var socketLinger: Duration = .seconds(10)
    /// Sees all traffic.
    public var observer: (any TrafficObserver)?
    /// What time it is, and how to wait.
    public var clock: any Clock<Duration> = TimerClock()

    /// The defaults: no credentials.
    public init() {}
}
