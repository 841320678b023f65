import Synchronization

/// What a ``MemoryTable`` keeps under its lock.
struct MemoryTableState: Sendable {
    private static let orderLimit = 4

    /// Every row, by id.
    private(set) var rows = RowOrder(Query())
    private(set) var log: ChangeLog
    /// The revision of the last change.
    private(set) var revision: Revision
    private var columns = ColumnSet()
    private var outcomes = OutcomeMemory(keyLimit: 10_000)
    /// The rows of queries asked for recently, the latest last.
    private var orders: [RowOrder] = []

    init(logCapacity: Int, epoch: Epoch?) {
        revision = Revision(0, epoch: epoch)
        log = ChangeLog(capacity: logCapacity, start: revision)
    }

    /// - Throws: `unknownColumn`; an empty table knows no columns, and takes any.
    func check(_ query: Query, table: String, idColumn: String) throws(RemoteDataError) {
        if rows.count > 0 { try columns.check(query, table: table, idColumn: idColumn) }
    }

    /// The rows of a query in order, if they are at hand.
    mutating func order(of query: Query) -> RowOrder? {
        if query == rows.query { return rows }
        guard let index = orders.firstIndex(where: { $0.query == query }) else { return nil }
        orders.append(orders.remove(at: index))
        return orders.last
    }

    /// Keeps the order of a query, brought up to date from the revision it was read at.
    mutating func remember(_ order: RowOrder, of revision: Revision) {
        guard let missed = log.changes(since: revision), !orders.contains(where: { $0.query == order.query })
        else { return }
        var order = [order]
        apply(missed, to: &order)
        guard let order = order.first else { return }
        if orders.count == Self.orderLimit { orders.removeFirst() }
        orders.append(order)
    }

    /// Forgets the changes made so far.
    mutating func forgetLog() { log.forget(through: revision) }

    func start(since: Revision?, newest: Revision) -> ChangeHub.Start {
        guard let since else { return .now(revision) }
        guard let since = since.point(in: revision.epoch), since <= Swift.max(newest, revision),
            let changes = log.changes(since: since)
        else { return .gap(revision) }
        return .after(since, changes, upTo: Swift.max(since, revision))
    }

    mutating func commit(
        _ mutation: Mutation,
        rows drafts: [Row],
        key: String?,
        table: String,
        idColumn: String,
        access: RowAccess?,
        _ revisions: RevisionSource,
        _ hub: ChangeHub
    ) throws(RemoteDataError) -> Outcome {
        if let key, let known = try outcomes.outcome(of: mutation, for: key) { return known }
        if access == nil, let filter = mutation.filter {
            try check(Query(filter), table: table, idColumn: idColumn)
        }
        do throws(RemoteDataError) {
            let outcome = try revisions.extend { (last) throws(RemoteDataError) in
                var write = Write(
                    tableRevision: revision,
                    lastRevision: last,
                    idColumn: idColumn,
                    filters: mutation.isBulkDeletion ? hub.filters : [],
                    key: key,
                    access: access,
                    keepsRemoved: mutation.isBulkDeletion && hub.isGuarded
                )
                let outcome = try run(&write, mutation, drafts)
                // What was found with it cannot be used; what is done with it has to be done whole.
                if WorkBudget.isOverrun { throw .tooMuchWork }
                WorkBudget.$current.withValue(nil) { apply(write.changes) }
                hub.publish(write.changes)
                return (outcome, revision)
            }
            if let key { outcomes.remember(.success(outcome), to: mutation, for: key) }
            return outcome
        } catch {
            if WorkBudget.isOverrun { throw .tooMuchWork }
            if let key, error.isRefusalByRows {
                outcomes.remember(.failure(error), to: mutation, for: key)
            }
            throw error
        }
    }

    /// Works out what a mutation changes; the copy of the rows is gone when this returns.
    private func run(
        _ write: inout Write,
        _ mutation: Mutation,
        _ drafts: [Row]
    ) throws(RemoteDataError) -> Outcome {
        var edit = MemoryEdit(rows: rows)
        return try write.run(mutation, rows: drafts, on: &edit)
    }

    private mutating func apply(_ changes: [RowChange]) {
        guard let last = changes.last else { return }
        for change in changes {
            rows.apply(change)
            switch change.effect {
            case .created(let row), .updated(_, let row): columns.insert(columnsOf: row)
            case .deleted, .left, .bulkDeleted: break
            }
        }
        apply(changes[...], to: &orders)
        log.append(changes)
        revision = last.revision
    }
}

extension MemoryTableState {
    /// Brings orders up to date; those that take too much work for that are forgotten, and sorted again
    /// when they are asked for.
    private func apply(_ changes: ArraySlice<RowChange>, to orders: inout [RowOrder]) {
        guard !orders.isEmpty else { return }
        let bytes = changes.reduce(0) { $0 + $1.byteCount }
        for index in orders.indices.reversed() {
            let budget = WorkBudget(steps: Self.orderSteps + Self.stepsPerByte * bytes, within: nil)
            let isDone: Void? = budget.run { changes.forEach { orders[index].apply($0) } }
            if isDone == nil { orders.remove(at: index) }
        }
    }

    /// The steps that a write may take in one order, while others wait for the table, and those for each
    /// byte of its rows.
    private static let orderSteps = 1_000_000
    private static let stepsPerByte = 8
}

/// A write that is not yet made: the table's rows with its changes on top.
private struct MemoryEdit: RowStorage {
    let rows: RowOrder
    private var edited: [RowID: Row?] = [:]

    init(rows: RowOrder) { self.rows = rows }

    func row(_ id: RowID) -> Row? { edited[id] ?? rows.row(at: Key(values: [], id: id)) }

    /// Only asked for by writes by clause, which edit nothing before.
    func rows(matching filter: Where?, limit: Int, bytes: Int) throws(RemoteDataError) -> [Row] {
        var (result, size): ([Row], Int) = ([], 0)
        let query = PreparedQuery(Query(filter))
        rows.forEach { row in
            guard result.count < limit, size <= bytes, query.matches(row) else { return }
            result.append(row)
            size += row.json.count
        }
        if WorkBudget.isOverrun { throw .tooMuchWork }
        return result
    }

    mutating func put(_ row: Row, replacing before: Row?) { edited[row.id] = .some(row) }

    mutating func remove(_ row: Row) { edited[row.id] = .some(nil) }

    func removeAll(
        _ predicate: Where?,
        counting filters: Set<Where>
    ) throws(RemoteDataError) -> (count: Int, counts: [Where: Int]) {
        var count = 0
        var counts = FilterCounts(filters)
        let query = PreparedQuery(Query(predicate))
        rows.forEach { row in
            guard query.matches(row) else { return }
            count += 1
            counts.add(row)
        }
        if WorkBudget.isOverrun { throw .tooMuchWork }
        return (count, counts.counts)
    }
}

/// The revisions of the tables of one store.
final class RevisionSource: Sendable {
    /// The history they belong to.
    let epoch: Epoch?
    private let state: Mutex<Revision>

    init(epoch: Epoch?) {
        self.epoch = epoch
        state = Mutex(Revision(0, epoch: epoch))
    }

    /// The newest revision given.
    var newest: Revision { state.withLock { $0 } }

    /// Runs a write that counts on from the newest revision and returns the last one it took.
    func extend(
        _ write: (Revision) throws(RemoteDataError) -> (Outcome, Revision)
    ) throws(RemoteDataError) -> Outcome {
        let result = state.withLock { newest in
            Result { () throws(RemoteDataError) in
                let (outcome, last) = try write(newest)
                newest = Swift.max(newest, last)
                return outcome
            }
        }
        return try result.get()
    }
}
