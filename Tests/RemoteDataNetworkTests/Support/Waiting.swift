import RemoteDataExecution
import RemoteDataNetwork
import Synchronization
import Testing

/// A value that tests wait for: whoever changes it wakes those whose condition has come true.
final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [Int: (condition: @Sendable (Value) -> Bool, wake: CheckedContinuation<Bool, Never>)] =
            [:]
        var next = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = body(&state.value)
            let value = state.value
            let keys = state.waiters.filter { $0.value.condition(value) }.map(\.key)
            return (result, keys.compactMap { state.waiters.removeValue(forKey: $0)?.wake })
        }
        for waiter in woken { waiter.resume(returning: true) }
        return result
    }

    /// Waits until a condition holds; a condition that does not come true in time fails the test.
    func wait(
        _ location: SourceLocation = #_sourceLocation,
        until condition: @escaping @Sendable (Value) -> Bool
    ) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let limit = Task {
            try await TimerClock().sleep(for: .seconds(30))
            state.withLock { $0.waiters.removeValue(forKey: id) }?.wake.resume(returning: false)
        }
        let isMet = await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                guard !condition(state.value) else { return true }
                state.waiters[id] = (condition, continuation)
                return false
            }
            if isMet { continuation.resume(returning: true) }
        }
        limit.cancel()
        #expect(isMet, "waited too long for \(value)", sourceLocation: location)
    }
}

/// Fails the test when something takes longer than 30 seconds, instead of hanging.
func inTime<Value: Sendable>(
    _ location: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let work = Task { try await body() }
    let limit = Task {
        try await TimerClock().sleep(for: .seconds(30))
        Issue.record("took too long", sourceLocation: location)
        work.cancel()
    }
    defer { limit.cancel() }
    return try await withTaskCancellationHandler {
        try await work.value
    } onCancel: {
        work.cancel()
    }
}

/// The error of a request or a socket; fails the test when there is none.
func failure<Value: Sendable>(
    _ location: SourceLocation = #_sourceLocation,
    of body: @escaping @Sendable () async throws -> Value
) async -> NetworkError? {
    do {
        let value = try await inTime(location, body)
        Issue.record("no error, but \(value)", sourceLocation: location)
        return nil
    } catch {
        #expect(error is NetworkError, sourceLocation: location)
        return error as? NetworkError
    }
}
