import Dispatch
import Synchronization

/// Runs the library's own tasks on threads of its own.
///
/// A caller of a blocking face parks its thread until such a task is done. Were that task on Swift's shared pool,
/// callers that occupy the whole pool would wait for ever.
package final class WorkerExecutor: TaskExecutor {
    /// The one that blocking faces and collections use.
    package static let shared = WorkerExecutor(width: 4)
    /// The one for what belongs to no caller, such as asking for credentials and waiting for a connection: it goes on
    /// also while what is asked blocks all threads of ``shared``.
    package static let background = WorkerExecutor(width: 4)

    private let queues: [DispatchQueue]
    private let turn = Atomic<Int>(0)

    package init(width: Int) {
        // Serial queues get a thread each whenever they have work, unlike concurrent ones, which share a pool.
        queues = (0..<max(1, width)).map { DispatchQueue(label: "remote-data.worker.\($0)") }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = queues[turn.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count]
        // SAFETY: each job is handed on exactly once, so it is run exactly once.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
