import Synchronization

/// A value that a test can wait on, until its time limit cancels it.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state: Mutex<State>

    /// Creates one that nobody waits for yet.
    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The value now.
    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes whoever waited for that.
    @discardableResult
    package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = body(&state.value)
            let woken = state.waiters.filter { $0.value.condition(state.value) }
            for id in woken.keys { state.waiters[id] = nil }
            return (result, woken.values.map(\.continuation))
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until a condition holds, or the task is cancelled.
    package func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.cancelled.remove(id) != nil || condition(state.value) { return true }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume()
        }
    }
}
