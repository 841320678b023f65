import RemoteDataExecution
import Synchronization

/// Changes that wait for the reader of a ``ChangeStream``, and the reader that waits for them.
package final class ChangeBuffer<Change: Sendable>: Sendable {
    private struct State {
        var queue: any ChangeQueue<Change>
        var waiter: OneShot<Void>?
        var isFinished = false
    }

    private let state: Mutex<State>

    package init(_ queue: any ChangeQueue<Change>) { state = Mutex(State(queue: queue)) }

    package func send(_ change: Change) { add(change)?.resume(.success(())) }

    /// Adds a change where its reader cannot be woken, because a lock is held.
    ///
    /// - Returns: The reader that waits for it, to be woken after that.
    func add(_ change: Change) -> OneShot<Void>? {
        state.withLock { state in
            state.queue.add(change)
            return state.queue.isEmpty ? nil : state.waiter.take()
        }
    }

    package func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }

    /// What waits, maybe nothing yet; nil at the end.
    func take() async -> [Change]? {
        let waiter = OneShot<Void>()
        let ready = state.withLock { state -> [Change]?? in
            if !state.queue.isEmpty { return state.queue.takeAll() }
            if state.isFinished { return .some(nil) }
            state.waiter = waiter
            return .none
        }
        if let ready { return ready }
        let isDone: Void? = try? await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            waiter.resume(.failure(CancellationError()))
        }
        return isDone == nil ? nil : []
    }
}
