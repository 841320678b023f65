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

    private init(tables: TableStates, writer: Writer, readers: [ConnectionQueue], keepsLog: Bool) {
        self.keepsLog = keepsLog
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
        let tables = TableStates()
        let writer = try Writer(plan, tables: tables)
        return StoreCore(
            tables: tables,
            writer: writer,
            readers: try openReaders(plan, writer),
            keepsLog: plan.logCapacity > 0
        )
    }

    private static func openReaders(
        _ plan: StorePlan,
        _ writer: Writer
    ) throws(RemoteDataError) -> [ConnectionQueue] {
        guard plan.path != ":memory:" else { return [writer.queue] }
        var queues: [ConnectionQueue] = []
        for number in 0..<plan.readers {
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

    /// Runs a read on the connection with the least to do; cancelling the task interrupts it.
    func read<Result: Sendable>(
        _ job: @escaping @Sendable (Connection) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let reader = readers.min { $0.load < $1.load } ?? writer.queue
        return try await reader.run(canInterrupt: true, job)
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
        for reader in readers where reader !== writer.queue { await reader.close() }
        await writer.queue.close()
        for table in tables.all {
            table.hub.finish()
            table.watchers.finish()
            for hub in table.labelHubs.values { hub.finish() }
        }
    }
}
