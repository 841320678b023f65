public import RemoteData
package import RemoteDataExecution
package import RemoteDataNetwork
import Foundation

/// An application of Backendless, in its cloud or on a server of one's own.
///
/// ```swift
/// let server = try BackendlessServer(
///     "https://api.backendless.com/\(applicationID)/\(apiKey)",
///     as: .init("ann@example.com", password: password)
/// )
/// let people = server.table("Person")
/// ```
///
/// All tables of a server object share its connections, its account and one socket, which is opened by the first subscription and
/// closed a while after the last. Creating one is cheap and asks the server nothing. Thread-safe.
public final class BackendlessServer: Sendable {
    /// The application's URL, without a slash at its end.
    public var url: String { base.text }

    /// How its database compares text.
    public let comparesText: BackendlessTextComparison

    let base: BaseURL
    let client: BackendlessClient
    let changes: BackendlessChanges
    let treatsMissingTablesAsEmpty: Bool
    /// Ends the waits of everything that uses the application.
    let signal: RetrySignal

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - url: Where the application is: `https://api.backendless.com/` with its id and an API key behind it, or its own domain,
    ///     such as `https://name.backendless.app/api`.
    ///   - account: Who the program is; nil for a guest, or to give tokens by the configuration's `credentials`.
    ///   - comparesText: How the database compares text.
    ///   - configuration: Times, observer, and whether missing tables are empty.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not an `http` or `https` one, or holds a user
    ///   name, a query or a fragment.
    public convenience init(
        _ url: String,
        as account: BackendlessAuthentication? = nil,
        comparesText: BackendlessTextComparison = .byCollation,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        var http = CurlTransport.Options()
        http.extraCAFile = configuration.extraCAFile
        var sockets = LWSTransport.Options()
        sockets.extraCAFile = configuration.extraCAFile
        sockets.observe = configuration.report
        try self.init(
            url,
            as: account,
            comparesText: comparesText,
            configuration: configuration,
            transport: CurlTransport(http),
            sockets: LWSTransport(sockets)
        )
    }

    /// Prepares a connection over other transports, such as a test's.
    package init(
        _ url: String,
        as account: BackendlessAuthentication?,
        comparesText: BackendlessTextComparison = .byCollation,
        configuration: RESTConfiguration,
        transport: any HTTPTransport,
        sockets: any WebSocketTransport,
        clientID: String = UUID().uuidString,
        chance: @escaping Chance = systemChance
    ) throws(RemoteDataError) {
        let base = try BaseURL(url)
        var configuration = configuration
        configuration.credentialsHeader = .userToken
        (self.base, self.comparesText) = (base, comparesText)
        treatsMissingTablesAsEmpty = configuration.treatsMissingTablesAsEmpty
        let transport = BackendlessTransport(base: transport)
        let tokens = BackendlessTokens(account, configuration, base, transport, chance)
        signal = RetrySignal(clock: configuration.clock)
        let http = configuration.client(
            transport,
            credentials: tokens?.provider,
            signal: signal,
            chance: chance
        )
        client = BackendlessClient(base, configuration.timeouts, http, hasAccount: tokens != nil)
        var options = SessionOptions()
        (options.clock, options.chance, options.observe) = (configuration.clock, chance, configuration.report)
        options.signal = signal
        let changes = BackendlessChanges(
            client,
            sockets,
            options,
            comparesText: comparesText,
            clientID: clientID,
            linger: configuration.socketLinger
        )
        self.changes = changes
        tokens?.listen { [weak changes] token in changes?.hasToken(token) }
    }

    deinit { changes.release() }

    /// A table of the application; asks nothing.
    public func table(_ name: String) -> BackendlessTable { BackendlessTable(name, on: self) }

    /// Connects at once where an attempt to connect is waited for, as when a user asks for it.
    ///
    /// Never blocks. Ends the waits between attempts of the application's connection, and those of all
    /// collections over its tables. An attempt that is under way goes on; if it fails, the next one follows
    /// at once. A wait that the server has asked for (`Retry-After`) is kept.
    public func reconnect() { signal.wake() }

    /// Notes whether there is a network: without one, no failed attempt to connect is repeated.
    ///
    /// Never blocks. When the network is back, or a request succeeds, everything is tried at once. Without
    /// a call, attempts find out. Own requests are sent in any case.
    public func setNetworkAvailable(_ isAvailable: Bool) { signal.setNetworkAvailable(isAvailable) }
}
