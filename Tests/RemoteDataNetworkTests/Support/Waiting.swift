import Dispatch
import RemoteDataExecution
import RemoteDataNetwork
import Testing

/// Fails the test when something takes longer than 30 seconds, instead of hanging.
func inTime<Value: Sendable>(
    _ location: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let work = Task { try await body() }
    let limit = Alarm(on: .global(), after: .seconds(30)) { work.cancel() }
    defer {
        limit.cancel()
        if work.isCancelled { Issue.record("took too long", sourceLocation: location) }
    }
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
