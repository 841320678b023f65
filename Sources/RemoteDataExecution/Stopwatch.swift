/// Measures the time since it was made, on any clock.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    /// Starts.
    package init(_ clock: any Clock<Duration>) { read = Self.start(clock) }

    /// The time since.
    package var elapsed: Duration { read() }

    private static func start<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let begin = clock.now
        return { begin.duration(to: clock.now) }
    }
}
