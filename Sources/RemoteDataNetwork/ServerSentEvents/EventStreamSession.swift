import Synchronization

/// Keeps one stream of server-sent events open; a new connection asks for what follows the last event of the one before.
///
/// ```swift
/// let session = EventStreamSession(transport: CurlTransport()) { _ in HTTPRequest("GET", url) }
/// while let event = try await session.next() { … }
/// ```
package typealias EventStreamSession = Session<EventStream, ServerSentEvent>

extension Session where Connection == EventStream, Message == ServerSentEvent {
    /// Makes the request to connect with; the reason is `rejected` after the server has refused one with 401.
    package typealias StreamRequestMaker =
        @Sendable (CredentialsReason) async throws(NetworkError) -> HTTPRequest

    /// Creates a session that connects when it is first read.
    ///
    /// - Parameters:
    ///   - transport: Makes the connections.
    ///   - options: How long to wait for what, and whom to tell.
    ///   - request: Asked before each attempt.
    package convenience init(
        transport: any HTTPStreamTransport,
        options: Options = Options(),
        request: @escaping StreamRequestMaker
    ) {
        let last = LastEvent()
        let driver = Driver(
            connect: { reason throws(NetworkError) in
                let request = try await request(reason)
                let stream = try await EventStream.open(request, over: transport, lastID: last.id)
                return (request.url, stream)
            },
            receive: { stream throws(NetworkError) in
                let events = try await stream.receiveBatch()
                last.note(stream.lastID)
                return events
            },
            close: { $0.close() },
            retryAfter: { $0.retryAfter }
        )
        self.init(options: options, driver: driver)
    }
}

/// The id of the last event, over all connections of a session.
private final class LastEvent: Sendable {
    private let state = Mutex("")

    var id: String { state.withLock { $0 } }

    func note(_ id: String) { state.withLock { $0 = id } }
}
