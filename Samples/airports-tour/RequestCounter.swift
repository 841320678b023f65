import RemoteData
import Synchronization

/// Counts what is asked of the server: an observer sees all traffic of a table.
final class RequestCounter: TrafficObserver {
    private let number = Atomic<Int>(0)

    /// How many requests were sent so far.
    var count: Int { number.load(ordering: .relaxed) }

    func observe(_ event: TrafficEvent) {
        if event.kind == .request { number.add(1, ordering: .relaxed) }
    }
}
