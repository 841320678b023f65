import RemoteData
import Testing

/// The error that something throws; nil, and an issue, when it does not.
func failure<Value>(
    _ body: () async throws(RemoteDataError) -> Value
) async -> RemoteDataError? {
    do throws(RemoteDataError) { _ = try await body() } catch { return error }
    Issue.record("nothing was thrown")
    return nil
}
