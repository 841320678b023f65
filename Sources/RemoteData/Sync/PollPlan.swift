import RemoteDataExecution

/// When a table without real-time events is asked next, and for how much.
///
/// Every third poll is complete and the others ask only for what has changed; where nobody looks, they come seldom. A value
/// without a clock.
package struct PollPlan: Sendable {
    /// What is asked for.
    package enum Kind: Sendable, Hashable {
        /// Everything.
        case complete
        /// What has changed since.
        case changes
    }

    /// How often.
    package var rate: SyncRate
    /// Whether anybody looks.
    package var isObserved = false
    /// Whether there is known to be no network.
    package var isOffline = false
    /// Whether changes come by themselves.
    package var isLive = false
    private var polls = 0
    private var failures = 0
    private var last: Duration?
    /// The earliest time a server has asked for, or that follows from failures.
    private var notBefore: Duration?

    /// How many times slower it goes where nobody looks.
    package static let unobservedFactor = 5
    private static let backoff = Backoff(base: .seconds(1), cap: .seconds(60))

    package init(rate: SyncRate) { self.rate = rate }

    /// When the next poll is due; nil for never, as things are.
    package var nextTime: Duration? {
        guard !isOffline, !isLive, let interval = rate.interval else { return nil }
        guard let last else { return notBefore ?? .zero }
        let due = last + (isObserved ? interval : interval * Self.unobservedFactor)
        return max(due, notBefore ?? due)
    }

    /// What the next poll asks for: everything until that has worked once.
    package var nextKind: Kind { polls.isMultiple(of: 3) ? .complete : .changes }

    /// A poll has begun.
    package mutating func began(at now: Duration) { last = now }

    /// A poll has ended well.
    package mutating func succeeded(_ kind: Kind) {
        // One that was asked for in between is no turn of its own, unless it was what is due.
        if kind == nextKind { polls += 1 }
        failures = 0
        notBefore = nil
    }

    /// A poll has failed.
    package mutating func failed(_ error: RemoteDataError, at now: Duration, chance: Double) {
        failures += 1
        let wait = Self.backoff.delay(afterFailures: failures, atLeast: error.retryAfter, chance: chance)
        notBefore = now + wait
    }

    /// Changes came by themselves and no longer do, or all is in doubt: everything is asked for next.
    package mutating func startOver() {
        polls = 0
        last = nil
    }
}
