import RemoteDataNetwork
import Synchronization

/// Time since a clock was made.
struct TestInstant: InstantProtocol {
    var offset: Duration = .zero

    func advanced(by duration: Duration) -> TestInstant { TestInstant(offset: offset + duration) }
    func duration(to other: TestInstant) -> Duration { other.offset - offset }
    static func < (left: TestInstant, right: TestInstant) -> Bool { left.offset < right.offset }
}

/// A clock whose sleeps are over at once; they are written down, and time moves on by them.
final class HurriedClock: Clock {
    private let state = Mutex((now: TestInstant(), sleeps: [Duration]()))

    var now: TestInstant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func advance(by duration: Duration) { state.withLock { $0.now.offset += duration } }

    func sleep(until deadline: TestInstant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now.offset)
            state.now = max(state.now, deadline)
        }
    }
}

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
    private struct Sleeper {
        let deadline: TestInstant
        let wake: CheckedContinuation<Bool, Never>
    }

    private let state = Mutex((now: TestInstant(), sleepers: [Int: Sleeper](), next: 0))
    /// How many tasks sleep; wait for it before moving the clock.
    let sleeping = Watched(0)

    var now: TestInstant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now.offset += duration
            let now = state.now
            let keys = state.sleepers.filter { $0.value.deadline <= now }.map(\.key)
            return keys.compactMap { state.sleepers.removeValue(forKey: $0)?.wake }
        }
        for wake in woken { wake.resume(returning: true) }
        count()
    }

    func sleep(until deadline: TestInstant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let isRested = await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, deadline > state.now else { return true }
                    state.sleepers[id] = Sleeper(deadline: deadline, wake: wake)
                    return false
                }
                if isOver { wake.resume(returning: !Task.isCancelled) }
                count()
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume(returning: false)
            count()
        }
        guard isRested else { throw CancellationError() }
    }

    private func count() {
        let number = state.withLock { $0.sleepers.count }
        sleeping.change { $0 = number }
    }
}

/// A clock that stands still, where what is shorter than a second is over at once and all else never.
final class ImpatientClock: Clock {
    private let patient = ManualClock()

    var now: TestInstant { patient.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestInstant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) >= .seconds(1) else { return try Task.checkCancellation() }
        try await patient.sleep(until: deadline, tolerance: tolerance)
    }
}
