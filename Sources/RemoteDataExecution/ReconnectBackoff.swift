/// Decides how long to wait before a connection is made again: not at all after one that worked.
///
/// A connection works once it is open and what was asked over it has been answered. Failures count only until
/// then, so that a connection that is cut each time it works is made again at once. Connections that work for
/// less than a second, one after another, wait up to a second. A value without a clock.
package struct ReconnectBackoff: Sendable, Hashable {
    /// The delays after attempts that failed, and after connections that ended before they worked.
    package var failing: Backoff
    /// The delays between connections that work for a short time; the first of them is followed by no delay.
    package static let brief = Backoff(base: .milliseconds(50), cap: .seconds(1))
    /// The delays after a refusal, which rarely passes soon; after refused credentials each attempt may sign
    /// in, and too many may lock an account.
    package static let refused = Backoff(cap: .seconds(60))

    private var failures = 0
    /// The failures before the open connection.
    private var earlierFailures = 0
    private var briefConnections = 0
    private var openedAt: Duration?
    private var hasWorked = false
    private var isRefused = false

    /// Creates one without failures.
    package init(failing: Backoff = Backoff()) { self.failing = failing }

    /// The number of the next attempt since a connection has worked, from one.
    package var attempt: Int { max(1, failures) }

    /// A connection is open.
    package mutating func opened(at now: Duration) {
        (openedAt, hasWorked, earlierFailures) = (now, false, failures)
    }

    /// What was asked over the open connection has been answered.
    package mutating func worked() {
        guard openedAt != nil else { return }
        (failures, hasWorked) = (0, true)
    }

    /// The open connection is given up because of what came over it: it counts as one that has not worked.
    package mutating func givenUp() {
        guard hasWorked else { return }
        (failures, hasWorked) = (earlierFailures, false)
    }

    /// The server has refused the attempt, or what was asked over the open connection.
    package mutating func refused() { isRefused = true }

    /// An attempt failed, or the open connection has ended.
    ///
    /// - Parameters:
    ///   - now: The time, on the clock of ``opened(at:)``.
    ///   - wish: How long the server asked to wait.
    ///   - chance: A random number of 0 to 1.
    /// - Returns: The delay before the next attempt, never less than the wish.
    package mutating func ended(at now: Duration, atLeast wish: Duration? = nil, chance: Double) -> Duration {
        defer { (openedAt, hasWorked, isRefused) = (nil, false, false) }
        guard hasWorked, let openedAt else {
            failures += 1
            return (isRefused ? Self.refused : failing).delay(
                afterFailures: failures,
                atLeast: wish,
                chance: chance
            )
        }
        briefConnections = now - openedAt < Self.brief.cap ? briefConnections + 1 : 0
        guard briefConnections > 1 else { return wish ?? .zero }
        return Self.brief.delay(afterFailures: briefConnections - 1, atLeast: wish, chance: chance)
    }
}
