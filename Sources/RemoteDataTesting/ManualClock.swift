import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Clock, Sendable {
    /// A moment of the clock: the time since it was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// The moment that long after the clock was made.
        public init(offset: Duration) { self.offset = offset }

        /// The moment a duration later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from here to another moment.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the left one is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let ready = watchers.filter { $0.value.count <= sleepers.count }
            for id in ready.keys { watchers[id] = nil }
            return ready.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// Creates a clock at zero.
    public init() {}

    /// The time the test has let pass.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How long each sleeper still has to wait, the shortest first.
    public var sleepers: [Duration] {
        state.withLock { state in state.sleepers.values.map { state.now.duration(to: $0.deadline) } }.sorted()
    }

    /// Moves the clock forward and wakes whoever is due, earliest deadline first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    /// Waits until at least `count` tasks sleep on the clock.
    ///
    /// It has no deadline of its own: use it under a test's time limit. Returns early when the task is cancelled.
    public func waitForSleepers(_ count: Int = 1) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.cancelled.remove(id) != nil || state.sleepers.count >= count { return true }
                    state.watchers[id] = (count, continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                let watcher = state.watchers.removeValue(forKey: id)
                if watcher == nil { state.cancelled.insert(id) }
                return watcher?.continuation
            }
            watcher?.resume()
        }
    }

    /// Waits until the test has moved the clock to a moment.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, at once.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isDue = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(id, deadline, continuation) }
        } onCancel: {
            cancel(id)
        }
        // A cancellation that came after the wake-up left a mark.
        state.withLock { _ = $0.cancelled.remove(id) }
        if !isDue { throw CancellationError() }
    }

    private func wait(_ id: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Bool, Never>) {
        let (answer, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(id) != nil { return (false, []) }
            if deadline <= state.now { return (true, []) }
            state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
            return (nil, state.takeWatchers())
        }
        if let answer { continuation.resume(returning: answer) }
        for watcher in watchers { watcher.resume() }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            guard let sleeper = state.sleepers.removeValue(forKey: id) else {
                state.cancelled.insert(id)
                return Sleeper?.none
            }
            return sleeper
        }
        sleeper?.continuation.resume(returning: false)
    }
}
