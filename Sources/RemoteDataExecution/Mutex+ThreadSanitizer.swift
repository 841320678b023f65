#if THREAD_SANITIZER
import Foundation

/// Stands in for `Synchronization.Mutex` in builds for the thread sanitizer.
///
/// On Linux the kernel hands a contended `Synchronization.Mutex` over, which the sanitizer does not see: it
/// then reports every access under the lock as a race. It understands this one. Build with `-Xswiftc
/// -DTHREAD_SANITIZER`.
///
/// SAFETY: the value is touched only while the lock is held.
@usableFromInline
final class Mutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    @usableFromInline
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(&value)
    }
}
#endif
