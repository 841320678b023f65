import Synchronization

@testable import RemoteData

/// A space that tells nothing until it is told to.
struct ManualJukebox: Sendable {
    let cache = GatedCache()
    let space: ModelSpace
    private let queue = HeldQueue()

    init() { space = ModelSpace(cache: cache, delivery: .custom { [queue] in queue.add($0) }) }

    /// Waits until all that was asked for has been worked out, and can be told.
    func worked() async {
        await withCheckedContinuation { space.consistency.update(WorkProbe($0)) }
    }

    /// Tells all that was asked for.
    func tell() async {
        await worked()
        queue.runAll()
    }

    /// Tells everything, also what comes of that, and waits for the cache.
    func settle() async {
        for _ in 0..<4 { await tell() }
        await space.writer?.written()
    }
}

/// Runs jobs when it is told to, on the thread that tells it.
private final class HeldQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    func add(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
}

/// A model without an id that somebody waits for to be looked at.
private final class WorkProbe: ConsistentModel {
    private let continuation: Mutex<CheckedContinuation<Void, Never>?>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

    var modelID: ModelID? {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume()
        return nil
    }

    func isSame(as other: any ConsistentModel) -> Bool { true }
}
