import Dispatch
import Synchronization

/// Runs tasks on threads of its own.
///
/// A caller of a blocking face parks its thread until such a task is done. Were that task on Swift's shared pool,
/// callers that occupy the whole pool would wait for ever; and so would everybody else's tasks for a storage that blocks.
///
/// Jobs wait in one line. A thread takes jobs until there are none, and another one is woken only where there is a job that none is on
/// its way to: many jobs at a time wake few threads. As long as one thread is not blocked, every job has its turn.
package final class WorkerExecutor: TaskExecutor {
    /// The one that blocking faces and collections use.
    package static let shared = WorkerExecutor(width: 4)
    /// The one for what belongs to no caller, such as asking for credentials and waiting for a connection: it goes on
    /// also while what is asked blocks all threads of ``shared``.
    package static let background = WorkerExecutor(width: 4)

    /// The one for queries that take long, which leave the others to those that are quick.
    package static let queries = WorkerExecutor(width: 2)

    /// A thread, which has a number.
    private typealias Worker = Int

    private struct State {
        var jobs = Line<UnownedJob>()
        /// The threads that have nothing to do.
        var idle: [Worker]
        /// Whether a thread was woken that has not come yet.
        var isOneComing = false

        /// The thread to wake, if a job waits that none is on its way to.
        mutating func wake() -> Worker? {
            guard !jobs.isEmpty, !isOneComing, let worker = idle.popLast() else { return nil }
            isOneComing = true
            return worker
        }

        /// A thread that was woken takes its first job.
        mutating func begin(_ worker: Worker) -> (UnownedJob, woken: Worker?)? {
            isOneComing = false
            return take(worker)
        }

        /// The next job, and the thread to wake for the one behind it; nil when the thread has nothing to do any more.
        mutating func take(_ worker: Worker) -> (UnownedJob, woken: Worker?)? {
            guard let job = jobs.next() else {
                idle.append(worker)
                return nil
            }
            return (job, wake())
        }
    }

    // Serial queues get a thread each whenever they have work, unlike concurrent ones, which share a pool. They have a priority of
    // their own: who wakes one does not wake it for himself alone.
    private let queues: [DispatchQueue]
    private let state: Mutex<State>

    /// - Parameter width: How many threads there are at most.
    package init(width: Int) {
        queues = (0..<max(1, width)).map {
            DispatchQueue(label: "remote-data.worker.\($0)", qos: .userInitiated)
        }
        state = Mutex(State(idle: Array(queues.indices.reversed())))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let woken = state.withLock { state in
            state.jobs.append(job)
            return state.wake()
        }
        if let woken { start(woken) }
    }

    private func start(_ worker: Worker) {
        queues[worker].async { [self] in
            var turn = state.withLock { $0.begin(worker) }
            while let (job, woken) = turn {
                if let woken { start(woken) }
                // SAFETY: each job is taken exactly once, so it is run exactly once.
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
                turn = state.withLock { $0.take(worker) }
            }
        }
    }
}
