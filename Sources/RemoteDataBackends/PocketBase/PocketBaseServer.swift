public import RemoteData
package import RemoteDataExecution
package import RemoteDataNetwork
package import Foundation
import Synchronization

/// A PocketBase server.
///
/// ```swift
/// let server = try PocketBaseServer("http://127.0.0.1:8090", as: .init("ann@example.com", password: password))
/// let people = server.table("people")
/// ```
///
/// All tables of a server object share its connections, its account and one stream of changes. Creating one is cheap and asks the
/// server nothing. Thread-safe.
public final class PocketBaseServer: Sendable {
    /// The server's URL, without a slash at its end.
    public var url: String { base.text }

    /// How many rows the server takes at once.
    public let batchSize: Int

    let base: BaseURL
    let client: PocketBaseClient
    let changes: PocketBaseChanges
    /// Ends the waits of everything that uses the server.
    let signal: RetrySignal
    /// Whether collections are views, as far as that is known.
    private let views = Mutex<[String: Bool]>([:])

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - url: Where the server is, such as `http://127.0.0.1:8090`.
    ///   - account: Who the program is; nil for a guest, or to give tokens by the configuration's
    ///     `credentials`: the server is asked once whether it takes each, as it answers to others like to guests.
    ///   - batchSize: How many rows the server takes at once, by its settings for batches (`batch.maxRequests`), which are off
    ///     unless somebody has put them on: one.
    ///   - configuration: Times and observer.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not an `http` or `https` one, or holds a user
    ///   name, a query or a fragment.
    public convenience init(
        _ url: String,
        as account: PocketBaseAuthentication? = nil,
        batchSize: Int = 1,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        var http = CurlTransport.Options()
        http.extraCAFile = configuration.extraCAFile
        try self.init(
            url,
            as: account,
            batchSize: batchSize,
            configuration: configuration,
            transport: CurlTransport(http)
        )
    }

    /// Prepares a connection over another transport, such as a test's.
    package init(
        _ url: String,
        as account: PocketBaseAuthentication?,
        batchSize: Int = 1,
        configuration: RESTConfiguration,
        transport: any HTTPTransport & HTTPStreamTransport,
        chance: @escaping Chance = systemChance,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RemoteDataError) {
        let base = try BaseURL(url)
        var configuration = configuration
        // The server takes a token with or without a scheme in front of it.
        configuration.credentialsHeader = CredentialsHeader("Authorization")
        (self.base, self.batchSize) = (base, max(1, batchSize))
        let tokens = PocketBaseTokens(account, configuration, base, transport, chance, now)
        signal = RetrySignal(clock: configuration.clock)
        let http = configuration.client(
            transport,
            credentials: tokens?.provider,
            signal: signal,
            chance: chance
        )
        client = PocketBaseClient(base, configuration.timeouts, http, tokens, now: now)
        var options = SessionOptions()
        (options.clock, options.chance, options.observe) = (configuration.clock, chance, configuration.report)
        options.signal = signal
        let changes = PocketBaseChanges(
            client,
            transport,
            options,
            auditInterval: configuration.auditInterval
        )
        self.changes = changes
        tokens?.whenReplaced { [weak changes] in changes?.signedIn() }
    }

    /// Whether a collection is known to be a view.
    func isView(_ table: String) -> Bool { views.withLock { $0[table] } ?? false }

    /// Determines whether a collection is a view; one request, once.
    ///
    /// - Throws: `RemoteDataError` when there is no answer: the next request would take as long to find out.
    func learnWhetherIsView(_ reader: PocketBaseReader) async throws(RemoteDataError) {
        guard views.withLock({ $0[reader.table] }) == nil else { return }
        let isView = try await reader.isView()
        views.withLock { $0[reader.table] = isView }
    }

    /// A table of the server, which PocketBase calls a collection; asks nothing.
    public func table(_ name: String) -> PocketBaseTable { PocketBaseTable(name, on: self) }

    /// Connects at once where an attempt to connect is waited for, as when a user asks for it.
    ///
    /// Never blocks. Ends the waits between attempts of the server's connection, and those of all
    /// collections over its tables. An attempt that is under way goes on; if it fails, the next one follows
    /// at once. A wait that the server has asked for (`Retry-After`) is kept.
    public func reconnect() { signal.wake() }

    /// Notes whether there is a network: without one, no failed attempt to connect is repeated.
    ///
    /// Never blocks. When the network is back, or a request succeeds, everything is tried at once. Without
    /// a call, attempts find out. Own requests are sent in any case.
    public func setNetworkAvailable(_ isAvailable: Bool) { signal.setNetworkAvailable(isAvailable) }
}
