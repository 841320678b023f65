import RemoteDataExecution
import Synchronization

/// A table in memory, with everything a table can do.
///
/// Thread-safe. Calls wait for one another's short critical sections alone, and queries that take long for
/// other such queries. Rows live as long as the table or its ``MemoryTableStore``.
public final class MemoryTable: Table {
    /// The table's name.
    public let name: String
    /// The column that holds a row's id.
    public let idColumn: String
    /// How dates are written in rows.
    public let dates: DateConvention
    /// What the table can do: everything.
    public let capabilities: Capabilities

    let state: Mutex<MemoryTableState>
    let hub: ChangeHub
    /// Whether clauses are those of others, which is so where changes are not delivered in place.
    private let isServed: Bool
    private let revisions: RevisionSource
    private let makeID: @Sendable () -> RowID

    /// Creates an empty table with revisions of its own.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - idColumn: The column that holds a row's id.
    ///   - dates: How dates are written in rows.
    ///   - logCapacity: How many changes can be resumed from.
    ///   - epoch: The history its revisions belong to; nil gives them none, which is enough for a table that
    ///     is not served.
    ///   - makeID: Makes the ids of rows that come without one.
    public convenience init(
        _ name: String,
        idColumn: String = "objectId",
        dates: DateConvention = .epochMilliseconds,
        logCapacity: Int = 100_000,
        epoch: Epoch? = nil,
        makeID: @escaping @Sendable () -> RowID = { RowID.random() }
    ) {
        self.init(
            name,
            idColumn: idColumn,
            dates: dates,
            logCapacity: logCapacity,
            revisions: RevisionSource(epoch: epoch),
            makeID: makeID
        )
    }

    init(
        _ name: String,
        idColumn: String,
        dates: DateConvention,
        logCapacity: Int,
        revisions: RevisionSource,
        delivery: ChangeHub.Delivery = .inPlace,
        makeID: @escaping @Sendable () -> RowID
    ) {
        (hub, isServed) = (ChangeHub(delivery: delivery), delivery == .queued)
        self.name = name
        self.idColumn = idColumn
        self.dates = dates
        self.revisions = revisions
        self.makeID = makeID
        capabilities = .full
        state = Mutex(MemoryTableState(logCapacity: logCapacity, epoch: revisions.epoch))
    }

    /// How many rows the query has.
    ///
    /// - Complexity: O(1) for all and for a filter asked for recently, otherwise O(rows).
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try check(query)
        return try await count(of: query)
    }

    /// How many rows a query has whose columns have been checked, or are not to be.
    func count(of query: Query) async throws(RemoteDataError) -> Count {
        let (order, revision) = try await order(of: Query(query.filter))
        return Count(order.count, revision: revision)
    }

    private func check(_ query: Query) throws(RemoteDataError) {
        try refuseSubQueries(query.filter)
        let check = state.withLock { state in
            Result { () throws(RemoteDataError) in try state.check(query, table: name, idColumn: idColumn) }
        }
        try check.get()
    }

    /// A page of a query.
    ///
    /// - Complexity: O(log n + page) behind or in front of a key of a query asked for recently or without
    ///   filter and sort; O(n log n) for the first page of another query.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        _ = try request.checkedLimit(maximum: capabilities.maximumPageSize)
        try check(request.query)
        return try await page(of: request)
    }

    /// A page of a query whose columns have been checked, or are not to be.
    func page(of request: PageRequest) async throws(RemoteDataError) -> Page {
        let limit = try request.checkedLimit(maximum: capabilities.maximumPageSize)
        let (order, revision) = try await order(of: request.query)
        return Page(rows: order.page(request.start, limit: limit), revision: revision)
    }

    /// The row with an id; nil when there is none.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        state.withLock { $0.rows.row(at: Key(values: [], id: id)) }
    }

    /// Makes a change, all of it or nothing.
    ///
    /// - Complexity: O(log n) for each row written; O(n) for changes by clause.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try checkIdempotencyKey(idempotencyKey)
        return try commit(mutation, key: idempotencyKey, access: nil)
    }

    /// Makes a change by somebody's rights, which have prepared it; nil for all rights.
    func commit(_ mutation: Mutation, key: String?, access: RowAccess?) throws(RemoteDataError) -> Outcome {
        try refuseSubQueries(mutation.filter)
        let rows = try mutation.rows(idColumn: idColumn, makeID: makeID)
        // Locks are always taken in this order: the table's, the revisions', the hub's queue; no code of
        // others under any.
        let result = state.withLock { state in
            Result { () throws(RemoteDataError) in
                try state.commit(
                    mutation,
                    rows: rows,
                    key: key,
                    table: name,
                    idColumn: idColumn,
                    access: access,
                    revisions,
                    hub
                )
            }
        }
        hub.deliver()
        return try result.get()
    }

    /// The changes after a revision in the order they were made, at most `limit`; `gone` when the log begins
    /// later.
    ///
    /// - Complexity: O(log n + changes).
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try changes(since: revision, limit: limit, access: nil)
    }

    /// The changes after a revision, as far as somebody's rights let them be seen.
    func changes(
        since revision: Revision,
        limit: Int,
        access: RowAccess?
    ) throws(RemoteDataError) -> ChangeBatch {
        guard let since = revision.point(in: revisions.epoch) else {
            throw .otherHistory(revision)
        }
        let newest = revisions.newest
        let (current, changes) = state.withLock { ($0.revision, $0.log.changes(since: since)) }
        return try ChangeBatch(
            changes,
            since: since,
            limit: limit,
            tableRevision: current,
            newestRevision: Swift.max(newest, current),
            access: access
        )
    }

    /// Starts delivering changes of a query.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        try subscribe(to: query, since: revision, access: nil)
    }

    /// Starts delivering what somebody's rights let be seen of the changes of a query.
    func subscribe(
        to query: Query,
        since revision: Revision?,
        access: RowAccess?
    ) throws(RemoteDataError) -> ChangeFeed {
        try refuseSubQueries(query.filter)
        let newest = revisions.newest
        let result = state.withLock { state in
            Result { () throws(RemoteDataError) in
                if access == nil { try state.check(query, table: name, idColumn: idColumn) }
                let start = state.start(since: revision, newest: newest)
                return hub.subscribe(to: query, start: start, access: access)
            }
        }
        hub.deliver()
        return try result.get()
    }

    /// The rows of a query in order, and the revision they are of.
    ///
    /// Sorting happens outside the lock, on rows that share their storage with the table; where it takes
    /// long, on threads for
    /// such, so that those of the callers are for what is quick.
    private func order(of query: Query) async throws(RemoteDataError) -> (RowOrder, Revision) {
        let (known, rows, revision) = state.withLock { state in
            (state.order(of: query), state.rows, state.revision)
        }
        if let known { return (known, revision) }
        var order: RowOrder?
        if !isServed || !(query.filter?.isCostly ?? false) {
            order = WorkBudget(steps: WorkBudget.quickSteps).run { RowOrder(query, sorting: rows) }
        }
        if order == nil { order = await Self.slowly { RowOrder(query, sorting: rows) } }
        guard let order else {
            if Task.isCancelled { throw RemoteDataError(.cancelled, "The query was cancelled.") }
            throw .tooMuchWork
        }
        state.withLock { $0.remember(order, of: revision) }
        return (order, revision)
    }

    /// Does work on threads for what takes long, with the budget in force, until the task is cancelled.
    ///
    /// - Returns: What came of it; nil when the budget was used up.
    private static func slowly<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
        let budget = WorkBudget()
        return await withTaskCancellationHandler {
            await Task(executorPreference: WorkerExecutor.queries) { budget.run { work() } }.value
        } onCancel: {
            budget.stop()
        }
    }
}

extension MemoryTable {
    /// Forgets its change log, as a server does that keeps none across a restart: nobody can resume from before now.
    package func forgetLog() { state.withLock { $0.forgetLog() } }

    /// The revision of the last change.
    package var revision: Revision { state.withLock { $0.revision } }
}

extension MemoryTable: PageWriting {
    /// A page of a query as text; see ``page(_:)``.
    package func pageText(
        _ request: PageRequest,
        fitting limit: Int
    ) async throws(RemoteDataError) -> PageText? {
        if case .before = request.start { return nil }
        let count = try request.checkedLimit(maximum: capabilities.maximumPageSize)
        try check(request.query)
        let (order, revision) = try await order(of: request.query)
        var text = PageText(revision: revision, fitting: limit)
        order.forEach(of: request.start, limit: count) { row in text.append { $0 += row.json } }
        return text.finished()
    }
}
