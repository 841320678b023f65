import RemoteData
import Synchronization

/// Runs jobs when it is told to, on the thread that tells it.
final class ManualQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    var queue: DeliveryQueue {
        .custom { job in self.jobs.withLock { $0.append(job) } }
    }

    /// Runs all jobs, those that come meanwhile as well.
    func runAll() {
        while true {
            let waiting = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if waiting.isEmpty { return }
            for job in waiting { job() }
        }
    }
}
