/// Exponential delays with full jitter.
///
/// A delay is a random part of a limit that doubles with each attempt, so that clients that failed together
/// do not come back together ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
package struct Backoff: Sendable, Hashable {
    /// The limit of the first delay.
    package var base: Duration
    /// The limit that is never exceeded.
    package var cap: Duration

    /// Creates a backoff; the cap is a few seconds unless given, since most waits are for what is read.
    package init(base: Duration = .milliseconds(200), cap: Duration = .seconds(5)) {
        self.base = base
        self.cap = cap
    }

    /// The limit of the delay after a number of failed attempts.
    package func limit(afterFailures failures: Int) -> Duration {
        var limit = min(base, cap)
        var doublings = failures - 1
        while doublings > 0, cap > limit, limit > .zero {
            limit = min(cap, limit * 2)
            doublings -= 1
        }
        return limit
    }

    /// The delay after a number of failed attempts, to the microsecond.
    ///
    /// - Parameters:
    ///   - failures: How many attempts have failed so far, one or more.
    ///   - wish: What the server asked for.
    ///   - chance: A random number of 0 to 1.
    /// - Returns: That part of ``limit(afterFailures:)``, and never less than the wish.
    package func delay(
        afterFailures failures: Int,
        atLeast wish: Duration? = nil,
        chance: Double = systemChance()
    ) -> Duration {
        let limit = limit(afterFailures: failures)
        let part = Duration.microseconds(
            Int64((limit.seconds * 1_000_000 * min(max(chance, 0), 1)).rounded())
        )
        return max(part, wish ?? .zero)
    }
}

/// A source of random numbers from 0 up to 1; tests give a fixed one.
package typealias Chance = @Sendable () -> Double

/// The system's random numbers.
package let systemChance: Chance = { Double.random(in: 0..<1) }
