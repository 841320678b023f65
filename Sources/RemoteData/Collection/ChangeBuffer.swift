import RemoteDataExecution
import Synchronization

/// Changes that wait for the reader of a ``ChangeStream``, at most `capacity` of them.
///
/// One more, and `overflow` takes their place; without it, the newest does.
final class ChangeBuffer<Change: Sendable>: Sendable {
    private struct State {
        var buffer: [Change] = []
        var waiter: OneShot<Void>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let overflow: Change?

    init(capacity: Int, overflow: Change? = nil) {
        self.capacity = capacity
        self.overflow = overflow
    }

    func send(_ change: Change) {
        let waiter = state.withLock { state in
            if state.buffer.count >= capacity {
                state.buffer = [overflow ?? change]
            } else {
                state.buffer.append(change)
            }
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }

    func finish() {
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
            if !state.buffer.isEmpty {
                defer { state.buffer = [] }
                return state.buffer
            }
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
