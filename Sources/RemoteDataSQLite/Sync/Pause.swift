import RemoteData
import RemoteDataExecution
import Synchronization

/// A wait until a time, which may be cut short; also before it has begun, so that no call is missed.
final class Pause: Sendable {
    private struct State {
        var waiter: OneShot<Void>?
        var isCut = false
    }

    private let state = Mutex(State())
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// Waits for a time, or until the wait is cut short; nil for that alone.
    func wait(for time: Duration?) async {
        let waiter = OneShot<Void>()
        let isNeeded = state.withLock { state in
            defer { state.isCut = false }
            guard !state.isCut else { return false }
            state.waiter = waiter
            return true
        }
        guard isNeeded else { return }
        let timer = time.map { time in
            surroundings.start { [clock = surroundings.deadlineClock] in
                try? await clock.sleep(for: time)
                waiter.resume(.success(()))
            }
        }
        defer { timer?.cancel() }
        try? await waiter.awaited()
        // A call that comes now is for the next wait.
        state.withLock { if $0.waiter === waiter { $0.waiter = nil } }
    }

    /// Ends the wait, or the next one.
    func cutShort() {
        let waiter = state.withLock { state in
            state.isCut = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }
}
