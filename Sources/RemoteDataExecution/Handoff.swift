import Synchronization

/// Where a result meets the one who waits for it: whichever thread is first to give one resumes the waiter, once.
///
/// ``OneShot`` is the simpler face of it.
package final class Handoff<Value: Sendable, Failure: Error>: Sendable {
    /// What is waited for.
    package typealias Answer = Result<Value, Failure>

    private enum State {
        case new
        case waiting(CheckedContinuation<Answer, Never>)
        case finished(Answer)
    }

    private let state = Mutex(State.new)

    /// Creates one without a result.
    package init() {}

    /// The caller waits; false when there is a result already, with which it was resumed at once.
    package func start(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let early = state.withLock { state -> Answer? in
            if case .finished(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        guard let early else { return true }
        continuation.resume(returning: early)
        return false
    }

    /// Gives the result; true when it was the first and the caller was waiting.
    @discardableResult
    package func finish(_ answer: Answer) -> Bool {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            switch state {
            case .new:
                state = .finished(answer)
                return nil
            case .waiting(let continuation):
                state = .finished(answer)
                return continuation
            case .finished:
                return nil
            }
        }
        waiting?.resume(returning: answer)
        return waiting != nil
    }

    /// Whether nobody waits for the result any more.
    package var isFinished: Bool {
        state.withLock { state in
            if case .finished = state { true } else { false }
        }
    }
}
