import Dispatch
import Synchronization

/// Blocks while asynchronous work is done, in a program that has nothing else to do.
@discardableResult func waitFor<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws
    -> Value
{
    let box = Box<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            let value = try await work()
            box.result.withLock { $0 = .success(value) }
        } catch {
            box.result.withLock { $0 = .failure(error) }
        }
        done.signal()
    }
    done.wait()
    guard let value = try box.result.withLock({ $0 })?.get() else { throw UsageError(message: "no result") }
    return value
}

private final class Box<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
