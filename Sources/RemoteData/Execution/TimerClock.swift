import Dispatch
import Synchronization

/// The continuous clock, with a sleep that needs no thread of Swift's shared pool.
///
/// The library's own waits use it, because callers of blocking faces may occupy the whole pool.
public struct TimerClock: Clock {
    /// A moment of the continuous clock.
    public typealias Instant = ContinuousClock.Instant

    private static let queue = DispatchQueue(label: "remote-data.timer")

    /// Creates a clock.
    public init() {}

    /// Now.
    public var now: Instant { ContinuousClock.now }

    /// The resolution of the continuous clock.
    public var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Waits until a moment, without holding a thread; throws `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let wait = now.duration(to: deadline)
        guard wait > .zero else { return try Task.checkCancellation() }
        let waiter = OneShot<Void>()
        let item = DispatchWorkItem { waiter.resume(.success(())) }
        Self.queue.asyncAfter(deadline: .now() + wait.dispatchInterval, execute: item)
        try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            waiter.resume(.failure(CancellationError()))
        }
        item.cancel()
    }
}

extension Duration {
    /// The same length for Dispatch, in nanoseconds and at most some three centuries.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .nanoseconds(.max) }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
