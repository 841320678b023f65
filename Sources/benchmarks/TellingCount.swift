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

    /// Blocks until as many were told as are expected; what is not told within a minute will never be.
    func wait() {
        precondition(done.wait(timeout: .now() + 60) == .success, "Not everyone was told.")
    }
}
