import RemoteDataExecution

/// When a table is read next and for how much, and when it is subscribed to again.
///
/// A table whose events come is read only for what they cannot tell. Others are polled: every third poll is
/// complete and the others ask only for what has changed; where nothing observes the table, they come seldom.
/// A value without a clock.
package struct PollPlan: Sendable {
    /// What is asked for.
    package enum Kind: Sendable, Hashable {
        /// Everything.
        case complete
        /// What has changed since.
        case changes
    }

    /// What failures have led to.
    private struct Retries: Sendable {
        var failures = 0
        /// The earliest time that follows from failures.
        var notBefore: Duration?
        /// The earliest time that the server has asked for, which nothing ends early.
        var wish: Duration?

        /// The earliest time of all.
        var due: Duration? { [notBefore, wish].compactMap(\.self).max() }

        mutating func failed(_ error: RemoteDataError?, at now: Duration, _ backoff: Backoff, chance: Double)
        {
            failures += 1
            notBefore = now + backoff.delay(afterFailures: failures, chance: chance)
            if let time = error?.retryAfter { wish = now + time }
        }

        mutating func hurry() { (failures, notBefore) = (0, nil) }
    }

    /// What is known of the subscription.
    package enum Feed: Sendable, Hashable {
        /// There is none, or it is interrupted.
        case down
        /// It was asked for at a time, and nothing has come yet.
        case pending(since: Duration)
        /// Its events come.
        case live
    }

    /// How often.
    package var rate: SyncRate
    /// Whether anything observes the table.
    package var isObserved = false
    /// Whether there is known to be no network.
    package var isOffline = false
    package private(set) var feed = Feed.down
    /// Whether the table has to be read completely before its events can be applied.
    package private(set) var isBehind = true
    /// Whether the server has no such table yet.
    package private(set) var isMissing = false
    private var polls = 0
    private var last: Duration?
    /// Whether something was missed that a read under way may not have.
    private var isReadOutdated = false
    private var reads = Retries()
    /// When an answer to another request last ended the waits.
    private var answeredAt: Duration?
    private var liveSince: Duration?
    private var subscriptions = Retries()

    /// How many times slower it goes where nothing observes the table.
    package static let unobservedFactor = 5
    /// How long a subscription may take before the first poll no longer waits for it.
    package static let headStart: Duration = .seconds(2)
    /// How often answers to other requests end waits at most.
    private static let answerInterval: Duration = .seconds(1)
    /// How long a subscription has to be live for its end to count as no failure.
    private static let steadyTime: Duration = .seconds(5)

    package init(rate: SyncRate) { self.rate = rate }

    /// The time between two polls, as things are; nil for none.
    private var interval: Duration? {
        rate.interval.map { isObserved ? $0 : $0 * Self.unobservedFactor }
    }

    /// The wait after failures, which is not much longer than that between polls.
    private var backoff: Backoff {
        Backoff(base: .seconds(1), cap: min(.seconds(60), max(.seconds(5), interval ?? .seconds(60))))
    }
}

// MARK: - Polls

extension PollPlan {
    /// When the next poll is due; nil for never, as things are.
    package var nextTime: Duration? {
        guard !isOffline, let interval else { return nil }
        if feed == .live { return isBehind ? reads.due ?? .zero : nil }
        var due = last.map { $0 + interval } ?? .zero
        if last == nil, case .pending(let since) = feed { due = since + min(Self.headStart, interval) }
        return max(due, reads.due ?? due)
    }

    /// What the next poll asks for: everything until that has worked once.
    package var nextKind: Kind {
        (feed == .live && isBehind) || polls.isMultiple(of: 3) ? .complete : .changes
    }

    /// What a read that is waited for asks for: everything, unless events tell what has changed.
    package var awaitedKind: Kind { feed == .live && !isBehind ? .changes : .complete }

    /// A poll has begun.
    package mutating func began(at now: Duration) { (last, isReadOutdated) = (now, false) }

    /// A poll has ended well.
    package mutating func succeeded(_ kind: Kind) {
        // One that was asked for in between is no turn of its own, unless it was what is due.
        if kind == nextKind { polls += 1 }
        // Events that come from now on are newer than what was read.
        if kind == .complete, feed == .live, !isReadOutdated { isBehind = false }
        if reads.failures > 0 || isMissing { subscriptions.hurry() }
        (reads, isMissing) = (Retries(), false)
        // What is outdated again as soon as it is read is read again after the usual time.
        if kind == .complete, isReadOutdated, let last, let interval { reads.notBefore = last + interval }
    }

    /// A poll has failed.
    package mutating func failed(_ error: RemoteDataError, at now: Duration, chance: Double) {
        reads.failed(error, at: now, backoff, chance: chance)
    }

    /// A poll has found no table: it is looked for again after the usual time.
    package mutating func foundNoTable(at now: Duration) {
        isMissing = true
        reads = Retries(notBefore: interval.map { now + $0 })
    }

    /// The network or the server may be back: nothing waits any longer for having failed.
    package mutating func hurry() {
        reads.hurry()
        subscriptions.hurry()
        if feed != .live { last = nil }
    }

    /// The server has answered another request: ends the waits after failures, once a second at most.
    ///
    /// - Returns: Whether the waits have ended.
    package mutating func answered(at now: Duration) -> Bool {
        if let answeredAt, now - answeredAt < Self.answerInterval { return false }
        answeredAt = now
        hurry()
        return true
    }
}

// MARK: - The subscription

extension PollPlan {
    /// When to subscribe again; nil for never, as things are.
    package var nextSubscription: Duration? {
        isOffline || rate.interval == nil ? nil : subscriptions.due ?? .zero
    }

    /// A subscription was asked for.
    ///
    /// - Parameters:
    ///   - resumes: Whether it reports what has changed since the table was read.
    ///   - now: The time.
    package mutating func subscribed(resuming resumes: Bool, at now: Duration) {
        (feed, isBehind) = (.pending(since: now), !resumes)
    }

    /// Events come, from now on or from where they were interrupted.
    package mutating func live(at now: Duration) {
        if feed != .live { liveSince = now }
        feed = .live
    }

    /// Events were missed.
    package mutating func missedEvents() { (isBehind, isReadOutdated) = (true, true) }

    /// There was a change.
    package mutating func sawChange() { if isMissing { reads.notBefore = nil } }

    /// No events come, until they do again.
    package mutating func interrupted(at now: Duration) {
        // What a short interruption has missed comes with the next events.
        if feed == .live { last = max(last ?? now, now) }
        (feed, liveSince) = (.down, nil)
    }

    /// The subscription has ended, or could not be made.
    package mutating func unsubscribed(after error: RemoteDataError?, at now: Duration, chance: Double) {
        if let liveSince, now - liveSince >= Self.steadyTime { subscriptions.failures = 0 }
        interrupted(at: now)
        isBehind = true
        subscriptions.failed(error, at: now, backoff, chance: chance)
    }
}
