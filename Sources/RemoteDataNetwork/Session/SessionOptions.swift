package import RemoteDataExecution

/// What can be chosen of a ``Session``.
package struct SessionOptions: Sendable {
    /// The waits between attempts.
    package var backoff = Backoff(cap: .seconds(60))
    /// How long a connection must last for the waits to begin small again.
    package var stableAfter: Duration = .seconds(30)
    /// The longest `Retry-After` that is obeyed in full.
    package var longestRetryAfter: Duration = .seconds(300)
    /// Told of reconnects.
    package var observe: NetworkObserver?
    /// Measures the waits.
    package var clock: any Clock<Duration> = TimerClock()
    /// Random numbers for the jitter.
    package var chance: Chance = systemChance

    /// Creates the defaults.
    package init() {}
}
