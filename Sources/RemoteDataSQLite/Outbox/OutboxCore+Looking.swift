import Foundation
import RemoteData
import RemoteDataExecution
import Synchronization

// What others ask of the outbox and have it do.
extension OutboxCore {
    func connect(_ options: OutboxOptions, _ remote: @escaping @Sendable (String) -> (any Table)?) {
        var schedule = RetrySchedule()
        (schedule.quickRetries, schedule.slowCycle) = (options.quickRetries, options.slowRetry)
        state.withLock { [schedule] state in
            guard !state.isClosed else { return }
            state.options = options
            state.remote = remote
            state.tables = [:]
            state.schedule = schedule
            var plan = SendingPlan(schedule)
            (plan.isPaused, plan.isOffline) = (state.plan.isPaused, state.plan.isOffline)
            state.plan = plan
        }
        pump()
    }

    func setPaused(_ isPaused: Bool) {
        state.withLock { $0.plan.isPaused = isPaused }
        if !isPaused { pump() }
    }

    func setOffline(_ isOffline: Bool) {
        let now = now
        let (isBack, pullers) = state.withLock { state in
            defer { state.plan.isOffline = isOffline }
            guard state.plan.isOffline, !isOffline else { return (false, state.pullers) }
            state.plan.networkReturned(now: now)
            return (true, state.pullers)
        }
        for item in pullers { item.puller?.setOffline(isOffline) }
        if isBack { hurry() }
    }

    /// Tells what brings rows here what becomes of the network and of the store.
    func add(_ puller: Puller) {
        let (isOffline, isClosed) = state.withLock { state in
            state.pullers.removeAll { $0.puller == nil }
            state.pullers.append(WeakPuller(puller: puller))
            return (state.plan.isOffline, state.isClosed)
        }
        if isOffline { puller.setOffline(true) }
        if isClosed { puller.stop() }
    }

    /// The server was heard from: what waits for a time is sent now.
    func networkReturned() {
        let now = now
        let wasDown = state.withLock { state in
            guard state.plan.reach != .up else { return false }
            state.plan.networkReturned(now: now)
            return true
        }
        if wasDown { hurry() }
    }

    /// Sends at once what waits for a time, unless there is known to be no network.
    func reconnect() {
        let now = now
        let isOffline = state.withLock { state in
            if !state.plan.isOffline { state.plan.networkReturned(now: now) }
            return state.plan.isOffline
        }
        if !isOffline { hurry() }
    }

    private func hurry() {
        surroundings.start { [weak self] in
            try? await self?.change { (transaction) throws(RemoteDataError) in try transaction.hurry() }
            self?.pump()
        }
    }

    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreTransaction) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        try await store.writer.commit(body)
    }

    func count(_ condition: String) async throws(RemoteDataError) -> Int {
        try await store.read { (connection) throws(RemoteDataError) in
            try connection.first("SELECT count(*) FROM outbox WHERE \(condition)") { Int($0.integer(0)) } ?? 0
        }
    }

    func items(
        _ condition: String,
        order: String = "outbox.number",
        limit: Int
    ) async throws(RemoteDataError) -> [OutboxItem] {
        try await store.read { (connection) throws(RemoteDataError) in
            var items: [OutboxItem] = []
            try connection.query(
                """
                SELECT \(OutboxEntry.columns),error,time FROM \(OutboxEntry.source)
                WHERE \(condition) ORDER BY \(order) LIMIT ?
                """,
                [Binding(max(0, limit))]
            ) { row in
                if let item = OutboxItem(row) { items.append(item) }
            }
            return items
        }
    }
}

extension OutboxItem {
    fileprivate init?(_ row: Statement) {
        guard let entry = OutboxEntry(row) else { return nil }
        let error =
            RemoteDataError(stored: row.text(OutboxEntry.columnCount))
            ?? RemoteDataError(.rejected, "It was refused.")
        (id, table, self.row, json) = (entry.number, entry.table, entry.id, entry.change.body)
        (attempts, waitsFor) = (entry.attempts, entry.waitsFor)
        time = Date(timeIntervalSince1970: Double(row.integer(OutboxEntry.columnCount + 1)) / 1_000)
        kind =
            switch entry.change.kind {
            case .create: .create
            case .upsert: .upsert
            case .update: .update
            case .delete: .delete
            }
        state =
            switch entry.state {
            case .queued: .queued
            case .sending: .sending
            case .dead: .dead(error)
            case .rejected: .rejected(error)
            }
    }
}

// MARK: - Writing

extension OutboxCore {
    /// Makes a change in a table here and queues it for the server, all of it or nothing.
    func write(
        _ mutation: Mutation,
        to table: TableState,
        _ local: LocalStore,
        key: String?,
        isBlind: Bool = false
    ) async throws(RemoteDataError) -> SyncedWrite {
        try checkIdempotencyKey(key)
        let access = try await local.rights()
        let prepared = try access?.prepared(mutation) ?? mutation
        let makeID = rowIDs(of: table.name, otherwise: local.makeID)
        let rows = try prepared.rows(idColumn: local.idColumn, makeID: makeID)
        let write = PendingWrite(
            table: table,
            mutation: prepared,
            rows: rows,
            key: access.map { $0.key(key, for: mutation) } ?? key,
            access: access?.making(mutation),
            isBlind: isBlind
        )
        let queued = try await store.writer.answer(write) { () async throws(RemoteDataError) in
            try await change { (transaction) throws(RemoteDataError) in try transaction.queue(write) }
        }
        return SyncedWrite(outcome: queued.outcome, numbers: queued.numbers, outbox: self)
    }

    /// What makes ids for rows of a table that its server takes.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - makeID: What makes them where the server takes any text, or none is known.
    /// - Returns: Makes another one each time.
    func rowIDs(
        of table: String,
        otherwise makeID: @escaping @Sendable () -> RowID
    ) -> @Sendable () -> RowID {
        guard let remote = remote(table) else { return makeID }
        return { remote.makeRowID() ?? makeID() }
    }

    /// Has the writes of a table be sent to a server's.
    func send(_ name: String, to remote: any Table) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.tables[name] = remote
            if state.remote == nil { state.remote = { _ in nil } }
        }
        pump()
    }
}
