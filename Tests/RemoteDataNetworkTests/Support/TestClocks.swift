import RemoteDataTesting
import Synchronization

/// A clock whose sleeps are over at once; they are written down, and time moves on by them.
final class HurriedClock: Clock {
    private let state = Mutex((now: ManualClock.Instant(offset: .zero), sleeps: [Duration]()))

    var now: ManualClock.Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func advance(by duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now.offset)
            state.now = max(state.now, deadline)
        }
    }
}

/// A clock that stands still, where what is shorter than a second is over at once and all else never.
final class ImpatientClock: Clock {
    private let patient = ManualClock()

    var now: ManualClock.Instant { patient.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) >= .seconds(1) else { return try Task.checkCancellation() }
        try await patient.sleep(until: deadline, tolerance: tolerance)
    }
}
