package import RemoteDataExecution

/// Runs work that must end by a deadline; what takes longer is cancelled and no longer waited for.
///
/// - Parameters:
///   - limit: How long it may take, on the clock for deadlines.
///   - surroundings: The world around.
///   - whenLate: Makes the error of work that takes longer; nil where it is the table that is waited for.
///   - body: The work, on the library's own threads.
/// - Returns: What the work returns.
/// - Throws: What the work throws; ``RemoteDataError`` with code `timedOut` at the deadline, `cancelled` when the task is.
package func within<Value: Sendable>(
    _ limit: Duration,
    _ surroundings: Surroundings,
    whenLate: (@Sendable () -> RemoteDataError)? = nil,
    _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
) async throws(RemoteDataError) -> Value {
    let answer = OneShot<Value>()
    let work = Task(executorPreference: surroundings.executor) {
        do throws(RemoteDataError) { answer.resume(.success(try await body())) } catch {
            answer.resume(.failure(error))
        }
    }
    let timer = Task(executorPreference: surroundings.executor) {
        guard (try? await surroundings.deadlineClock.sleep(for: limit)) != nil else { return }
        let error = whenLate?() ?? RemoteDataError(.timedOut, "The table did not answer within \(limit).")
        answer.resume(.failure(error))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return try await answer.awaited()
}

extension OneShot {
    /// The value, or `cancelled` when the task that waits for it is; to be awaited once.
    package func awaited() async throws(RemoteDataError) -> Value {
        do {
            return try await withTaskCancellationHandler {
                try await value()
            } onCancel: {
                resume(.failure(CancellationError()))
            }
        } catch let error as RemoteDataError {
            throw error
        } catch {
            throw RemoteDataError(.cancelled, "The task that waited for the table was cancelled.")
        }
    }
}
