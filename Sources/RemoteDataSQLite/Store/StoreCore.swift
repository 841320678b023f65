import Dispatch
import RemoteData

/// The connections of a store and what they share.
final class StoreCore: Sendable {
    let tables: TableStates
    let writer: Writer
    /// Whether changes are kept to be resumed from.
    let keepsLog: Bool
    /// The revision of a table that never had a row.
    let firstRevision: Revision
    /// The writer itself for a store in memory, which no other connection can see.
    private let readers: [ConnectionQueue]
    /// The readers of queries that take long; none for a store in memory.
    private let slowReaders: [ConnectionQueue]

    private init(
        tables: TableStates,
        writer: Writer,
        readers: [ConnectionQueue],
        slowReaders: [ConnectionQueue],
        keepsLog: Bool
    ) {
        self.keepsLog = keepsLog
        self.slowReaders = slowReaders
        firstRevision = Revision(0, epoch: writer.epoch)
        self.tables = tables
        self.writer = writer
        self.readers = readers
    }

    /// Opens a file on a thread that may block.
    static func open(_ plan: StorePlan) async throws(RemoteDataError) -> StoreCore {
        if plan.disk != nil { return try openNow(plan) }
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "RemoteDataSQLite.open").async {
                continuation.resume(
                    returning: Result { () throws(RemoteDataError) in try openNow(plan) }
                )
            }
        }
        return try result.get()
    }

    private static func openNow(_ plan: StorePlan) throws(RemoteDataError) -> StoreCore {
        let tables = TableStates(delivery: plan.disk == nil ? .queued : .inPlace)
        let writer = try Writer(plan, tables: tables)
        return StoreCore(
            tables: tables,
            writer: writer,
            readers: plan.path == ":memory:" ? [writer.queue] : try openReaders(plan.readers, plan, writer),
            slowReaders: plan.path == ":memory:" ? [] : try openReaders(slowReaderCount, plan, writer),
            keepsLog: plan.logCapacity.changes > 0
        )
    }

    /// How many queries that take long run at once.
    private static let slowReaderCount = 2

    private static func openReaders(
        _ count: Int,
        _ plan: StorePlan,
        _ writer: Writer
    ) throws(RemoteDataError) -> [ConnectionQueue] {
        var queues: [ConnectionQueue] = []
        for number in 0..<count {
            let queue = try ConnectionQueue(label: "RemoteDataSQLite.reader\(number)") {
                () throws(RemoteDataError) in
                let connection = try Connection(
                    path: plan.path,
                    key: plan.key,
                    isReader: true,
                    patience: plan.patience
                )
                connection.epoch = writer.epoch
                return connection
            }
            queues.append(queue)
        }
        return queues
    }

    /// Runs a read on the connection with the least to do, with the caller's ``WorkBudget``; cancelling the
    /// task interrupts it.
    ///
    /// One that takes long is run once more, on a connection for such, and one whose clause may take long is
    /// run there at once: however many there are, those that are quick have their turn.
    /// - Throws: What the job throws; `cancelled`; `unavailable` when the budget is used up.
    func read<Result: Sendable>(
        for filter: Where? = nil,
        _ job: @escaping @Sendable (Connection) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        func leastBusy(_ readers: [ConnectionQueue]) -> ConnectionQueue? {
            readers.min { $0.load < $1.load }
        }
        let quick = leastBusy(readers) ?? writer.queue
        guard let slow = leastBusy(slowReaders) else { return try await Self.read(on: quick, job) }
        if !(filter?.isCostly ?? false),
            let result = try await quick.read(steps: WorkBudget.quickSteps, job)
        {
            return result
        }
        return try await Self.read(on: slow, job)
    }

    private static func read<Result: Sendable>(
        on reader: ConnectionQueue,
        _ job: @escaping @Sendable (Connection) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        guard let result = try await reader.read(job) else { throw .tooMuchWork }
        return result
    }

    /// Makes an index after the writes that wait; reads go on meanwhile.
    func makeIndex(_ advice: IndexAdvisor.Advice, table: Int64) {
        writer.queue.schedule { connection in
            // Without the index queries are slower and just as right, so there is nobody to tell.
            try? connection?.transaction("IMMEDIATE") { () throws(RemoteDataError) in
                for name in advice.drop { try connection?.execute("DROP INDEX IF EXISTS \(name)") }
                try connection?.execute(advice.create.statement(table: table))
            }
        }
    }

    func close() async {
        for reader in readers + slowReaders where reader !== writer.queue { await reader.close() }
        await writer.queue.close()
        for table in tables.all {
            table.hub.finish()
            table.watchers.finish()
            for hub in table.labelHubs.values { hub.finish() }
        }
    }
}
