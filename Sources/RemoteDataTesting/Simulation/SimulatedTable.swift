public import RemoteData
import RemoteDataExecution
import Synchronization

/// The client's side of a simulated server: a table whose every call travels over a network that does what a scenario says.
///
/// It does what an adapter for a real server does: it sends again what fails for a reason that may pass, writes by their
/// idempotency keys; it asks for new credentials when they are refused; it subscribes again when a connection is lost.
/// ``ScenarioRunner`` makes it. To be used only on the threads of a simulation.
public final class SimulatedTable: Table {
    /// The table's name.
    public let name: String
    /// The column that holds a row's id.
    public let idColumn: String
    /// How dates are written in rows.
    public let dates: DateConvention
    /// What the table says it can do.
    public let capabilities: Capabilities

    let network: SimulatedNetwork
    private let credentials: SimulatedCredentials
    private let defect: Defect?
    /// How many events may wait in a feed; nil for the usual number.
    private let backlog: Int?
    /// Whether the program that asks still runs: once it has ended, nothing is sent, nor sent again.
    private let isAlive: @Sendable () -> Bool
    private let calls = Atomic<Int>(0)
    /// The write of the client's that calls are made for.
    @TaskLocal static var write: Int?

    init(
        network: SimulatedNetwork,
        capabilities: Capabilities,
        backlog: Int? = nil,
        defect: Defect?,
        isAlive: @escaping @Sendable () -> Bool = { true }
    ) {
        let table = network.server.table
        (name, idColumn, dates) = (table.name, table.idColumn, table.dates)
        self.network = network
        self.capabilities = capabilities
        self.backlog = backlog
        self.defect = defect
        self.isAlive = isAlive
        credentials = SimulatedCredentials(network.server)
    }

    /// How often a request is sent at most.
    private static var attempts: Int { 4 }

    /// How long an answer may take.
    private static var patience: Duration { .seconds(8) }

    /// Sends a request until there is an answer, or no hope for one.
    private func send(_ call: WireRequest.Call, key: String? = nil) async throws(RemoteDataError) -> WireReply
    {
        let number = calls.wrappingAdd(1, ordering: .relaxed).newValue
        if case .commit = call { network.server.noteCall(number, of: Self.write) }
        var failures = 0
        var isRenewed = false
        while true {
            guard isAlive() else { throw Self.ended }
            let request = WireRequest(
                call: call,
                // A server that does not know keys is sent none.
                key: defect == .writesWithoutKeys || !capabilities.idempotency ? nil : key,
                token: credentials.token,
                number: number
            )
            do throws(RemoteDataError) {
                let reply = try await exchange(request)
                if reply.isMissingRow, case .row = call { return reply }
                guard reply.status == 401, !isRenewed else {
                    return try checked(reply, attempts: failures + 1)
                }
                isRenewed = true
                credentials.renew()
                continue
            } catch {
                failures += 1
                let isRepeatable = request.isRepeatable || defect == .writesWithoutKeys
                guard error.isTransient, isRepeatable, failures < Self.attempts else { throw error }
                let wait = Backoff().delay(
                    afterFailures: failures,
                    atLeast: error.retryAfter,
                    chance: network.scheduler.chance()
                )
                guard wait <= .seconds(60),
                    (try? await SimulatedClock(scheduler: network.scheduler).sleep(for: wait)) != nil
                else { throw error }
            }
        }
    }

    private func exchange(_ request: WireRequest) async throws(RemoteDataError) -> WireReply {
        let waiter = OneShot<WireReply>()
        network.send(request) { waiter.resume($0) }
        let timer = network.scheduler.after(defect == .waitsForEver ? .seconds(1_000_000) : Self.patience) {
            waiter.resume(.failure(RemoteDataError(.timedOut, "The server did not answer in time.")))
        }
        defer { network.scheduler.cancel(timer) }
        do {
            return try await withTaskCancellationHandler {
                try await waiter.value()
            } onCancel: {
                waiter.resume(.failure(CancellationError()))
            }
        } catch let error as RemoteDataError { throw error } catch {
            throw RemoteDataError(.cancelled, "The request was given up.")
        }
    }

    private func checked(_ reply: WireReply, attempts: Int) throws(RemoteDataError) -> WireReply {
        guard (200..<300).contains(reply.status) else { throw Self.error(reply, attempts: attempts) }
        return reply
    }

    private static let ended = RemoteDataError(.cancelled, "The process has ended.")

    /// What an answer that is a refusal means.
    static func error(_ reply: WireReply, attempts: Int = 1) -> RemoteDataError {
        let code: RemoteDataError.Code =
            switch reply.status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 429: .rateLimited
            case 408: .timedOut
            case 425, 500, 502, 503, 504: .unavailable
            default: .rejected
            }
        return RemoteDataError(
            reply.problem?.code ?? code,
            reply.problem?.message ?? "The server answered \(reply.status).",
            position: reply.problem?.position,
            status: reply.status,
            retryAfter: reply.retryAfter,
            attempts: attempts
        )
    }
}

// MARK: - Reading

extension SimulatedTable {
    /// How many rows the query has; one request.
    ///
    /// A few more than that of a clause, where the table does not count exactly.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let reply = try await send(.count(query))
        let count = try integer(reply)
        guard !capabilities.exactCounts, query.filter != nil else {
            return Count(count, revision: told(reply.tableRevision))
        }
        return Count(count + (count * 7 + 3) % 5, revision: told(reply.tableRevision), isExact: false)
    }

    /// A page of a query; one request.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let reply = try await send(.page(request))
        do throws(RemoteDataError) {
            return try Page.parse(reply.body, idColumn: idColumn, revision: told(reply.tableRevision))
        } catch { throw invalid(reply) }
    }

    /// The row with an id; nil when there is none; one request.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let reply = try await send(.row(id))
        return reply.isMissingRow ? nil : try row(reply)
    }

    /// Not offered: throws `gone`, as a server does whose log does not reach back.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "The simulated server has no change log to be read.")
    }

    private func row(_ reply: WireReply) throws(RemoteDataError) -> Row {
        do throws(RemoteDataError) {
            return try Row.parse(reply.body[...], idColumn: idColumn, revision: told(reply.rowRevision))
        } catch { throw invalid(reply) }
    }

    private func integer(_ reply: WireReply) throws(RemoteDataError) -> Int {
        guard let number = Int(String(decoding: reply.body, as: UTF8.self)), number >= 0 else {
            throw invalid(reply)
        }
        return number
    }

    private func invalid(_ reply: WireReply) -> RemoteDataError {
        RemoteDataError(.invalidAnswer, "The server's answer cannot be read.", status: reply.status)
    }

    /// A table without revisions tells none.
    private func told(_ revision: Revision?) -> Revision? { capabilities.revisions ? revision : nil }
}

// MARK: - Writing and following

extension SimulatedTable {
    /// Makes a change; one request, sent again when its answer is lost.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        let reply = try await send(.commit(mutation), key: idempotencyKey)
        let revision = told(reply.tableRevision)
        switch mutation {
        case .create(let drafts) where drafts.count == 1, .upsert(let drafts) where drafts.count == 1:
            let row = try row(reply)
            return Outcome(rows: [row], ids: [row.id], count: 1, revision: revision)
        case .create(let drafts), .upsert(let drafts):
            let ids = try? JSONObject.elements(of: reply.body[...]).compactMap { json in
                Value(json: json).flatMap { RowID($0) }
            }
            guard let ids, ids.count == drafts.count else { throw invalid(reply) }
            return Outcome(ids: ids, count: ids.count, revision: revision)
        case .update(let id, _, _):
            return Outcome(rows: [try row(reply)], ids: [id], count: 1, revision: revision)
        case .updateAll, .deleteAll: return Outcome(count: try integer(reply), revision: revision)
        case .delete(let id, _):
            guard reply.body.last == UInt8(ascii: "}") else { throw invalid(reply) }
            return Outcome(ids: [id], count: 1, revision: revision)
        }
    }

    /// Starts delivering changes of a query; returns at once.
    public func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError)
        -> ChangeFeed
    {
        guard isAlive() else { throw Self.ended }
        let socket = SimulatedSocket(
            query: query,
            since: revision,
            network: network,
            capabilities: capabilities,
            credentials: credentials,
            defect: defect
        )
        let feed =
            backlog.map { ChangeFeed(capacity: $0) { socket.close() } } ?? ChangeFeed { socket.close() }
        socket.start(feed)
        return feed
    }
}

/// What a simulated client shows of itself.
final class SimulatedCredentials: Sendable {
    private let server: SimulatedServer
    private let state: Atomic<Int>

    init(_ server: SimulatedServer) {
        self.server = server
        state = Atomic(server.token)
    }

    /// The token it has.
    var token: Int { state.load(ordering: .relaxed) }

    /// Gets a new one.
    func renew() { state.store(server.newToken(), ordering: .relaxed) }
}
