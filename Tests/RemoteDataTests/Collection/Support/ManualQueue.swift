import RemoteData
import Synchronization

/// A delivery queue that stands still until a test runs what it was given.
final class ManualQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    /// To be put into the options of a collection.
    var delivery: DeliveryQueue { .custom { [self] job in jobs.withLock { $0.append(job) } } }

    /// How many jobs wait.
    var count: Int { jobs.withLock { $0.count } }

    /// Runs every job, also those that come meanwhile.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
}
