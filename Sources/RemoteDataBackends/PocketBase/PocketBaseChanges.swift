import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Follows the changes of a PocketBase server for all subscribers to its tables.
///
/// What to do is decided by ``PocketBaseSubscriptions``; here it is done.
final class PocketBaseChanges: Sendable {
    /// How long a server may take to tell a client its id.
    static let answerDeadline: Duration = .seconds(15)
    /// How old a stream becomes: a server ends it after five minutes without a message, and after thirty in any case.
    static let streamAge: Duration = .seconds(240)
    /// How long a stream may be silent.
    static let silence: Duration = .seconds(330)

    typealias Machine = PocketBaseSubscriptions

    private struct Stream {
        var session: EventStreamSession
        var connection: EventStream?
        var timers: [Task<Void, Never>] = []
    }

    /// How old a token may be that a stream is opened with.
    static let tokenAge: Duration = .seconds(10)
    /// How long after a look at a table changes that were made before it may arrive.
    static let settling: Duration = .seconds(5)

    private let queue: ActionQueue<Machine, Machine.Action>
    private let feeds = FeedRegistry()
    private let streams = Mutex<[Int: Stream]>([:])
    /// Begins or ends the next look at a table.
    private let lookTimers = Mutex<[String: Task<Void, Never>]>([:])
    private let auditInterval: Duration?
    private let client: PocketBaseClient
    private let transport: any HTTPStreamTransport
    private let options: SessionOptions
    private let watch: Stopwatch

    init(
        _ client: PocketBaseClient,
        _ transport: any HTTPStreamTransport,
        _ options: SessionOptions,
        auditInterval: Duration?
    ) {
        (self.client, self.transport, self.options) = (client, transport, options)
        (self.auditInterval, queue) = (auditInterval, ActionQueue(Machine(isAuditing: auditInterval != nil)))
        watch = Stopwatch(options.clock)
    }

    deinit { for timer in lookTimers.withLock({ $0.values.map(\.self) }) { timer.cancel() } }

    /// Begins to follow a table; never waits.
    func subscribe(to table: String, _ query: Query) -> ChangeFeed {
        let (id, feed) = feeds.add { [self] id in act { $0.end(id) } }
        act { $0.begin(id, table: table, query: query) }
        return feed
    }

    /// Notes rows of a page.
    func noteRead(_ rows: [Row], of table: String) {
        guard auditInterval != nil else { return }
        let ids = rows.map(\.id)
        act {
            $0.noteRead(ids, of: table)
            return []
        }
    }

    /// Opens the streams anew after the server has refused the token they were opened with.
    func signedIn() { act { $0.signedIn() } }

    private func act(_ event: (inout Machine) -> [Machine.Action]) {
        queue.act(event) { action in perform(action) }
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .open(let number): open(number)
        case .close(let number): close(number)
        case .reconnect(let number, let isRefused):
            let stream = streams.withLock { $0[number] }
            if isRefused { stream?.session.refused() }
            stream?.connection?.close()
        case .confirm(let number): streams.withLock { $0[number]?.session }?.worked()
        case .startDeadline(let number): start(after: Self.answerDeadline, of: number) { $0.silent(number) }
        case .startAging(let number): start(after: Self.streamAge, of: number) { $0.aged(number) }
        case .post(let post): run { await $0.send(post) }
        case .read(let table, let ids): run { await $0.read(ids, of: table) }
        case .look(let request): run { await $0.look(request) }
        case .waitToSettle(let table, let number):
            let wait = min(Self.settling, (auditInterval ?? Self.settling) / 4)
            startTimer(of: table, after: wait) { $0.settled(table, number) }
        case .waitToLook(let table, let number):
            guard let auditInterval else { return }
            startTimer(of: table, after: auditInterval) { $0.dueToLook(table, number) }
        case .stopLooking(let table): lookTimers.withLock { $0.removeValue(forKey: table) }?.cancel()
        case .deliver(let id, let events): feeds.deliver(events, to: id)
        case .finish(let id): feeds.finish(id)
        }
    }

    private func run(_ body: @escaping @Sendable (PocketBaseChanges) async -> Void) {
        Task(executorPreference: WorkerExecutor.background) { await body(self) }
    }

    /// Has something happen to a stream after a while.
    private func start(
        after wait: Duration,
        of number: Int,
        _ event: @escaping @Sendable (inout Machine) -> [Machine.Action]
    ) {
        let task = Task(executorPreference: WorkerExecutor.background) { [weak self, clock = options.clock] in
            guard (try? await clock.sleep(for: wait)) != nil else { return }
            self?.act(event)
        }
        let isOver = streams.withLock { streams in
            streams[number]?.timers.append(task)
            return streams[number] == nil
        }
        if isOver { task.cancel() }
    }
}

// MARK: - Looks

extension PocketBaseChanges {
    private func startTimer(
        of table: String,
        after wait: Duration,
        _ event: @escaping @Sendable (inout Machine) -> [Machine.Action]
    ) {
        let task = Task(executorPreference: WorkerExecutor.background) { [weak self, clock = options.clock] in
            guard (try? await clock.sleep(for: wait)) != nil else { return }
            self?.act(event)
        }
        lookTimers.withLock { $0.updateValue(task, forKey: table) }?.cancel()
    }

    private func look(_ request: Machine.LookRequest) async {
        // As a guest it would find fewer rows, and go on from there.
        client.renewToken(olderThan: request.confirmsAccount ? nil : auditInterval)
        let answer: Result<Machine.LookAnswer, RemoteDataError>
        do throws(RemoteDataError) {
            answer = .success(try await PocketBaseReader(request.table, client).look(request.columns))
        } catch { answer = .failure(error) }
        act { $0.looked(request.table, request.number, answer) }
    }
}

// MARK: - Streams

extension PocketBaseChanges {
    private func open(_ number: Int) {
        let url = client.base.text + "/api/realtime"
        let timeouts = HTTPTimeouts(connect: client.timeouts.connect, stall: Self.silence)
        let session = EventStreamSession(transport: transport, options: options) { _ in
            HTTPRequest("GET", url, timeouts: timeouts)
        }
        streams.withLock { $0[number] = Stream(session: session) }
        run { await $0.read(session, number) }
    }

    private func close(_ number: Int) {
        let stream = streams.withLock { $0.removeValue(forKey: number) }
        for timer in stream?.timers ?? [] { timer.cancel() }
        stream?.session.close()
    }

    /// Cancels what was to happen to a connection that has ended: it would happen to the next one.
    private func cancelTimers(of number: Int) {
        let timers = streams.withLock { streams in
            defer { streams[number]?.timers = [] }
            return streams[number]?.timers ?? []
        }
        for timer in timers { timer.cancel() }
    }

    private func read(_ session: EventStreamSession, _ number: Int) async {
        var end: RemoteDataError?
        do throws(NetworkError) {
            while let event = try await session.next() { handle(event, number) }
        } catch { end = RemoteDataError(error) }
        act { $0.ended(number, end) }
        close(number)
    }

    private func handle(_ event: EventStreamSession.Event, _ number: Int) {
        switch event {
        case .connected(let connection):
            streams.withLock { $0[number]?.connection = connection }
            act { $0.opened(number) }
        case .messages(let messages): for message in messages { take(message, number) }
        case .disconnected(let error), .retrying(_, _, let error):
            cancelTimers(of: number)
            let ending = NetworkError(.closed, "The server has ended the stream of changes.")
            act { $0.disconnected(number, RemoteDataError(error ?? ending)) }
        }
    }

    private func take(_ message: ServerSentEvent, _ number: Int) {
        let members = (try? JSONObject.members(of: message.data[...])) ?? []
        let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
        if message.name == "PB_CONNECT" {
            // A stream without an id is taken up by the deadline.
            guard case .text(let id)? = parts["clientId"].flatMap(Value.init(json:)) else { return }
            return act { $0.connected(number, id) }
        }
        guard message.name.hasSuffix("/*") else { return }
        let table = String(message.name.dropLast(2))
        let kinds: [Value: ChangeKind] = ["create": .created, "update": .updated, "delete": .deleted]
        guard let kind = parts["action"].flatMap(Value.init(json:)).flatMap({ kinds[$0] }),
            let row = parts["record"].flatMap({ try? Row.parse($0, idColumn: "id") })
        else { return act { $0.confused(number, table) } }
        let now = watch.elapsed
        act { $0.changed(number, table, kind, row, at: now) }
    }
}

// MARK: - Requests

extension PocketBaseChanges {
    private func send(_ post: Machine.Post) async {
        let topics = post.tables.sorted().map { JSONObject.quoted("\($0)/*")[...] }
        var body = JSONBody()
        body.member("clientId", post.client)
        body.member("subscriptions", json: JSONBody.array(topics))
        // Sent once: a second one might be overtaken by a later list, and put the first in its place.
        var request = HTTPRequest(
            "POST",
            client.base.text + "/api/realtime",
            body: body.closed,
            timeouts: client.timeouts
        )
        request.headers["Content-Type"] = "application/json"
        var refusal: RemoteDataError?
        // With a withdrawn token the server takes the program for a guest and sends fewer changes.
        client.renewToken(olderThan: Self.tokenAge)
        do throws(RemoteDataError) {
            let answer = try await client.send(request)
            if !answer.isSuccess {
                refusal = .pocketBase(answer, "to follow \(post.tables.sorted())", now: client.now())
            }
        } catch { refusal = error }
        act { [refusal] in $0.posted(post, refusal) }
    }

    private func read(_ ids: [RowID], of table: String) async {
        let reader = PocketBaseReader(table, client)
        let rows: Result<[Row], RemoteDataError>
        do throws(RemoteDataError) {
            let answer = try await reader.send(reader.requests.rows(ids), "rows")
            rows = .success(try PocketBaseList(answer, table).page.rows)
        } catch { rows = .failure(error) }
        act { $0.read(table, rows) }
    }
}
