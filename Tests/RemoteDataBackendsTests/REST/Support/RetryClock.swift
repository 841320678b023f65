import RemoteDataTesting

/// A clock on which waits between attempts end at once, and the deadlines of a subscription never.
///
/// Time advances by each wait, and when the test says so.
final class RetryClock: Clock {
    private static let deadlines: Set<Duration> = [.seconds(10), .seconds(30)]

    private let time = ManualClock()
    private let stopped = ManualClock()

    var now: ManualClock.Instant { time.now }
    var minimumResolution: Duration { .zero }

    func advance(by duration: Duration) { time.advance(by: duration) }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        let wait = now.duration(to: deadline)
        if Self.deadlines.contains(wait) {
            try await stopped.sleep(until: deadline, tolerance: tolerance)
        } else {
            try Task.checkCancellation()
            time.advance(by: max(.zero, wait))
        }
    }
}
