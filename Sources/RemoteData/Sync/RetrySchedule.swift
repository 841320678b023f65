package import RemoteDataExecution

/// When something that failed for a reason that may pass is tried again: a few times soon, then for ever at long intervals.
package struct RetrySchedule: Sendable, Hashable {
    /// How often it is tried again soon.
    package var quickRetries = 5
    /// The delays of those, with full jitter.
    package var backoff = Backoff(base: .milliseconds(200), cap: .seconds(5))
    /// The longest wait between later attempts; the shortest is half of it.
    package var slowCycle: Duration = .seconds(60)

    package init() {}

    /// How long to wait.
    ///
    /// - Parameters:
    ///   - failures: How many attempts have failed, one or more.
    ///   - wish: How long the server asked to wait.
    ///   - chance: A random number of 0 to 1.
    /// - Returns: The time, never shorter than the wish.
    package func delay(afterFailures failures: Int, atLeast wish: Duration?, chance: Double) -> Duration {
        guard failures > quickRetries else {
            return backoff.delay(afterFailures: failures, atLeast: wish, chance: chance)
        }
        return max(slowCycle * (0.5 + 0.5 * min(max(chance, 0), 1)), wish ?? .zero)
    }
}
