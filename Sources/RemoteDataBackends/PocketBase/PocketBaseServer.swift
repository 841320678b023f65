public import RemoteData
package import RemoteDataExecution
package import RemoteDataNetwork
package import Foundation

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
    let now: @Sendable () -> Date

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - url: Where the server is, such as `http://127.0.0.1:8090`.
    ///   - account: Who the program is; nil for a guest, or to give tokens by the configuration's `credentials`.
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
        (self.base, self.batchSize, self.now) = (base, max(1, batchSize), now)
        let tokens = PocketBaseTokens(account, configuration, base, transport, chance, now)
        let http = configuration.client(transport, credentials: tokens?.provider, chance: chance)
        client = PocketBaseClient(base, configuration.timeouts, http, tokens)
        var options = SessionOptions()
        (options.clock, options.chance, options.observe) = (configuration.clock, chance, configuration.report)
        changes = PocketBaseChanges(client, transport, options)
    }

    /// A table of the server, which PocketBase calls a collection; asks nothing.
    public func table(_ name: String) -> PocketBaseTable { PocketBaseTable(name, on: self) }
}
