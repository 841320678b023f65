import Synchronization

/// A value that arrives once, for one waiter; a second arrival does nothing.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, any Error>)
        case arrived(Result<Value, any Error>)
        case done
    }

    private let state = Mutex(State.empty)

    /// Creates one that waits for its value.
    package init() {}

    /// Lets the waiter go on.
    package func resume(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .empty:
                state = .arrived(result)
                return nil
            case .waiting(let waiter):
                state = .done
                return waiter
            case .arrived, .done: return nil
            }
        }
        waiter?.resume(with: result)
    }

    /// The value; to be awaited once.
    package func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let arrived = state.withLock { state -> Result<Value, any Error>? in
                if case .arrived(let result) = state {
                    state = .done
                    return result
                }
                state = .waiting(continuation)
                return nil
            }
            if let arrived { continuation.resume(with: arrived) }
        }
    }
}
