package import RemoteDataExecution

/// What can be chosen of a ``Session``.
package struct SessionOptions: Sendable {
    /// The waits between attempts that fail.
    package var backoff = Backoff()
    /// Ends the waits early.
    package var signal = RetrySignal()
    /// Told of reconnects.
    package var observe: NetworkObserver?
    /// Measures the waits.
    package var clock: any Clock<Duration> = TimerClock()
    /// Random numbers for the jitter.
    package var chance: Chance = systemChance

    /// Creates the defaults.
    package init() {}
}
