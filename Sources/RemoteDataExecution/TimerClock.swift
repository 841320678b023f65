import Dispatch

/// The continuous clock, with a sleep that needs no thread of Swift's shared pool.
///
/// `ContinuousClock.sleep` is woken by the pool: while callers of blocking faces occupy all of it, it does not wake up,
/// and neither does the retry that would let them go on. This one is woken by a private dispatch queue.
package struct TimerClock: Clock {
    /// A moment of the continuous clock.
    package typealias Instant = ContinuousClock.Instant

    private static let queue = DispatchQueue(label: "remote-data.timer")

    /// Creates a clock; all are alike.
    package init() {}

    /// Now.
    package var now: Instant { ContinuousClock.now }

    /// The resolution of the continuous clock.
    package var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Waits until a moment, without holding a thread; throws `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let wait = now.duration(to: deadline)
        try Task.checkCancellation()
        guard wait > .zero else { return }
        let waiter = OneShot<Void>()
        let alarm = Alarm(on: Self.queue, after: wait) { waiter.resume(.success(())) }
        defer { alarm.cancel() }
        try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            waiter.resume(.failure(CancellationError()))
        }
    }
}
