import RemoteDataExecution
import Dispatch
import Synchronization

/// Parks the calling thread while work runs on the library's own threads.
enum Blocking {
    /// Runs `body` and waits for it.
    ///
    /// Blocks the caller, never a thread that `body` needs. `whenLate` is called when the deadline passes.
    /// - Throws: What `body` throws; ``RemoteDataError`` with code `timedOut` when the deadline passes, after which the
    ///   work is cancelled.
    static func wait<Value: Sendable>(
        atMost deadline: Duration,
        whenLate: (RemoteDataError) -> Void = { _ in },
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
    ) throws(RemoteDataError) -> Value {
        let box = Box<Value>()
        let task = Task(executorPreference: WorkerExecutor.shared) {
            let result: Result<Value, RemoteDataError>
            do throws(RemoteDataError) { result = .success(try await body()) } catch {
                result = .failure(error)
            }
            box.fill(result)
        }
        // A little longer than the work's own deadline, so that its own error is the one to be seen.
        guard let result = box.wait(atMost: deadline + .seconds(1)) else {
            task.cancel()
            let error = RemoteDataError(.timedOut, "No answer within \(deadline).")
            whenLate(error)
            throw error
        }
        return try result.get()
    }

    private final class Box<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, RemoteDataError>?>(nil)
        private let arrival = DispatchSemaphore(value: 0)

        func fill(_ result: Result<Value, RemoteDataError>) {
            self.result.withLock { $0 = result }
            arrival.signal()
        }

        func wait(atMost deadline: Duration) -> Result<Value, RemoteDataError>? {
            _ = arrival.wait(timeout: .now() + deadline.dispatchInterval)
            return result.withLock { $0 }
        }
    }
}
