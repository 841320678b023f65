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
    /// Whether a table that is not there counts as an empty one, at a server that answers 404 for it.
    ///
    /// `table-server` does that only where its tables are fixed: elsewhere a table is empty until its first
    /// row. While this is false, such an answer is an error (`notFound`); set it for a program that opens
    /// tables before it fills them.
    public var treatsMissingTablesAsEmpty = false
    /// How long the socket stays open after the last subscription has ended.
    public var socketLinger: Duration = .seconds(10)
    /// How often the changes of a followed table are checked against its server; nil for never.
    ///
    /// PocketBase reports no change of rows that a rule withdraws, or of a collection itself; Kinto none of
    /// records that are written with a `last_modified` in the past. When rows do not match the changes,
    /// subscriptions are reset. Costs one small request for each table of PocketBase, two where rows differ,
    /// and one for each account, whose token is renewed; four for each table of Kinto, whose identity is
    /// confirmed every minute in any case; and none without subscriptions. Not used by `RESTServer`.
    public var auditInterval: Duration? = .seconds(60)
    /// Sees all traffic.
    public var observer: (any TrafficObserver)?
    /// What time it is, and how to wait.
    public var clock: any Clock<Duration> = TimerClock()

    /// The defaults: no credentials.
    public init() {}
}
