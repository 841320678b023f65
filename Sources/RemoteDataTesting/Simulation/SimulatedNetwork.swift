import RemoteData
import RemoteDataExecution
import Synchronization

/// What lies between a simulated table and the simulated server.
///
/// Messages take a while. Requests and answers overtake each other; the frames of a connection come in order unless told
/// otherwise.
final class SimulatedNetwork: Sendable {
    private struct Line {
        weak var socket: SimulatedSocket?
        var isOpen = true
        /// When the last frame sent arrives.
        var lastArrival: Duration = .zero
        var held: [WireFrame] = []
    }

    private struct State {
        var faults = NetworkFaults()
        var lines: [Int: Line] = [:]
        var lastConnection = 0
        var requests: [String: Int] = [:]
        var latestCalls: [String: Int] = [:]
        /// What was asked for, for whoever looks at it in time.
        var sent: [ScenarioValue] = []

        mutating func note(_ name: String, _ words: ScenarioValue) {
            requests[name, default: 0] += 1
            if sent.count < 1_000 { sent.append(words) }
        }
    }

    let scheduler: SimulatedScheduler
    let server: SimulatedServer
    private let state = Mutex(State())

    init(scheduler: SimulatedScheduler, server: SimulatedServer) {
        self.scheduler = scheduler
        self.server = server
    }

    /// How many requests of each kind were sent.
    var requests: [String: Int] { state.withLock { $0.requests } }

    /// The number of the latest call of each kind, however often it was sent.
    var latestCalls: [String: Int] { state.withLock { $0.latestCalls } }

    /// What was asked for since this was called last.
    func takeSent() -> [ScenarioValue] {
        state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
    }

    /// Changes what is wrong.
    func change(_ body: (inout NetworkFaults) -> Void) { state.withLock { body(&$0.faults) } }

    private var latency: Duration {
        .milliseconds(scheduler.isShuffling ? 1 + scheduler.number(upTo: 40) : 10)
    }

    private var isOffline: Bool { state.withLock { $0.faults.isOffline } }

    static func unreachable(_ what: String) -> RemoteDataError { RemoteDataError(.unreachable, what) }
}

// MARK: - Requests

extension SimulatedNetwork {
    /// Sends a request; answers with what comes back, with why nothing does, or never.
    func send(_ request: WireRequest, _ answer: @escaping @Sendable (Result<WireReply, any Error>) -> Void) {
        let (fault, isOffline) = state.withLock { state in
            state.note(request.name, request.words)
            state.latestCalls[request.name] = max(request.number, state.latestCalls[request.name] ?? 0)
            return (state.faults.take(request.name), state.faults.isOffline)
        }
        guard !isOffline else {
            return fail(after: latency, "There is no connection to the server.", answer)
        }
        var wait = latency
        switch fault {
        case .loseRequest(let isTold):
            if isTold { fail(after: wait, "The connection broke while a request was sent.", answer) }
            return
        case .status(let status, let retryAfter):
            // A date is what the server's clock says; the client compares it with its own.
            let understood = retryAfter.map { max(.zero, $0 + server.skew) }
            let reply = WireReply(status: status, retryAfter: understood)
            scheduler.after(wait * 2, isMessage: true) { answer(.success(reply)) }
            return
        case .body(let body, let status):
            let reply = WireReply(status: status, body: Array(body.utf8))
            scheduler.after(wait * 2, isMessage: true) { answer(.success(reply)) }
            return
        case .delay(let more): wait += more
        case .loseReply, .delayReply, .truncate, nil: break
        }
        let startCount = server.startCount
        scheduler.after(wait, isMessage: true) { [self] in arrive(request, fault, startCount, answer) }
    }

    private func arrive(
        _ request: WireRequest,
        _ fault: RequestFault.Kind?,
        _ startCount: Int,
        _ answer: @escaping @Sendable (Result<WireReply, any Error>) -> Void
    ) {
        guard server.startCount == startCount, !isOffline else {
            return fail(after: .zero, "The connection broke before an answer came.", answer)
        }
        scheduler.start { [self] in
            var reply = spoiled(await server.answer(request), to: request)
            var wait = latency
            switch fault {
            case .delayReply(let more): wait += more
            case .loseReply(let isTold):
                if isTold { fail(after: latency, "The connection broke before an answer came.", answer) }
                return
            case .truncate:
                // Half a number is a number: of those nothing is left, which is noticed.
                let isNumber =
                    reply.body.first.map { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "{") } ?? true
                reply.body = isNumber ? [] : Array(reply.body.prefix(reply.body.count / 2))
            default: break
            }
            scheduler.after(wait, isMessage: true) { [self, reply] in
                guard server.startCount == startCount, !isOffline else {
                    return answer(.failure(Self.unreachable("The connection broke before an answer came.")))
                }
                answer(.success(reply))
            }
        }
    }

    /// The answer without what says which rows those are that cannot be read.
    private func spoiled(_ reply: WireReply, to request: WireRequest) -> WireReply {
        let spoiled = state.withLock { $0.faults.spoiled }
        guard !spoiled.isEmpty, case .page = request.call, let rows = ScenarioValue(json: reply.body[...]),
            case .array(let rows) = rows
        else { return reply }
        let idColumn = server.table.idColumn
        let readable = rows.map { row in
            let isSpoiled = row[idColumn]?.id.map { spoiled.contains($0) } ?? false
            return isSpoiled ? row.merging([idColumn: .null]) : row
        }
        var reply = reply
        reply.body = ScenarioValue.array(readable).json
        return reply
    }

    private func fail(
        after wait: Duration,
        _ what: String,
        _ answer: @escaping @Sendable (Result<WireReply, any Error>) -> Void
    ) {
        scheduler.after(wait, isMessage: true) { answer(.failure(Self.unreachable(what))) }
    }
}

// MARK: - Frames

extension SimulatedNetwork {
    /// Opens a connection for a subscription: its frames, and what becomes of it, are told to the socket.
    func connect(_ socket: SimulatedSocket, query: Query, since: Revision?, token: Int) -> Int {
        let words = WireRequest.subscription(query, since: since)
        let (connection, isOffline, fault) = state.withLock { state in
            state.lastConnection += 1
            state.lines[state.lastConnection] = Line(socket: socket)
            state.note("subscribe", words)
            return (state.lastConnection, state.faults.isOffline, state.faults.take("subscribe"))
        }
        guard !isOffline else {
            scheduler.after(latency, isMessage: true) { [self] in cut(connection) }
            return connection
        }
        var wait = latency * 2
        switch fault {
        case .status(let status, _), .body(_, let status):
            let error = SimulatedTable.error(WireReply(status: status))
            scheduler.after(wait, isMessage: true) { [self] in end(connection, error) }
            return connection
        case .loseRequest(let isTold), .loseReply(let isTold):
            if isTold { scheduler.after(wait, isMessage: true) { [self] in cut(connection) } }
            return connection
        case .delay(let more): wait += more
        case .truncate, .delayReply, nil: break
        }
        let startCount = server.startCount
        scheduler.after(wait, isMessage: true) { [self] in
            guard server.startCount == startCount, isOpen(connection) else { return cut(connection) }
            scheduler.start { [self] in
                do throws(RemoteDataError) {
                    try await server.open(connection, query: query, since: since, token: token) {
                        [weak self] in self?.send($0)
                    }
                    if !isOpen(connection) { server.close(connection) }
                } catch {
                    scheduler.after(latency, isMessage: true) { [self] in end(connection, error) }
                }
            }
        }
        return connection
    }

    private func isOpen(_ connection: Int) -> Bool {
        state.withLock { $0.lines[connection]?.isOpen ?? false }
    }

    /// Sends a frame, well or not.
    func send(_ frame: WireFrame) {
        let number = scheduler.number(upTo: 200)
        let wait = latency
        let now = scheduler.now
        let arrivals = state.withLock { state -> [(Duration, WireFrame)] in
            guard var line = state.lines[frame.connection], line.isOpen else { return [] }
            defer { state.lines[frame.connection] = line }
            if state.faults.frames.isHolding {
                if line.held.count < 1_000 { line.held.append(frame) }
                return []
            }
            if state.faults.frames.drop > 0 {
                state.faults.frames.drop -= 1
                return []
            }
            if state.faults.frames.malform > 0 {
                state.faults.frames.malform -= 1
                var malformed = frame
                malformed.isMalformed = true
                return [(wait, malformed)]
            }
            if state.faults.frames.reorder > 0 {
                state.faults.frames.reorder -= 1
                return [(wait + .milliseconds(30 + number), frame)]
            }
            line.lastArrival = max(line.lastArrival, now + wait)
            guard state.faults.frames.duplicate > 0 else { return [(line.lastArrival - now, frame)] }
            state.faults.frames.duplicate -= 1
            return [(line.lastArrival - now, frame), (wait + .milliseconds(20 + number), frame)]
        }
        // A quiet connection says from time to time how far it has come, so that a lost frame is noticed.
        if arrivals.count != 1 {
            scheduler.after(.seconds(5)) { [weak self] in self?.beat(frame.connection) }
        }
        for (wait, frame) in arrivals {
            scheduler.after(wait, isMessage: true) { [weak self] in self?.arrive(frame) }
        }
    }

    private func beat(_ connection: Int) {
        for frame in server.heartbeats() where frame.connection == connection { send(frame) }
    }

    private func arrive(_ frame: WireFrame) {
        let socket = state.withLock { state in
            state.lines[frame.connection].flatMap { $0.isOpen ? $0.socket : nil }
        }
        socket?.receive(frame)
    }

    /// Whether frames are held that are still to come.
    var holdsFrames: Bool { state.withLock { state in state.lines.values.contains { !$0.held.isEmpty } } }

    /// Lets held frames go on their way.
    func releaseFrames() {
        let held = state.withLock { state in
            state.faults.frames.isHolding = false
            return state.lines.keys.sorted().flatMap { number in
                defer { state.lines[number]?.held = [] }
                return state.lines[number]?.held ?? []
            }
        }
        for frame in held { send(frame) }
    }

    /// Tells every subscriber how far it should have come.
    func beatAll() { for frame in server.heartbeats() { send(frame) } }

    /// Tells every subscriber to look at everything again.
    func resetAll() { for frame in server.resets() { send(frame) } }

    /// Closes a connection from the client's side.
    func close(_ connection: Int) {
        state.withLock { $0.lines[connection] = nil }
        server.close(connection)
    }

    /// Breaks every connection; the client notices at once, or when it misses a sign of life.
    func cutAll(silently: Bool = false) {
        for connection in state.withLock({ $0.lines.keys.sorted() }) { cut(connection, silently: silently) }
    }

    private func cut(_ connection: Int, silently: Bool = false) {
        end(connection, Self.unreachable("The connection for changes broke."), silently: silently)
    }

    private func end(_ connection: Int, _ error: RemoteDataError, silently: Bool = false) {
        let socket = state.withLock { state -> SimulatedSocket? in
            guard let line = state.lines[connection], line.isOpen else { return nil }
            state.lines[connection]?.isOpen = false
            return line.socket
        }
        server.close(connection)
        guard let socket else { return }
        scheduler.after(silently ? .seconds(10) : .milliseconds(1), isMessage: !silently) { [weak socket] in
            socket?.disconnected(connection, error)
        }
    }

    /// Stops the server and starts it again.
    func restartServer(keepsLog: Bool) {
        server.restart(keepsLog: keepsLog)
        cutAll()
    }

    /// Stops the server and starts it again with a store that has begun anew.
    func beginAnew(with table: MemoryTable, ordered: any Table) {
        server.restart(with: table, ordered: ordered)
        cutAll()
    }
}
