import Dispatch
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
        /// A thread waits, until this is signalled.
        case parking(DispatchSemaphore)
        case finished(Answer)

        var answer: Answer? { if case .finished(let answer) = self { answer } else { nil } }

        /// - Returns: The result, when there is one already.
        mutating func park(_ arrival: DispatchSemaphore) -> Answer? {
            if answer == nil { self = .parking(arrival) }
            return answer
        }

        /// - Returns: What it was before.
        mutating func finish(_ answer: Answer) -> State {
            defer { if self.answer == nil { self = .finished(answer) } }
            return self
        }
    }

    private let state = Mutex(State.new)

    /// Creates one without a result.
    package init() {}

    /// The caller waits; false when there is a result already, with which it was resumed at once.
    package func start(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let early = state.withLock { state -> Answer? in
            if let answer = state.answer { return answer }
            state = .waiting(continuation)
            return nil
        }
        guard let early else { return true }
        continuation.resume(returning: early)
        return false
    }

    /// Parks the calling thread until there is a result.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: Nil when there was none in time.
    package func wait(atMost limit: Duration) -> Answer? {
        let arrival = DispatchSemaphore(value: 0)
        if let answer = state.withLock({ $0.park(arrival) }) { return answer }
        _ = arrival.wait(timeout: .now() + limit.dispatchInterval)
        return state.withLock { $0.answer }
    }

    /// Gives the result; true when it was the first and the caller was waiting.
    @discardableResult
    package func finish(_ answer: Answer) -> Bool {
        switch state.withLock({ $0.finish(answer) }) {
        case .new, .finished: return false
        case .waiting(let continuation): continuation.resume(returning: answer)
        case .parking(let arrival): arrival.signal()
        }
        return true
    }

    /// Whether nobody waits for the result any more.
    package var isFinished: Bool { state.withLock { $0.answer != nil } }
}
