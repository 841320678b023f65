import Synchronization

/// Keeps one namespace of a Socket.IO server joined.
///
/// A server that speaks another version of the protocol than is tried first answers 400; the other version is tried next, and kept
/// once it worked. One that does not let anybody into the namespace counts as one that refuses credentials (401): they are asked
/// for again, once.
package typealias SocketIOSession = Session<SocketIOConnection, SocketIOEvent>

extension Session where Connection == SocketIOConnection, Message == SocketIOEvent {
    /// Makes the request to connect with; the reason is `rejected` after the server has refused one with 401.
    package typealias JoinRequestMaker =
        @Sendable (CredentialsReason) async throws(NetworkError) -> SocketIORequest

    /// Creates a session that connects when it is first read.
    ///
    /// - Parameters:
    ///   - transport: Makes the connections.
    ///   - options: How long to wait for what, and whom to tell.
    ///   - request: Asked before each attempt.
    package convenience init(
        joining transport: any WebSocketTransport,
        options: Options = Options(),
        request: @escaping JoinRequestMaker
    ) {
        let known = KnownVersion()
        let driver = Driver(
            connect: { [clock = options.clock] reason throws(NetworkError) in
                let request = try await request(reason)
                let version = request.version ?? known.version
                let open = { (version: EngineIOVersion) async throws(NetworkError) -> SocketIOConnection in
                    try await SocketIOConnection.open(
                        request,
                        version: version,
                        over: transport,
                        clock: clock
                    )
                }
                do throws(NetworkError) { return (request.url, try await open(version)) } catch let first {
                    guard request.version == nil, first.status == 400 else { throw first.asRefusal }
                    let connection: SocketIOConnection
                    do throws(NetworkError) { connection = try await open(version.other) } catch {
                        // It was not for the version, then.
                        throw error.status == 400 ? first : error.asRefusal
                    }
                    known.version = version.other
                    return (request.url, connection)
                }
            },
            receive: { connection throws(NetworkError) in try await connection.receiveBatch() },
            close: { $0.close() }
        )
        self.init(options: options, driver: driver)
    }
}

extension NetworkError {
    /// A refusal that came over the socket, as if it had come by HTTP.
    fileprivate var asRefusal: NetworkError {
        guard code == .refused, status == nil else { return self }
        return NetworkError(.refused, message, status: 401, cause: cause)
    }
}

/// The version that a server has shown to speak.
private final class KnownVersion: Sendable {
    private let state = Mutex(EngineIOVersion.four)

    var version: EngineIOVersion {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
