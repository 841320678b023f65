/// How many writes may be sent at a moment: all as long as the server answers, one to find out whether it does again.
///
/// A value without a clock: times are given to it, counted from any moment.
package struct SendingPlan: Sendable {
    /// What is known of the server.
    package enum Reach: Sendable, Hashable {
        /// It answers, or was not asked yet.
        case up
        /// It does not, and why; it is asked again at a time.
        case down(since: Duration, retryAt: Duration, failures: Int)
    }

    package private(set) var reach = Reach.up
    /// Whether the program wants nothing to be sent.
    package var isPaused = false
    /// Whether there is known to be no network.
    package var isOffline = false
    /// The earliest time that the server has asked for, which nothing ends early.
    private var wish: Duration?
    private let schedule: RetrySchedule

    package init(_ schedule: RetrySchedule = RetrySchedule()) { self.schedule = schedule }

    /// How many more requests may be sent.
    ///
    /// - Parameters:
    ///   - limit: How many at most at once.
    ///   - inFlight: How many are under way.
    ///   - now: The time.
    /// - Returns: The number.
    package func room(limit: Int, inFlight: Int, now: Duration) -> Int {
        guard !isPaused, !isOffline else { return 0 }
        switch reach {
        case .up: return max(0, limit - inFlight)
        case .down(_, let retryAt, _): return inFlight == 0 && now >= retryAt ? 1 : 0
        }
    }

    /// When there is room again without anything happening; nil when there is, or something has to happen.
    package func wakes(after now: Duration) -> Duration? {
        guard !isPaused, !isOffline, case .down(_, let retryAt, _) = reach, retryAt > now else { return nil }
        return retryAt
    }

    /// The server answered, whatever it said of the write.
    ///
    /// - Returns: Whether it did not before.
    package mutating func answered() -> Bool {
        defer { (reach, wish) = (.up, nil) }
        return reach != .up
    }

    /// A request got no answer that says anything of the write itself.
    package mutating func failed(_ error: RemoteDataError, now: Duration, chance: Double) {
        var (since, failures) = (now, 0)
        if case .down(let before, let retryAt, let count) = reach {
            // One of several that were under way together.
            guard now >= retryAt else { return }
            (since, failures) = (before, count)
        }
        let wait = schedule.delay(
            afterFailures: failures + 1,
            atLeast: error.retryAfter,
            chance: chance
        )
        if let time = error.retryAfter { wish = now + time }
        reach = .down(since: since, retryAt: now + wait, failures: failures + 1)
    }

    /// The network is there again, or may be: the server is asked at once, unless it has asked for time.
    package mutating func networkReturned(now: Duration) {
        isOffline = false
        guard case .down(let since, _, _) = reach else { return }
        reach = .down(since: since, retryAt: max(now, wish ?? now), failures: 0)
    }
}

extension RemoteDataError {
    /// Whether it says something of the server and nothing of what it was asked: others would fail like this.
    package var isOfServer: Bool {
        // An error of the server itself may be the work of one row.
        guard status != 500 else { return false }
        return isTransient || code == .unauthorized
    }
}
