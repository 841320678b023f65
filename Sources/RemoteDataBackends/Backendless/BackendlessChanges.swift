import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Follows the changes of a Backendless application for all subscribers to its tables, over one socket.
///
/// What to do is decided by ``BackendlessSubscriptions``; here it is done. Before each attempt to connect the server is asked
/// where changes are told, as it wants to be.
final class BackendlessChanges: Sendable {
    /// How long a server may take to answer a subscription.
    static let answerDeadline: Duration = .seconds(30)

    typealias Machine = BackendlessSubscriptions

    private struct Link {
        let session: SocketIOSession
        var connection: SocketIOConnection?
        /// What is still to be said over the connection.
        var calls: [BackendlessCall] = []
        var isSaying = false
    }

    private struct State {
        var links: [Int: Link] = [:]
        var deadline: Task<Void, Never>?
        var lingering: Task<Void, Never>?
    }

    private let queue: ActionQueue<Machine, Machine.Action>
    private let feeds = FeedRegistry()
    private let state = Mutex(State())
    private let client: BackendlessClient
    private let sockets: any WebSocketTransport
    private let options: SessionOptions
    private let clientID: String
    private let linger: Duration
    private let watch: Stopwatch

    /// - Parameters:
    ///   - client: Asks where changes are told, gets tokens and reads rows.
    ///   - sockets: Makes the connections.
    ///   - options: Waits, clock, observer.
    ///   - comparesText: How the server compares text.
    ///   - clientID: What the server knows this program by, on all connections.
    ///   - linger: How long the socket stays open after the last subscription.
    init(
        _ client: BackendlessClient,
        _ sockets: any WebSocketTransport,
        _ options: SessionOptions,
        comparesText: BackendlessTextComparison,
        clientID: String,
        linger: Duration
    ) {
        (self.client, self.sockets, self.options) = (client, sockets, options)
        (self.clientID, self.linger) = (clientID, linger)
        queue = ActionQueue(Machine(clientID: clientID, comparesText, hasAccount: client.hasAccount))
        watch = Stopwatch(options.clock)
    }

    deinit {
        let timers = state.withLock { [$0.deadline, $0.lingering] }
        for timer in timers { timer?.cancel() }
    }

    /// Begins to follow a table; never waits.
    func subscribe(to table: String, _ query: Query) -> ChangeFeed {
        let (id, feed) = feeds.add { [self] id in act { $0.end(id) } }
        act { $0.begin(id, table: table, query: query) }
        return feed
    }

    /// There is a new token.
    func hasToken(_ token: String) { act { $0.hasToken(token) } }

    /// Nobody will subscribe any more; what is subscribed goes on.
    func release() { act { $0.released() } }
}

// MARK: - Acting

extension BackendlessChanges {
    private func act(_ event: (inout Machine) -> [Machine.Action]) {
        queue.act(event) { action in perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .open(let number): open(number)
        case .close(let number): state.withLock { $0.links[number] }?.session.close()
        case .reconnect(let number): state.withLock { $0.links[number]?.connection }?.close()
        case .confirm(let number): state.withLock { $0.links[number] }?.session.worked()
        case .say(let number, let call): say(call, number)
        case .renewToken(let number): run { await $0.renewToken(number) }
        case .startDeadline(let number):
            start(\.deadline, after: Self.answerDeadline) { $0.overdue(number) }
        case .linger(let number): start(\.lingering, after: linger) { $0.lingered(number) }
        case .read(let table, let ids): run { await $0.read(ids, of: table) }
        case .deliver(let id, let events): feeds.deliver(events, to: id)
        case .finish(let id): feeds.finish(id)
        }
    }

    private func run(_ body: @escaping @Sendable (BackendlessChanges) async -> Void) {
        Task(executorPreference: WorkerExecutor.background) { await body(self) }
    }

    /// Has something happen after a while, in place of an earlier one.
    private func start(
        _ timer: WritableKeyPath<State, Task<Void, Never>?>,
        after wait: Duration,
        _ event: @escaping @Sendable (inout Machine) -> [Machine.Action]
    ) {
        let task = Task(executorPreference: WorkerExecutor.background) { [weak self, clock = options.clock] in
            guard (try? await clock.sleep(for: wait)) != nil else { return }
            self?.act(event)
        }
        let old = state.withLock { state in
            defer { state[keyPath: timer] = task }
            return state[keyPath: timer]
        }
        old?.cancel()
    }
}

// MARK: - The connection

extension BackendlessChanges {
    private func open(_ number: Int) {
        let session = SocketIOSession(joining: sockets, options: options) {
            [client, clientID] reason throws(NetworkError) in
            do throws(RemoteDataError) {
                return try await client.handshake(clientID, isRejected: reason == .rejected)
            } catch { throw NetworkError(error) }
        }
        state.withLock { $0.links[number] = Link(session: session) }
        run { await $0.read(session, number) }
    }

    private func read(_ session: SocketIOSession, _ number: Int) async {
        var end: RemoteDataError?
        do throws(NetworkError) {
            while let event = try await session.next() { handle(event, number) }
        } catch { end = Self.error(error) }
        state.withLock { $0.links[number] = nil }
        act { $0.ended(number, end) }
    }

    private func handle(_ event: SocketIOSession.Event, _ number: Int) {
        switch event {
        case .connected(let connection):
            state.withLock { $0.links[number]?.connection = connection }
            act { $0.connected(number) }
        case .messages(let events):
            for event in events {
                guard let message = BackendlessMessage(event) else { continue }
                let now = watch.elapsed
                act { $0.received(number, message, at: now) }
            }
        case .disconnected(let error), .retrying(_, _, let error):
            state.withLock { state in
                state.links[number]?.connection = nil
                state.links[number]?.calls = []
            }
            act { $0.disconnected(number, error.map(Self.error)) }
        }
    }

    /// What was said when the server was asked where changes are told is the reason, where it was that.
    private static func error(_ error: NetworkError) -> RemoteDataError {
        if let cause = error.cause as? RemoteDataError { return cause }
        let plain = RemoteDataError(error)
        guard error.code == .refused else { return plain }
        let message = "Backendless does not tell changes. \(plain.message)"
        return RemoteDataError(
            plain.code,
            message,
            status: plain.status,
            retryAfter: plain.retryAfter,
            cause: error
        )
    }

    /// Says something, behind what is to be said already.
    private func say(_ call: BackendlessCall, _ number: Int) {
        let isNeeded = state.withLock { state in
            guard let link = state.links[number], link.connection != nil else { return false }
            state.links[number]?.calls.append(call)
            state.links[number]?.isSaying = true
            return !link.isSaying
        }
        if isNeeded { run { await $0.sayAll(number) } }
    }

    private func sayAll(_ number: Int) async {
        while let (connection, call) = nextCall(number) {
            // A connection that takes nothing more is about to be reported as ended, and everything is said again.
            try? await connection.emit(call.name, call.body)
        }
    }

    private func nextCall(_ number: Int) -> (SocketIOConnection, BackendlessCall)? {
        state.withLock { state in
            guard let link = state.links[number], let connection = link.connection, !link.calls.isEmpty else {
                state.links[number]?.isSaying = false
                return nil
            }
            state.links[number]?.calls.removeFirst()
            return (connection, link.calls[0])
        }
    }
}

// MARK: - Requests

extension BackendlessChanges {
    private func renewToken(_ number: Int) async {
        var refusal: RemoteDataError?
        do throws(RemoteDataError) { _ = try await client.token(isRejected: true) } catch { refusal = error }
        act { [refusal] in $0.renewed(number, refusal) }
    }

    private func read(_ ids: [RowID], of table: String) async {
        let requests = BackendlessRequests(base: client.base, table: table, timeouts: client.timeouts)
        let rows: Result<[Row], RemoteDataError>
        do throws(RemoteDataError) {
            let answer = try await client.send(requests.find(ids))
            guard answer.isSuccess else { throw .backendless(answer, "rows of \(table)", now: .now) }
            rows = .success(try Page.whole(answer.body, idColumn: "objectId").rows)
        } catch { rows = .failure(error) }
        act { $0.read(table, rows) }
    }
}

extension BackendlessClient {
    /// Asks where changes are told, and says who wants to hear of them.
    ///
    /// - Parameters:
    ///   - clientID: What the server knows this program by.
    ///   - isRejected: Whether the server has just refused the token there is.
    /// - Returns: What to connect to.
    /// - Throws: `RemoteDataError` when the server cannot be asked, or refuses.
    func handshake(_ clientID: String, isRejected: Bool) async throws(RemoteDataError) -> SocketIORequest {
        if isRejected { _ = try await token(isRejected: true) }
        let place = try await place()
        // Asking may have shown that another one was needed.
        let token = try await token(isRejected: false)
        var query = [("apiKey", place.key), ("clientId", clientID)]
        if let token { query.append(("userToken", token)) }
        return SocketIORequest(
            place.url,
            path: "/\(place.application)",
            namespace: "/\(place.application)",
            query: query.map { "\($0)=\(PercentEncoding.query($1))" }.joined(separator: "&")
        )
    }
}
