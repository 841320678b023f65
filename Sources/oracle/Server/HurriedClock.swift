import RemoteDataExecution

/// A clock that goes faster than the world, so that waits between attempts to connect do not take most of the time.
struct HurriedClock: Clock {
    private let base = TimerClock()
    private let begin = ContinuousClock.now
    private let factor = 20

    var now: ContinuousClock.Instant { begin + (base.now - begin) * factor }
    var minimumResolution: Duration { base.minimumResolution * factor }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try await base.sleep(until: begin + (deadline - begin) / factor, tolerance: nil)
    }
}
