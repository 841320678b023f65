import Dispatch
import Synchronization

/// Threads of the server's own for everything asynchronous, so that a storage that blocks starves nobody
/// else's tasks.
final class RequestExecutor: TaskExecutor {
    private let queues: [DispatchQueue]
    private let next = Atomic<Int>(0)

    /// Creates an executor that runs so many jobs at a time.
    init(width: Int = 4) {
        queues = (0..<max(1, width)).map { DispatchQueue(label: "TableServer.request.\($0)") }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        queues[Int(UInt(bitPattern: turn) % UInt(queues.count))].async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
