package import Foundation
public import RemoteData
package import RemoteDataExecution
package import RemoteDataNetwork

/// A Kinto server: the collections of one of its buckets.
///
/// ```swift
/// let server = try KintoServer("http://127.0.0.1:8888", bucket: "blog", as: .init("ann", password: password))
/// let posts = server.table("posts")
/// ```
///
/// All tables of a server object share its connections, its account, and what is asked regularly to follow changes. Creating
/// one is cheap and asks the server nothing. Thread-safe.
///
/// Kinto takes whoever shows a wrong password, or a token that has ended, for a guest, without a word. So with an account or
/// credentials the server is asked before the first request and once a minute whom it takes the program for: one request, which
/// the others wait for; they end with `unauthorized` when it is nobody. Where the server asks for a pause (`Backoff`), nothing
/// is sent until it is over: a request waits, or ends at once with `unavailable` where its deadline is nearer.
public final class KintoServer: Sendable {
    /// The server's URL with the version of its interface, without a slash at its end.
    public var url: String { client.base.text }

    /// The bucket that holds the collections.
    public let bucket: String

    /// What the storage behind the server promises.
    public let storage: KintoStorage

    /// How often it is asked for changes; nil for never.
    public let pollInterval: Duration?

    let client: KintoClient
    let changes: KintoChanges
    /// Ends the waits of everything that uses the server.
    var signal: RetrySignal { client.signal }

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - url: Where the server is, such as `http://127.0.0.1:8888`, with or without `/v1` at its end.
    ///   - bucket: The bucket that holds the collections; `default` is the account's own, where a server has such.
    ///   - account: Who the program is; nil for a guest, or to give tokens by the configuration's `credentials`.
    ///   - storage: What the storage behind the server promises.
    ///   - pollInterval: How often the server is asked for changes of each table that is followed; nil never to follow any. Own
    ///     writes, and whatever an answer shows to be newer, are asked for at once.
    ///   - configuration: Times, tokens and observer.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not an `http` or `https` one, or holds a user
    ///   name, a query or a fragment.
    public convenience init(
        _ url: String,
        bucket: String = "default",
        as account: KintoAuthentication? = nil,
        storage: KintoStorage = .postgreSQL,
        pollInterval: Duration? = .seconds(5),
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        var http = CurlTransport.Options()
        http.extraCAFile = configuration.extraCAFile
        try self.init(
            url,
            bucket: bucket,
            as: account,
            storage: storage,
            pollInterval: pollInterval,
            configuration: configuration,
            transport: CurlTransport(http)
        )
    }

    /// Prepares a connection over another transport, such as a test's.
    package init(
        _ url: String,
        bucket: String = "default",
        as account: KintoAuthentication? = nil,
        storage: KintoStorage = .postgreSQL,
        pollInterval: Duration? = .seconds(5),
        configuration: RESTConfiguration = RESTConfiguration(),
        transport: any HTTPTransport,
        chance: @escaping Chance = systemChance,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RemoteDataError) {
        let given = try BaseURL(url)
        let base = given.text.hasSuffix("/v1") ? given : try BaseURL(given.text + "/v1")
        (self.bucket, self.storage, self.pollInterval) = (bucket, storage, pollInterval)
        client = KintoClient(base, account, configuration, transport, chance, now)
        changes = KintoChanges(
            client,
            bucket,
            storage,
            pollInterval ?? .zero,
            auditInterval: configuration.auditInterval
        )
    }

    /// A table of the server, which Kinto calls a collection; asks nothing.
    ///
    /// Kinto compares values of every kind with each other, in an order of its own, and has no `OR`. So ranges and
    /// inequalities, such as `age < 30` and `name <> 'Ann'`, take a column to hold values of one kind, besides nothing: text,
    /// or numbers, or truth values. They find those of their literal's kind, where clauses elsewhere take text to be greater
    /// than any number, and `true` for 1.
    ///
    /// - Parameters:
    ///   - name: The collection's name.
    ///   - mixedColumns: Columns that hold values of several kinds, lists or objects. Ranges and inequalities on those are not
    ///     filtered by the server but evaluated here, on all rows that match the rest of a clause.
    /// - Returns: The table.
    public func table(_ name: String, mixedColumns: Set<ColumnPath> = []) -> KintoTable {
        KintoTable(name, on: self, mixedColumns: mixedColumns)
    }

    /// Asks for changes at once where an attempt is waited for, as when a user asks for it.
    ///
    /// Never blocks. Ends the waits between attempts to ask for changes, and those of all collections over
    /// the server's tables. A pause that the server has asked for is kept.
    public func reconnect() { signal.wake() }

    /// Notes whether there is a network: without one, no failed attempt to ask for changes is repeated.
    ///
    /// Never blocks. When the network is back, or a request succeeds, everything is tried at once. Without a
    /// call, attempts find out. Own requests are sent in any case.
    public func setNetworkAvailable(_ isAvailable: Bool) { signal.setNetworkAvailable(isAvailable) }
}
