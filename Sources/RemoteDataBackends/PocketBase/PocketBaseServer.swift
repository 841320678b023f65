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

    let base: BaseURL
    let configuration: RESTConfiguration
    let now: @Sendable () -> Date
    private let client: HTTPClient
    private let tokens: PocketBaseTokens?
    private let requests = Atomic<Int>(0)

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - url: Where the server is, such as `http://127.0.0.1:8090`.
    ///   - account: Who the program is; nil for a guest, or to give tokens by the configuration's `credentials`.
    ///   - configuration: Times and observer.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not an `http` or `https` one, or holds a user
    ///   name, a query or a fragment.
    public convenience init(
        _ url: String,
        as account: PocketBaseAuthentication? = nil,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        var http = CurlTransport.Options()
        http.extraCAFile = configuration.extraCAFile
        try self.init(url, as: account, configuration: configuration, transport: CurlTransport(http))
    }

    /// Prepares a connection over another transport, such as a test's.
    package init(
        _ url: String,
        as account: PocketBaseAuthentication?,
        configuration: RESTConfiguration,
        transport: any HTTPTransport,
        chance: @escaping Chance = systemChance,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(RemoteDataError) {
        let base = try BaseURL(url)
        var configuration = configuration
        // The server takes a token with or without a scheme in front of it.
        configuration.credentialsHeader = CredentialsHeader("Authorization")
        (self.base, self.configuration, self.now) = (base, configuration, now)
        let tokens = PocketBaseTokens(account, configuration, base, transport, chance, now)
        client = configuration.client(transport, credentials: tokens?.provider, chance: chance)
        self.tokens = tokens
    }

    /// A table of the server, which PocketBase calls a collection; asks nothing.
    public func table(_ name: String) -> PocketBaseTable { PocketBaseTable(name, on: self) }

    /// Sends a request with retries and a token that has not ended; any status is an answer.
    func send(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        if tokens?.hasEnded == true { client.forgetCredentials() }
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        do throws(NetworkError) { return try await client.send(request) } catch {
            throw RemoteDataError(error)
        }
    }
}
