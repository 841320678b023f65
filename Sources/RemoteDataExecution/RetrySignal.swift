import Synchronization

/// Ends waits between attempts early: everything that waits for one server waits here.
///
/// A wait that the server has asked for is never ended early, up to ``longestWish``. Thread-safe.
package final class RetrySignal: Sendable {
    private struct Waiter {
        let end: OneShot<Void>
        /// Whether an answered request ends the wait.
        var heedsAnswers: Bool
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        var wakes = 0
        var answeredAt: Duration?
        var isNetworkAvailable = true

        mutating func takeWaiters(_ isTaken: (Waiter) -> Bool = { _ in true }) -> [OneShot<Void>] {
            let taken = waiters.filter { isTaken($0.value) }
            for id in taken.keys { waiters[id] = nil }
            return taken.sorted { $0.key < $1.key }.map(\.value.end)
        }
    }

    /// How often answered requests end waits at most.
    package static let answerInterval: Duration = .seconds(1)

    /// How much of a wait that a server has asked for is kept: a proxy may ask for a day.
    package static let longestWish: Duration = .seconds(300)

    private let state = Mutex(State())
    private let watch: Stopwatch

    /// - Parameter clock: Measures ``answerInterval``.
    package init(clock: any Clock<Duration> = TimerClock()) { watch = Stopwatch(clock) }

    /// How often all waits were ended on request; an attempt that fails compares it with what it was before.
    package var wakes: Int { state.withLock { $0.wakes } }

    /// How many waits can be ended now.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Ends every wait.
    package func wake() {
        let woken = state.withLock { state in
            state.wakes += 1
            return state.takeWaiters()
        }
        for waiter in woken { waiter.resume(.success(())) }
    }

    /// Notes whether there is a network: without one, waits that depend on it do not end by themselves.
    package func setNetworkAvailable(_ isAvailable: Bool) {
        state.withLock { $0.isNetworkAvailable = isAvailable }
        if isAvailable { wake() }
    }

    /// A request was answered, so the server is there: ends waits for it, once in ``answerInterval`` at most.
    ///
    /// The limit is for a server that answers requests and refuses connections. What the server itself has
    /// refused goes on waiting: see ``isOutage(_:)``.
    package func answered() {
        guard state.withLock({ $0.waiters.values.contains(where: \.heedsAnswers) }) else { return }
        let now = watch.elapsed
        let woken = state.withLock { state in
            if let last = state.answeredAt, now - last < Self.answerInterval { return [OneShot<Void>]() }
            let woken = state.takeWaiters(\.heedsAnswers)
            if !woken.isEmpty { state.answeredAt = now }
            return woken
        }
        for waiter in woken { waiter.resume(.success(())) }
    }

    /// Returns whether an attempt failed because the server was not reached, or began or ended just then.
    ///
    /// Then an answer to another request shows that it can be reached. Any other status is about the
    /// attempt itself, of which other answers say nothing.
    ///
    /// - Parameter status: The HTTP status of the answer; nil for none. 502, 503 and 504 are those of a proxy
    ///   whose server is away (RFC 9110, section 15.6).
    /// - Returns: Whether it is one of those.
    package static func isOutage(_ status: Int?) -> Bool { status.map { 502...504 ~= $0 } ?? true }

    /// Waits before another attempt, without blocking.
    ///
    /// - Parameters:
    ///   - delay: How long at most, no less than the wish.
    ///   - wish: How long at least, as the server has asked; of a longer one than ``longestWish``, so much.
    ///   - wakes: ``wakes`` before the attempt that failed; a later request ends the wait as it begins.
    ///   - heedsAnswers: Whether ``answered()`` ends it, or only a request to go on.
    ///   - needsNetwork: Whether it goes on for as long as there is known to be no network.
    ///   - clock: Measures the wait.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(
        for delay: Duration,
        atLeast wish: Duration? = nil,
        since wakes: Int? = nil,
        heedsAnswers: Bool = true,
        needsNetwork: Bool = false,
        clock: any Clock<Duration>
    ) async throws {
        try Task.checkCancellation()
        let waiter = OneShot<Void>()
        let id = state.withLock { state in
            state.lastID += 1
            if let wakes, wakes != state.wakes { waiter.resume(.success(())) }
            state.waiters[state.lastID] = Waiter(end: waiter, heedsAnswers: heedsAnswers)
            return state.lastID
        }
        defer { state.withLock { $0.waiters[id] = nil } }
        let wish = max(.zero, wish ?? .zero)
        let least = min(wish, Self.longestWish)
        if least > .zero { try await clock.sleep(for: least) }
        guard !waiter.isFinished else { return }
        // A delay that is no longer than the wish is over with it.
        let rest = delay > wish ? delay - least : .zero
        guard rest > .zero || holds(needsNetwork) else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                do { if rest > .zero { try await clock.sleep(for: rest) } } catch {
                    return waiter.resume(.failure(error))
                }
                if !holds(needsNetwork) { return waiter.resume(.success(())) }
                // Its time is over: any answer shows that there is a network.
                state.withLock { $0.waiters[id]?.heedsAnswers = true }
            }
            defer { group.cancelAll() }
            try await withTaskCancellationHandler {
                try await waiter.value()
            } onCancel: {
                waiter.resume(.failure(CancellationError()))
            }
        }
    }

    private func holds(_ needsNetwork: Bool) -> Bool {
        needsNetwork && state.withLock { !$0.isNetworkAvailable }
    }
}
