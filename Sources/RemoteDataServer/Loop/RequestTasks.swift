import RemoteDataExecution
import Synchronization

/// Tasks that answer requests, one each at a time, and are used again: making and ending a task takes longer than waking one.
///
/// Requests are begun in the order in which they come, each in a turn of its own on the executor, as if each had a new task.
final class RequestTasks: Sendable {
    /// What a task does for a request.
    typealias Work = @Sendable () async -> Void

    private struct State {
        /// What new tasks were made for that have not begun.
        var waiting = Line<Work>()
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
        Task(executorPreference: executor) {
            // Not held by the task, which would keep it for as long as it is.
            await self.state.withLock { $0.waiting.next() }?()
            // One that was cancelled would do nothing for whoever is next.
            while !Task.isCancelled, let work = await self.next() { await work() }
        }
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

    /// Waits for what a task does next; nil when it is to end.
    private func next() async -> Work? {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard !state.isClosed, state.idle.count < limit else { return false }
                state.idle.append(continuation)
                return true
            }
            if !waits { continuation.resume(returning: nil) }
        }
    }
}
