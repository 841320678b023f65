/// Exponential delays with full jitter.
///
/// A delay is a random part of a limit that doubles with each attempt, so that clients that failed together do not come
/// back together ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
package struct Backoff: Sendable, Hashable {
    /// The limit of the first delay.
    package var base: Duration
    /// The limit that is never exceeded.
    package var cap: Duration

    /// Creates a backoff.
    package init(base: Duration = .milliseconds(200), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// The limit of the delay after a number of failed attempts.
    package func limit(afterFailures failures: Int) -> Duration {
        guard failures > 1 else { return min(base, cap) }
        let factor = 1 << min(failures - 1, 40)
        return min(cap, .seconds(base.seconds * Double(factor)))
    }

    /// The delay after a number of failed attempts.
    ///
    /// - Parameters:
    ///   - failures: How many attempts have failed so far, one or more.
    ///   - chance: A random number of 0 to 1.
    /// - Returns: That part of ``limit(afterFailures:)``.
    package func delay(afterFailures failures: Int, chance: Double) -> Duration {
        limit(afterFailures: failures) * min(max(chance, 0), 1)
    }
}

/// A source of random numbers from 0 up to 1; tests give a fixed one.
package typealias Chance = @Sendable () -> Double

/// The system's random numbers.
package let systemChance: Chance = { Double.random(in: 0..<1) }
