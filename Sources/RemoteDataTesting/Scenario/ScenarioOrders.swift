import RemoteDataExecution
import Synchronization

/// How many rows an iteration is to take, for the task that takes them.
final class ScenarioOrders: Sendable {
    private struct State {
        var wanted = 0
        var isOver = false
        var waiter: OneShot<Void>?
    }

    private let state = Mutex(State())

    /// Asks for more rows.
    func order(_ count: Int) {
        wake { $0.wanted = count > Int.max - $0.wanted ? .max : $0.wanted + count }
    }

    /// Asks for none any more.
    func stop() { state.withLock { $0.wanted = 0 } }

    /// Lets the task end.
    func end() { wake { $0.isOver = true } }

    private func wake(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }

    /// Whether rows are wanted and have not come.
    var isBusy: Bool { state.withLock { $0.wanted > 0 && !$0.isOver } }

    /// Waits until a row is wanted; false at the end.
    func next() async -> Bool {
        while true {
            let waiter = OneShot<Void>()
            let isWanted = state.withLock { state -> Bool? in
                if state.isOver { return false }
                if state.wanted > 0 {
                    if state.wanted < .max { state.wanted -= 1 }
                    return true
                }
                state.waiter = waiter
                return nil
            }
            if let isWanted { return isWanted }
            try? await waiter.value()
        }
    }
}
