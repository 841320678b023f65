import Dispatch
import Synchronization

/// Counts who is told.
final class TellingCount: Sendable {
    private let missing = Mutex(0)
    private let done = DispatchSemaphore(value: 0)

    func expect(_ count: Int) { missing.withLock { $0 = count } }

    func note() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { done.signal() }
    }

    func wait() { done.wait() }
}
