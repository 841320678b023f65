import Dispatch
import RemoteData
import Synchronization

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// A connection and the serial queue it is used on, so that SQLite never blocks Swift's cooperative threads.
final class ConnectionQueue: Sendable {
    private struct State {
        var isClosed = false
        var waiting = 0
        var lastJob = 0
        /// The job that runs, when it may be interrupted, and the work it may do.
        var running: (id: Int, budget: WorkBudget)?
        var cancelled: Set<Int> = []
    }

    private let queue: JobQueue
    private let state = Mutex(State())
    // SAFETY: set in init, cleared by `close`, and used only in blocks on the serial queue.
    private nonisolated(unsafe) var connection: Connection?
    // SAFETY: valid until `close`, which runs on the queue when no job runs; used only for
    // `sqlite3_interrupt`, which may be called from any thread, under the lock and while a job is running.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Opens a connection; blocks, so it is to be called on a queue that may.
    init(
        label: String,
        on queue: JobQueue? = nil,
        open: () throws(RemoteDataError) -> Connection
    ) throws(RemoteDataError) {
        let connection = try open()
        self.queue = queue ?? .dispatch(DispatchQueue(label: label))
        handle = connection.handle
        self.connection = connection
    }

    /// How many jobs wait or run.
    var load: Int { state.withLock { $0.waiting } }

    /// Whether jobs are still run, and not all refused.
    var isOpen: Bool { queue.isAlive && state.withLock { !$0.isClosed } }

    /// Runs a job on the queue.
    ///
    /// - Throws: What the job throws; `cancelled` when the task was cancelled; `storage` when the
    ///   connection is closed.
    func run<Result: Sendable>(
        _ job: @escaping @Sendable (Connection) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let id = begin()
        let result = await withCheckedContinuation { continuation in
            queue.add { [self] in continuation.resume(returning: perform(id, job)) }
        }
        return try result.get()
    }

    /// Runs a job that only reads on the queue, with the caller's budget of work.
    ///
    /// Cancelling the task takes the job out of the queue, or interrupts it.
    /// - Parameters:
    ///   - steps: How many steps it may take here.
    ///   - job: What it does.
    /// - Returns: What the job returns; nil when it would take more steps.
    /// - Throws: What the job throws; `cancelled`; `unavailable` when the caller's budget is used up;
    ///   `storage` when the
    ///   connection is closed.
    func read<Result: Sendable>(
        steps: Int = .max,
        _ job: @escaping @Sendable (Connection) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result? {
        let id = begin()
        let whole = WorkBudget.current
        let budget = WorkBudget(steps: steps, within: whole)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.add { [self] in
                    continuation.resume(
                        returning: perform(id, within: budget) { (connection) throws(RemoteDataError) in
                            try budget.run { () throws(RemoteDataError) in try job(connection) }
                        }
                    )
                }
            }
        } onCancel: {
            cancel(id)
        }
        if Task.isCancelled, budget.isUsedUp { throw RemoteDataError(.cancelled, "The query was cancelled.") }
        if whole?.isUsedUp ?? false { throw .tooMuchWork }
        return try result.get()
    }

    private func begin() -> Int {
        state.withLock { state in
            state.lastJob += 1
            state.waiting += 1
            return state.lastJob
        }
    }

    /// Runs a job on the queue without waiting for it.
    func schedule(_ job: @escaping @Sendable (Connection?) -> Void) {
        queue.add { [self] in job(queue.isAlive ? connection : nil) }
    }

    /// The connection, for jobs on the queue; nil when it is closed.
    var currentConnection: Connection? {
        queue.precondition()
        return queue.isAlive ? connection : nil
    }

    /// Closes the connection after the jobs that wait already.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.add { [self] in
                state.withLock { $0.isClosed = true }
                connection = nil
                continuation.resume()
            }
        }
    }

    private func perform<Result>(
        _ id: Int,
        within budget: WorkBudget? = nil,
        _ job: (Connection) throws(RemoteDataError) -> Result
    ) -> Swift.Result<Result, RemoteDataError> {
        let isCancelled = state.withLock { state in
            state.running = budget.map { (id, $0) }
            return state.cancelled.remove(id) != nil
        }
        defer {
            state.withLock { state in
                state.running = nil
                state.waiting -= 1
                state.cancelled.remove(id)
            }
        }
        guard !isCancelled else { return .failure(RemoteDataError(.cancelled, "The request was cancelled.")) }
        guard let connection, queue.isAlive else { return .failure(.closed) }
        return Swift.Result { () throws(RemoteDataError) in try job(connection) }
    }

    private func cancel(_ id: Int) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if let running = state.running, running.id == id {
                running.budget.stop()
                sqlite3_interrupt(handle)
            } else {
                state.cancelled.insert(id)
            }
        }
    }
}

/// Where the jobs of a connection run, one after another.
enum JobQueue: Sendable {
    case dispatch(DispatchQueue)
    /// Where a simulation has them run.
    case simulated(SimulatedDisk.Session)

    fileprivate func add(_ job: @escaping @Sendable () -> Void) {
        switch self {
        case .dispatch(let queue): queue.async(execute: job)
        case .simulated(let session): session.add(job)
        }
    }

    /// Whether the process that it belongs to still runs, as far as there can be a question.
    fileprivate var isAlive: Bool {
        if case .simulated(let session) = self { session.isAlive } else { true }
    }

    fileprivate func precondition() {
        if case .dispatch(let queue) = self { dispatchPrecondition(condition: .onQueue(queue)) }
    }
}

extension RemoteDataError {
    static let closed = RemoteDataError(.storage, "The database has been closed; open it again.")
}
