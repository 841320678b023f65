import RemoteData
import RemoteDataExecution
import Synchronization

/// The server of a simulation: a real table in memory behind simulated HTTP and a simulated socket.
///
/// It remembers what nobody but a simulation can know: how often each write was applied, and which rows a query had at each
/// revision.
final class SimulatedServer: Sendable {
    private struct Connection {
        var pump: Task<Void, Never>?
        var feed: ChangeFeed?
        var last: Revision?
    }

    private struct State {
        var table: MemoryTable
        /// What pages are read from.
        var ordered: any Table
        var token = 1
        /// Grows with each restart: what was under way belongs to an earlier one.
        var startCount = 0
        var connections: [Int: Connection] = [:]
        /// How often each call changed the table.
        var applied: [Int: Int] = [:]
        /// The same of stores that are gone.
        var appliedBefore: [Int: Int] = [:]
        /// The calls of which a request was refused.
        var refused: Set<Int> = []
        /// The calls that were refused before another request of theirs, sent earlier, changed the table.
        var late: Set<Int> = []
        /// The calls of each write of the client's.
        var calls: [Int: [Int]] = [:]
        var history: [QueryMoment] = []
        /// How many renewals of a token bring one that is refused.
        var idleRenewals = 0
        /// How far the clock is ahead of the client's.
        var skew: Duration = .zero
        /// What the client's updates changed.
        var updates: [MadeUpdate] = []
        /// The writes with the time of the first attempt, by their keys and fingerprints.
        var stamped: [String: Mutation] = [:]
    }

    /// An update that the client made.
    struct MadeUpdate: Sendable {
        let id: RowID
        /// The row before it.
        let before: ScenarioValue
        let patch: ScenarioValue
    }

    let scheduler: SimulatedScheduler
    /// The query whose history is kept.
    let query: Query
    /// The column with the date of a row's last change; nil for none.
    let stamp: String?
    /// Whether there is no table before its first row.
    let beginning: Beginning
    /// What the server does not take, and why.
    let judge: @Sendable (Mutation) -> RemoteDataError?
    /// Told of every write that changed the table.
    let observe: @Sendable (Mutation) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - table: The table.
    ///   - ordered: The same table in the order that pages have.
    ///   - query: The query whose history is kept.
    ///   - stamp: The column with the date of a row's last change; nil for none.
    ///   - beginning: Whether there is no table before its first row.
    ///   - scheduler: What runs it.
    ///   - judge: What the server does not take, and why.
    ///   - observe: Told of every write that changed the table.
    init(
        table: MemoryTable,
        ordered: any Table,
        query: Query,
        stamp: String? = nil,
        beginning: Beginning = .atOnce,
        scheduler: SimulatedScheduler,
        judge: @escaping @Sendable (Mutation) -> RemoteDataError? = { _ in nil },
        observe: @escaping @Sendable (Mutation) -> Void = { _ in }
    ) {
        (self.judge, self.observe) = (judge, observe)
        state = Mutex(State(table: table, ordered: ordered))
        self.query = query
        self.stamp = stamp
        self.beginning = beginning
        self.scheduler = scheduler
    }

    /// The table, as it is since the server began.
    var table: MemoryTable { state.withLock { $0.table } }

    private var ordered: any Table { state.withLock { $0.ordered } }

    /// The token that is asked for.
    var token: Int { state.withLock { $0.token } }

    /// A new token for a client, which may be of no use.
    func newToken() -> Int {
        state.withLock { state in
            guard state.idleRenewals > 0 else { return state.token }
            state.idleRenewals -= 1
            return 0
        }
    }

    /// How far the server's clock is ahead of the client's.
    var skew: Duration {
        get { state.withLock { $0.skew } }
        set { state.withLock { $0.skew = newValue } }
    }

    /// How often the server was started again.
    var startCount: Int { state.withLock { $0.startCount } }

    /// Refuses every token given so far, and as many new ones.
    func expireTokens(refusing renewals: Int = 0) {
        state.withLock { state in
            state.token += 1
            state.idleRenewals = renewals
        }
    }

    /// How often each call changed the table of one epoch.
    var appliedCalls: [Int: Int] {
        state.withLock { $0.applied.merging($0.appliedBefore) { now, before in Swift.max(now, before) } }
    }

    /// How many calls changed no table but those of stores that are gone.
    var callsOfFormerStores: Int {
        state.withLock { state in state.appliedBefore.keys.count { state.applied[$0] == nil } }
    }

    /// What the client's updates changed, in their order.
    var updates: [MadeUpdate] { state.withLock { $0.updates } }

    /// How many calls changed the table by a request that came only after another of theirs was refused.
    var lateCalls: Int { state.withLock { $0.late.count } }

    /// Notes a call of a write of the client's.
    func noteCall(_ number: Int, of write: Int?) {
        guard let write else { return }
        state.withLock { $0.calls[write, default: []].append(number) }
    }

    /// Whether a write changed this table, or the one of a store that is gone.
    func hasMade(_ write: Int) -> Bool {
        state.withLock { state in
            state.calls[write, default: []]
                .contains { state.applied[$0] != nil || state.appliedBefore[$0] != nil }
        }
    }

    /// Whether a write changed this table otherwise than by a request that came behind a refusal.
    func hasMadeInTime(_ write: Int) -> Bool {
        state.withLock { state in
            state.calls[write, default: []].contains { state.applied[$0] != nil && !state.late.contains($0) }
        }
    }

    /// The rows at every revision, the oldest first.
    var history: [QueryMoment] { state.withLock { $0.history } }

    /// Notes the rows as they are now, also those of a query that is refused.
    func noteHistory() async {
        let answer = try? await ordered.page(PageRequest(query, limit: 1_000))
        let whole = answer == nil ? try? await ordered.page(PageRequest(Query(), limit: 1_000)) : nil
        guard let page = answer ?? whole else { return }
        let rows = page.rows.filter { answer != nil || query.filter?.matches($0) ?? true }
        let keys = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, Key($0, sort: query.sort)) })
        state.withLock { state in
            guard let revision = page.revision, state.history.last?.revision != revision else { return }
            state.history.append(QueryMoment(revision: revision, keys: keys))
        }
    }

    /// Every row of a query as it is now.
    func rows(of query: Query) async throws(RemoteDataError) -> [Row] {
        try await ordered.page(PageRequest(query, limit: 1_000)).rows
    }
}

// MARK: - Requests

extension SimulatedServer {
    /// Does what a request asks for.
    func answer(_ request: WireRequest) async -> WireReply {
        guard request.token == token else { return WireReply(status: 401) }
        do throws(RemoteDataError) { return try await perform(request) } catch {
            return WireReply(status: Self.status(of: error.code), problem: error)
        }
    }

    private func perform(_ request: WireRequest) async throws(RemoteDataError) -> WireReply {
        if isMissing, !request.createsTable { throw .missingTable }
        switch request.call {
        case .count(let query):
            let count = try await table.count(query)
            return WireReply(body: Array(String(count.value).utf8), tableRevision: count.revision)
        case .page(let page):
            let answer = try await ordered.page(page)
            return WireReply(body: Self.array(answer.rows.map(\.json)), tableRevision: answer.revision)
        case .row(let id):
            guard let row = try await table.row(id) else { return WireReply(status: 404) }
            return WireReply(body: Array(row.json), rowRevision: row.revision)
        case .commit(let mutation):
            return try await commit(mutation, key: request.key, number: request.number)
        case .changes:
            throw RemoteDataError(.invalidRequest, "The simulated server has no change log to be read.")
        }
    }

    private func commit(_ mutation: Mutation, key: String?, number: Int) async throws(RemoteDataError)
        -> WireReply
    {
        let (table, before) = (table, table.revision)
        let update = try await made(mutation)
        let outcome = try await committed(mutation, to: table, key: key, number: number)
        if table.revision != before {
            observe(mutation)
            state.withLock { state in
                if let update { state.updates.append(update) }
                state.applied[number, default: 0] += 1
                if state.refused.remove(number) != nil { state.late.insert(number) }
            }
        }
        await noteHistory()
        let body: [UInt8] =
            switch mutation {
            case .create, .upsert, .update:
                outcome.rows.count == 1
                    ? Array(outcome.rows[0].json) : Self.array(outcome.ids.map { $0.value.json[...] })
            case .updateAll, .deleteAll: Array(String(outcome.count).utf8)
            case .delete: Array(#"{"deletionTime":0}"#.utf8)
            }
        return WireReply(
            body: body,
            tableRevision: outcome.revision,
            rowRevision: outcome.rows.count == 1 ? outcome.rows[0].revision : nil
        )
    }

    /// What an update is about to change.
    private func made(_ mutation: Mutation) async throws(RemoteDataError) -> MadeUpdate? {
        guard case .update(let id, let patch, _) = mutation, let row = try await table.row(id),
            let before = ScenarioValue(json: row.json), let patch = ScenarioValue(json: patch)
        else { return nil }
        return MadeUpdate(id: id, before: before, patch: patch)
    }

    private func committed(
        _ mutation: Mutation,
        to table: MemoryTable,
        key: String?,
        number: Int
    ) async throws(RemoteDataError) -> Outcome {
        do throws(RemoteDataError) {
            if let error = judge(mutation) { throw error }
            return try await table.commit(stamped(mutation, key), idempotencyKey: key)
        } catch {
            state.withLock { _ = $0.refused.insert(number) }
            throw error
        }
    }

    private func stamped(_ mutation: Mutation, _ key: String?) throws(RemoteDataError) -> Mutation {
        let stamped = try stamped(mutation)
        guard let key else { return stamped }
        return state.withLock { state in
            let name = "\(key) \(mutation.fingerprint)"
            let first = state.stamped[name] ?? stamped
            state.stamped[name] = first
            return first
        }
    }

    private static func array(_ parts: [ArraySlice<UInt8>]) -> [UInt8] {
        [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    private static func status(of code: RemoteDataError.Code) -> Int {
        switch code {
        case .notFound: 404
        case .forbidden: 403
        case .alreadyExists: 409
        case .conflict: 412
        case .gone: 410
        case .tooLarge: 413
        default: 400
        }
    }
}

// MARK: - Subscriptions

extension SimulatedServer {
    /// Opens a subscription and tells its frames; how it ends is not told.
    ///
    /// - Throws: ``RemoteDataError`` when it is refused.
    func open(
        _ connection: Int,
        query: Query,
        since: Revision?,
        token: Int,
        send: @escaping @Sendable (WireFrame) -> Void
    ) async throws(RemoteDataError) {
        guard token == self.token else { throw RemoteDataError(.unauthorized, "The token has expired.") }
        if isMissing, beginning == .withFirstRow(refusesSubscriptions: true) { throw .missingTable }
        let feed = try await table.subscribe(to: query, since: since)
        state.withLock { $0.connections[connection] = Connection(feed: feed) }
        let pump = scheduler.start { [weak self] in
            while true {
                let events = await feed.nextBatch()
                guard !events.isEmpty, let self else { return }
                for event in events { if let frame = self.frame(of: event, connection) { send(frame) } }
            }
        }
        state.withLock { $0.connections[connection]?.pump = pump }
    }

    private func frame(of event: ChangeEvent, _ connection: Int) -> WireFrame? {
        let now = table.revision
        return state.withLock { state in
            guard let last = state.connections[connection].map(\.last) else { return nil }
            let revision: Revision
            switch event {
            case .live(let begin):
                revision = begin ?? now
                // Behind a reset it only says what the reset's frame has said.
                if last == revision { return nil }
            case .change(let change): revision = change.revision ?? now
            case .progress(let reached): revision = reached
            case .reset: revision = now
            case .interrupted: return nil
            }
            state.connections[connection]?.last = revision
            return WireFrame(connection: connection, after: last, revision: revision, event: event)
        }
    }

    /// A frame that says nothing but how far a subscription has come, for each of them.
    func heartbeats() -> [WireFrame] {
        state.withLock { state in
            state.connections.sorted { $0.key < $1.key }.compactMap { number, connection in
                guard let last = connection.last else { return nil }
                return WireFrame(connection: number, after: last, revision: last, event: .progress(last))
            }
        }
    }

    /// Frames that tell every subscriber to look at everything again.
    func resets() -> [WireFrame] {
        let now = table.revision
        return state.withLock { state in
            state.connections.sorted { $0.key < $1.key }.compactMap { number, connection in
                // What is on its way through the feed comes behind, and is then known already.
                guard let last = connection.last else { return nil }
                state.connections[number]?.last = now
                return WireFrame(connection: number, after: last, revision: now, event: .reset)
            }
        }
    }

    /// Ends a subscription.
    func close(_ connection: Int) {
        let closed = state.withLock { $0.connections.removeValue(forKey: connection) }
        closed?.feed?.cancel()
    }

    /// Stops and starts again: every connection is gone.
    func restart(keepsLog: Bool) {
        stop()
        if !keepsLog { table.forgetLog() }
    }

    /// Stops and starts again as a store that has begun anew: other rows, and revisions of another epoch.
    ///
    /// - Parameters:
    ///   - table: The table from now on.
    ///   - ordered: The same table in the order that pages have.
    func restart(with table: MemoryTable, ordered: any Table) {
        stop()
        state.withLock { state in
            (state.table, state.ordered) = (table, ordered)
            state.appliedBefore.merge(state.applied) { before, now in Swift.max(before, now) }
            state.applied = [:]
        }
    }

    private func stop() {
        let connections = state.withLock { state in
            state.startCount += 1
            return state.connections.keys.sorted()
        }
        for connection in connections { close(connection) }
    }
}
