import RemoteDataExecution
import Synchronization

/// Lets one at a time do something that takes a while, in the order they came.
package final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [OneShot<Void>] = []
        var failure: RemoteDataError?
    }

    private let state = Mutex(State())

    package init() {}

    /// Does something while nobody else does.
    ///
    /// - Throws: ``RemoteDataError``: what the body throws; `cancelled` when the task is while it waits; what ``end(_:)`` said.
    package func take<Result: Sendable>(
        _ body: () async throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let turn = OneShot<Void>()
        let (isFree, failure) = state.withLock { state -> (Bool, RemoteDataError?) in
            guard state.failure == nil else { return (false, state.failure) }
            if state.isTaken { state.waiting.append(turn) }
            defer { state.isTaken = true }
            return (!state.isTaken, nil)
        }
        if let failure { throw failure }
        if !isFree {
            do throws(RemoteDataError) { try await turn.awaited() } catch {
                giveUp(turn)
                throw error
            }
        }
        defer { handOn() }
        return try await body()
    }

    private func giveUp(_ turn: OneShot<Void>) {
        let isTaken = state.withLock { state in
            let count = state.waiting.count
            state.waiting.removeAll { $0 === turn }
            return state.waiting.count == count && state.failure == nil
        }
        // The turn came just when it was given up.
        if isTaken { handOn() }
    }

    /// Refuses whoever waits and whoever comes.
    package func end(_ failure: RemoteDataError) {
        let waiting = state.withLock { state in
            state.failure = failure
            defer { state.waiting = [] }
            return state.waiting
        }
        for turn in waiting { turn.resume(.failure(failure)) }
    }

    private func handOn() {
        let next = state.withLock { state -> OneShot<Void>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(.success(()))
    }
}
