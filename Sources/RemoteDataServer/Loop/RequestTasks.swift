import RemoteDataExecution
import Synchronization

/// Tasks that answer requests, one each at a time, and are used again: making and ending a task takes longer than waking one.
final class RequestTasks: Sendable {
    /// What a task does for a request.
    typealias Work = @Sendable () async -> Void

    private struct State {
        /// What tasks are on their way to.
        var waiting: [Work] = []
        var idle: [CheckedContinuation<Work?, Never>] = []
        var isClosed = false
    }

    /// How many tasks wait for more at most.
    private let limit: Int
    private let executor: WorkerExecutor
    private let state = Mutex(State())

    init(on executor: WorkerExecutor, keeping limit: Int = 128) {
        (self.executor, self.limit) = (executor, limit)
    }

    /// How many tasks wait for more.
    var idleCount: Int { state.withLock { $0.idle.count } }

    /// Has a task do something; never blocks.
    func perform(_ work: @escaping Work) {
        let idle = state.withLock { state in
            let idle = state.idle.popLast()
            if idle == nil { state.waiting.append(work) }
            return idle
        }
        if let idle { return idle.resume(returning: work) }
        // It does not hold the work itself, which it would keep for as long as it is.
        Task(executorPreference: executor) { while let work = await self.next() { await work() } }
    }

    /// Ends the tasks that wait, and each other one once it has done its work.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for task in idle { task.resume(returning: nil) }
    }

    /// What a task does next; nil when it is to end.
    private func next() async -> Work? {
        if let work = state.withLock({ $0.waiting.popLast() }) { return work }
        return await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard !state.isClosed, state.idle.count < limit else { return false }
                state.idle.append(continuation)
                return true
            }
            if !waits { continuation.resume(returning: nil) }
        }
    }
}
