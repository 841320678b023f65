package import RemoteDataExecution
public import Foundation
public import RemoteData
package import RemoteDataNetwork
import Synchronization

/// One connection to a server that speaks the native protocol, such as `table-server`.
///
/// ```swift
/// let server = try RESTServer("http://127.0.0.1:8080")
/// let people = server.table("people")
/// ```
///
/// All tables of a server object share its connections, its credentials, and one WebSocket, which is opened
/// by the first subscription and closed a while after the last. Creating one is cheap and asks the server
/// nothing; keep it as long as the server is used. Thread-safe.
public final class RESTServer: Sendable {
    /// The server's URL, without a slash at its end.
    public var url: String { base.text }

    private struct Known {
        /// What `table-server` can do.
        static let ofTableServer: Capabilities = {
            var capabilities = Capabilities.full
            capabilities.maximumBulkSize = 10_000
            return capabilities
        }()

        var capabilities = Known.ofTableServer
        var largestPageSize = Capabilities.full.maximumPageSize
    }

    let base: BaseURL
    let configuration: RESTConfiguration
    let sockets: ChangeSockets
    /// Ends the waits of everything that uses the server.
    let signal: RetrySignal
    private let client: HTTPClient
    private let known = Mutex(Known())
    private let requests = Atomic<Int>(0)

    /// Prepares a connection; the server is not asked anything yet.
    ///
    /// - Parameters:
    ///   - baseURL: Where the server is, such as `http://127.0.0.1:8080`.
    ///   - configuration: Credentials, times, observer.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not an `http` or
    ///   `https` one, or holds a user name, a query or a fragment.
    public convenience init(
        _ baseURL: String,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        let report = configuration.report
        var http = CurlTransport.Options()
        http.extraCAFile = configuration.extraCAFile
        var sockets = LWSTransport.Options()
        sockets.extraCAFile = configuration.extraCAFile
        sockets.observe = report
        try self.init(
            baseURL,
            configuration: configuration,
            transport: CurlTransport(http),
            sockets: LWSTransport(sockets)
        )
    }

    /// Prepares a connection; see ``init(_:configuration:)-(String,_)``.
    public convenience init(
        _ baseURL: URL,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        try self.init(baseURL.absoluteString, configuration: configuration)
    }

    /// Prepares a connection over other transports, such as a test's.
    package init(
        _ baseURL: String,
        configuration: RESTConfiguration,
        transport: any HTTPTransport,
        sockets: any WebSocketTransport,
        chance: @escaping Chance = systemChance
    ) throws(RemoteDataError) {
        let base = try BaseURL(baseURL)
        let signal = RetrySignal(clock: configuration.clock)
        let client = configuration.client(transport, signal: signal, chance: chance)
        self.base = base
        self.signal = signal
        self.configuration = configuration
        self.client = client
        let handshake = Handshake(
            WebSocketRequest(base.changes, subprotocols: [ChangeSocket.subprotocol]),
            client: client
        )
        let makeSession = { @Sendable [report = configuration.report, clock = configuration.clock] in
            var options = WebSocketSession.Options()
            (options.clock, options.chance, options.observe) = (clock, chance, report)
            options.signal = signal
            return WebSocketSession(transport: sockets, options: options) { reason throws(NetworkError) in
                try await handshake.next(reason)
            }
        }
        let (linger, clock) = (configuration.socketLinger, configuration.clock)
        self.sockets = ChangeSockets {
            ChangeSocket(base: base, linger: linger, clock: clock, makeSession: makeSession)
        }
    }

    deinit { sockets.release() }

    /// A table of the server; asks nothing, so the table need not be there yet.
    public func table(_ name: String) -> RESTTable { RESTTable(name, on: self) }

    /// What the server can do: everything the native protocol has, until ``refreshCapabilities()`` was
    /// called.
    public var capabilities: Capabilities { known.withLock { $0.capabilities } }

    /// The most rows of a page that a table has ever said it can send: whoever heard that may still ask for them.
    var largestPageSize: Int { known.withLock { $0.largestPageSize } }

    /// Asks the server what it can do, and has its tables say so from then on: one request.
    ///
    /// `table-server` can do all that is assumed anyway; call this once, before opening collections, for a
    /// server that may do less or send smaller pages, which are otherwise found out by a request that is refused.
    /// Never blocks.
    ///
    /// - Returns: What the server can do.
    /// - Throws: `RemoteDataError` when it cannot be asked.
    @discardableResult
    public func refreshCapabilities() async throws(RemoteDataError) -> Capabilities {
        let answer = try await send(RequestBuilder(base: base, table: "").info())
        let capabilities = try AnswerReader(base: base, table: "", idColumn: "").capabilities(answer)
        known.withLock { known in
            known.capabilities = capabilities
            known.largestPageSize = max(known.largestPageSize, capabilities.maximumPageSize)
        }
        return capabilities
    }

    /// Forgets the token, as when a user signs out; the next request asks for one.
    ///
    /// Attempts to connect that are waited for are made at once, with another token.
    public func forgetCredentials() {
        client.forgetCredentials()
        signal.wake()
    }

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

    /// Sends a request with retries and credentials; any status is an answer.
    func send(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        let watch = Stopwatch(configuration.clock)
        do throws(NetworkError) {
            return try await client.send(request)
        } catch {
            guard error.code == .timedOut else { throw RemoteDataError(error) }
            throw RemoteDataError(.timedOut, silence(watch.elapsed), cause: error)
        }
    }

    /// What a request that got no answer ends with.
    private func silence(_ time: Duration) -> String {
        "\(base.text) did not answer for \(Int(time.seconds.rounded())) s. Check that the server runs, that its "
            + "address and port are right, and that no firewall or proxy in between swallows what is sent."
    }
}
