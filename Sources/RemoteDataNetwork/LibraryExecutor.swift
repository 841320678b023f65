import Dispatch

/// Runs the library's own tasks on threads of its own.
///
/// Work that belongs to no caller (asking for credentials, waiting for a reconnect) must go on while
/// callers block all threads of Swift's shared pool. Use it as `Task(executorPreference:
/// LibraryExecutor.shared) { … }`.
package final class LibraryExecutor: TaskExecutor {
    /// The one executor of the library.
    package static let shared = LibraryExecutor()

    private let queue = DispatchQueue(label: "RemoteData.tasks", qos: .userInitiated, attributes: .concurrent)

    private init() {}

    /// Runs a job soon, on a thread that is not of the shared pool.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Measures the time since it was made, on any clock.
struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { read = Self.start(clock) }

    var elapsed: Duration { read() }

    private static func start<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let begin = clock.now
        return { begin.duration(to: clock.now) }
    }
}
