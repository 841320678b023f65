import Foundation
import RemoteData
import Synchronization

/// The one connection that writes.
///
/// Changes that wait at the same time are committed together, with those that come while they are made: one transaction, and so
/// one wait for the disk. One that is refused takes none of the others with it: mostly it has changed nothing by then; where it
/// has, all are made once more, with a savepoint for each.
final class Writer: Sendable {
    private static let batchLimit = 256

    let queue: ConnectionQueue
    /// What is declared of tables whose writes travel to a server.
    let rules = Mutex(SyncRules())
    /// Told of every transaction that others should know of; called on the queue, under no lock.
    let listener = Mutex(Listener())
    private let waiting = Mutex<[WaitingChange]>([])
    /// The history that the revisions in the file belong to.
    let epoch: Epoch?
    private let plan: StorePlan
    private let tables: TableStates
    // SAFETY: used only in jobs on the writer's serial queue, and in init.
    private nonisolated(unsafe) var catalog: Catalog

    /// Opens the file; blocks.
    init(_ plan: StorePlan, tables: TableStates) throws(RemoteDataError) {
        var (catalog, epoch) = (Catalog(), Epoch?.none)
        queue = try ConnectionQueue(
            label: "RemoteDataSQLite.writer",
            on: plan.disk.map { .simulated($0) }
        ) { () throws(RemoteDataError) in
            let connection: Connection
            if let disk = plan.disk {
                connection = try disk.connect()
            } else {
                connection = try Connection(
                    path: plan.path,
                    key: plan.key,
                    isReader: false,
                    patience: plan.patience
                )
                try Schema.prepare(connection, beginsNewEpoch: plan.beginsNewEpoch)
            }
            epoch = connection.epoch
            catalog = try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
                try Catalog(connection, keepsLog: plan.logCapacity.changes > 0)
            }
            return connection
        }
        (self.catalog, self.epoch) = (catalog, epoch)
        self.plan = plan
        self.tables = tables
        tables.update(from: catalog)
    }

    /// The time.
    var now: @Sendable () -> Date { plan.now }

    /// The file by which processes agree who sends; nil for a store that only one can have open.
    var lockPath: String? { plan.path == ":memory:" ? nil : plan.path + DatabaseFile.lockSuffix }

    /// Makes a change of any kind, in one transaction with others that wait.
    ///
    /// - Parameter body: Makes it; also once more, where what was made was undone because of another one. So it notes nothing
    ///   outside of the transaction that would be wrong then.
    /// - Returns: What it returns, once that is committed.
    /// - Throws: `RemoteDataError` of the change, or of the file.
    func commit<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreTransaction) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let result = await withCheckedContinuation { continuation in
            let box = ResultBox<Result>()
            add(
                WaitingChange { (transaction) throws(RemoteDataError) in
                    box.result = .success(try body(&transaction))
                } answer: { error in
                    continuation.resume(returning: error.map { .failure($0) } ?? box.result)
                }
            )
        }
        return try result.get()
    }

    /// Carries out a write by its idempotency key: what it is refused for stays its answer.
    func answer<Result: Sendable>(
        _ write: PendingWrite,
        _ commit: () async throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        do throws(RemoteDataError) { return try await commit() } catch {
            guard write.key != nil, error.isRefusalByRows else { throw error }
            let isFirst = try await self.commit { (transaction) throws(RemoteDataError) in
                try transaction.remember(error, of: write)
            }
            if isFirst { throw error }
        }
        // The same write came at the same time and was made; it is answered by its key.
        return try await commit()
    }

    private func add(_ change: WaitingChange) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(change)
            return waiting.count == 1
        }
        if isFirst { queue.schedule { [self] connection in drain(connection) } }
    }

    /// Makes a change of any kind in a transaction of its own, in turn with the others.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout StoreTransaction) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let (result, news) = try await queue.run { [self] (connection) throws(RemoteDataError) in
            try transact(connection, body)
        }
        deliver(news)
        return result
    }

    /// Makes a change of any kind in a transaction of its own; to be called in a job on the writer's queue.
    func changeNow<Result>(
        _ body: (inout StoreTransaction) throws(RemoteDataError) -> Result
    ) throws(RemoteDataError) -> Result {
        guard let connection = queue.currentConnection else { throw .closed }
        let (result, news) = try transact(connection, body)
        deliver(news)
        return result
    }

    /// Looks whether another process has written, and takes note of it.
    func refresh() async throws(RemoteDataError) {
        try await queue.run { [self] (connection) throws(RemoteDataError) in
            try connection.transaction("DEFERRED") { () throws(RemoteDataError) in try reload(connection) }
        }
    }

    /// Starts a subscription between two writes.
    ///
    /// - Parameters:
    ///   - query: What is wanted.
    ///   - table: The table.
    ///   - since: The revision from which on; nil for now.
    ///   - missed: What has changed since then, as far as it was read before; nil where that is not known.
    ///   - access: The rights of who subscribes.
    /// - Returns: The changes.
    /// - Throws: `RemoteDataError` with code `storage`.
    func subscribe(
        to query: Query,
        of table: TableState,
        since: Revision?,
        missed: MissedChanges? = nil,
        access: RowAccess? = nil
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await queue.run { [self] connection throws(RemoteDataError) in
            // Another process may have written, and shortened the log.
            let begin = try connection.transaction("DEFERRED") { () throws(RemoteDataError) in
                try reload(connection)
                return try start(since: since, missed, table, connection)
            }
            return table.hub.subscribe(to: query, start: begin, access: access)
        }
        table.hub.deliver()
        return feed
    }

    /// Starts a subscription to what a label holds of a table, between two writes.
    func subscribe(
        to query: Query,
        of table: TableState,
        label: String,
        since: Revision?,
        access: RowAccess? = nil
    ) async throws(RemoteDataError) -> ChangeFeed {
        let hub = table.hub(of: label)
        let feed = try await queue.run { [self] connection throws(RemoteDataError) in
            var current = connection.firstRevision
            if let info = catalog.tables[table.name] {
                current = try Label.revision(label, table: info.number, connection)
            }
            let isCurrent = since.map { $0.point(in: epoch) == current } ?? true
            return hub.subscribe(to: query, start: isCurrent ? .now(current) : .gap(current), access: access)
        }
        hub.deliver()
        return feed
    }

    private func start(
        since: Revision?,
        _ missed: MissedChanges?,
        _ table: TableState,
        _ connection: Connection
    ) throws(RemoteDataError) -> ChangeHub.Start {
        let info = catalog.tables[table.name]
        let current = info?.revision ?? connection.firstRevision
        guard let since else { return .now(current) }
        guard let point = since.point(in: epoch), point <= catalog.revision else { return .gap(current) }
        guard let info else { return .after(point, [], upTo: point) }
        // Since they were read, few have come.
        guard let missed, missed.end >= min(catalog.logStart, current),
            let last = try MissedChanges(
                table: info.number,
                since: missed.end,
                upTo: current,
                from: connection
            )
        else { return .gap(current) }
        return .after(point, (missed.changes + last.changes)[...], upTo: last.end)
    }
}

// What runs on the queue.
extension Writer {
    private func drain(_ connection: Connection?) {
        var batch = next(Self.batchLimit)
        // Another transaction may have taken them along.
        guard !batch.isEmpty else { return }
        defer { if waiting.withLock({ !$0.isEmpty }) { queue.schedule { [self] in drain($0) } } }
        guard let connection else {
            for change in batch { change.answer(.closed) }
            return
        }
        if run(&batch, connection, Self.batchLimit) || run(&batch, connection, withSavepoints: true) {
            return
        }
        // Something failed that took all of them with it; each has its own chance now.
        for change in batch {
            var alone = [change]
            _ = run(&alone, connection)
        }
    }

    /// The next changes that wait, up to a number.
    private func next(_ most: Int) -> [WaitingChange] {
        waiting.withLock { waiting in
            let batch = Array(waiting.prefix(most))
            waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// Commits changes together and answers them.
    ///
    /// - Parameters:
    ///   - batch: The changes; those that come meanwhile are added to them, up to a number.
    ///   - connection: The connection that writes.
    ///   - most: That number.
    ///   - withSavepoints: Whether one that fails can be undone alone.
    /// - Returns: Whether they have been answered; not when there are several, and one that failed took the others with it.
    private func run(
        _ batch: inout [WaitingChange],
        _ connection: Connection,
        _ most: Int = 0,
        withSavepoints: Bool = false
    ) -> Bool {
        var hasBegun = false
        do throws(RemoteDataError) {
            let (errors, news) = try transact(connection) { (transaction) throws(RemoteDataError) in
                hasBegun = true
                var errors: [RemoteDataError?] = []
                while errors.count < batch.count {
                    let isAlone = batch.count == 1
                    errors.append(
                        try Self.run(
                            batch[errors.count],
                            &transaction,
                            isAlone: isAlone,
                            withSavepoints && !isAlone
                        )
                    )
                    guard errors.count == batch.count else { continue }
                    batch += next(max(0, most - batch.count))
                    // They may have been declared just before what has come was asked for.
                    transaction.rules = rules.withLock { $0 }
                }
                return errors
            }
            for (change, error) in zip(batch, errors) { change.answer(error) }
            deliver(news)
        } catch {
            // Who could not begin, because another process holds the file, has waited long enough for all.
            guard batch.count == 1 || !hasBegun else { return false }
            for change in batch { change.answer(error) }
        }
        return true
    }

    /// Makes a change.
    ///
    /// - Returns: Why it failed, having left nothing behind; or nil.
    /// - Throws: Why it failed, where all of the transaction has to be undone.
    private static func run(
        _ change: WaitingChange,
        _ transaction: inout StoreTransaction,
        isAlone: Bool,
        _ withSavepoint: Bool
    ) throws(RemoteDataError) -> RemoteDataError? {
        let connection = transaction.connection
        var attempt = transaction
        if withSavepoint { try connection.run("SAVEPOINT one") }
        let mark = connection.changeMark
        do throws(RemoteDataError) {
            try change.make(&attempt)
            if withSavepoint { try connection.run("RELEASE one") }
            transaction = attempt
            return nil
        } catch {
            // A failure of the storage may have undone the others too.
            if isAlone || error.code == .storage { throw error }
            if withSavepoint {
                try connection.run("ROLLBACK TO one")
                try connection.run("RELEASE one")
            } else if connection.changeMark != mark {
                throw error
            }
            return error
        }
    }

    /// Runs a transaction, and when it is committed takes note of it.
    ///
    /// - Returns: What came of it, and what is to be delivered.
    private func transact<Result>(
        _ connection: Connection,
        _ body: (inout StoreTransaction) throws(RemoteDataError) -> Result
    ) throws(RemoteDataError) -> (Result, StoreNews) {
        let (result, transaction, lists) = try connection.transaction("IMMEDIATE") {
            () throws(RemoteDataError) in
            try reload(connection)
            var transaction = StoreTransaction(
                connection,
                plan,
                rules: rules.withLock { $0 },
                catalog: catalog,
                isListenedTo: { [tables] name in tables[name]?.hub.isListenedTo ?? false },
                isWatched: { [tables] name in tables[name].map { !$0.watchers.isEmpty } ?? false }
            )
            let result = try body(&transaction)
            if transaction.catalog.revision > catalog.revision || !transaction.changedTables.isEmpty {
                try transaction.end()
            }
            return (result, transaction, try transaction.tableChanges())
        }
        let known = catalog
        catalog = transaction.catalog
        for (name, info) in catalog.tables where info.revision != known.tables[name]?.revision {
            (try? tables.make(name))?.update(info)
        }
        for item in transaction.news { hub(item.audience)?.publish(item.changes) }
        for changes in lists { tables[changes.table]?.watchers.tell(changes) }
        return (result, StoreNews(tables: transaction.news, outbox: transaction.outboxNews))
    }

    private func hub(_ audience: StoreTransaction.News.Audience) -> ChangeHub? {
        switch audience {
        case .table(let name): tables[name]?.hub
        case .label(let held): tables[held.table]?.knownHub(of: held.label)
        }
    }

    private func deliver(_ news: StoreNews) {
        for item in news.tables { hub(item.audience)?.deliver() }
        guard !news.tables.isEmpty || !news.outbox.isEmpty else { return }
        listener.withLock { $0 }.hear?(news)
    }

    /// Reads the file's state anew when another connection has written to it.
    private func reload(_ connection: Connection) throws(RemoteDataError) {
        let version = try connection.first("PRAGMA data_version") { $0.integer(0) } ?? 0
        guard version != catalog.dataVersion else { return }
        let known = catalog
        catalog = try Catalog(connection, keepsLog: plan.logCapacity.changes > 0)
        catalog.pulling = known.pulling
        catalog.recentWrites = known.recentWrites
        tables.update(from: catalog)
        guard catalog.revision != known.revision else { return }
        for (name, info) in catalog.tables.sorted(by: { $0.key < $1.key })
        where info.revision != known.tables[name]?.revision {
            tables[name]?.hub.lose(upTo: info.revision)
            tables[name]?.hub.deliver()
            tables[name]?.watchers.tell(.unknown(of: name))
        }
        for table in tables.all {
            for (name, hub) in table.labelHubs {
                guard let info = catalog.tables[table.name] else { continue }
                hub.lose(upTo: try Label.revision(name, table: info.number, connection))
                hub.deliver()
            }
        }
    }
}

/// What came of a change, on its way from the writer's queue.
private final class ResultBox<Value: Sendable>: Sendable {
    // SAFETY: written and read on the writer's serial queue alone.
    nonisolated(unsafe) var result: Result<Value, RemoteDataError> = .failure(.closed)
}
