import Dispatch
import Synchronization

/// The continuous clock, with a sleep that needs no thread of Swift's shared pool.
///
/// `ContinuousClock.sleep` is woken by the cooperative pool. When callers block all of its threads, it does
/// not wake up, and neither does the retry that would let them go on. This one is woken by a private
/// dispatch queue.
package struct LibraryClock: Clock {
    /// A point in time.
    package typealias Instant = ContinuousClock.Instant

    private static let queue = DispatchQueue(label: "RemoteData.clock", qos: .userInitiated)

    /// Creates a clock; all of them are alike.
    package init() {}

    /// The current time.
    package var now: Instant { ContinuousClock.now }

    /// The smallest step between two instants.
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until a point in time.
    ///
    /// Never blocks a thread. Throws `CancellationError` at once when the task is cancelled.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        try Task.checkCancellation()
        guard wait > .zero else { return }
        let sleeper = Sleeper(queue: Self.queue)
        let isRested = await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper.start($0, after: wait) }
        } onCancel: {
            sleeper.wake(rested: false)
        }
        guard isRested else { throw CancellationError() }
    }
}

/// Calls once after a while, unless cancelled before.
///
/// SAFETY: a dispatch source may be used from any thread; Dispatch on Linux does not declare it.
struct Alarm: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(on queue: DispatchQueue, after wait: Duration, _ body: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + wait.seconds)
        timer.setEventHandler(handler: body)
    }

    func activate() { timer.activate() }

    func cancel() { timer.cancel() }
}

/// One sleep: its timer, and whom to wake; whoever wakes it first decides.
private final class Sleeper: Sendable {
    private enum State {
        case new
        case asleep(CheckedContinuation<Bool, Never>, Alarm)
        case awake(rested: Bool)
    }

    private let state = Mutex(State.new)
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func start(_ continuation: CheckedContinuation<Bool, Never>, after wait: Duration) {
        let timer = Alarm(on: queue, after: wait) { [self] in wake(rested: true) }
        let cancelled = state.withLock { state -> Bool in
            guard case .new = state else { return true }
            state = .asleep(continuation, timer)
            return false
        }
        timer.activate()
        guard cancelled else { return }
        timer.cancel()
        continuation.resume(returning: false)
    }

    func wake(rested: Bool) {
        let sleep = state.withLock { state -> (CheckedContinuation<Bool, Never>, Alarm)? in
            defer { state = .awake(rested: rested) }
            guard case .asleep(let continuation, let timer) = state else { return nil }
            return (continuation, timer)
        }
        guard let (continuation, timer) = sleep else { return }
        timer.cancel()
        continuation.resume(returning: rested)
    }
}

extension Duration {
    /// The duration in seconds, rounded to what a `Double` holds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration in whole milliseconds, rounded up, so that a wait is never cut short.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000)
        guard !whole.overflow else { return seconds < 0 ? 0 : .max }
        return Int(clamping: whole.partialValue + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
