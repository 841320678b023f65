import RemoteData
import RemoteDataNetwork
import Synchronization

/// Sends the requests of everything that uses one PocketBase server.
final class PocketBaseClient: Sendable {
    let base: BaseURL
    let timeouts: HTTPTimeouts
    private let client: HTTPClient
    private let tokens: PocketBaseTokens?
    private let requests = Atomic<Int>(0)

    init(_ base: BaseURL, _ timeouts: HTTPTimeouts, _ client: HTTPClient, _ tokens: PocketBaseTokens?) {
        (self.base, self.timeouts, self.client, self.tokens) = (base, timeouts, client, tokens)
    }

    /// Sends a request with retries and a token that has not ended; any status is an answer.
    ///
    /// What is forbidden is asked for again with a new token.
    func send(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        if tokens?.hasEnded == true { client.forgetCredentials() }
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        do throws(NetworkError) {
            let answer = try await client.send(request)
            guard answer.status == 403, tokens?.isDoubtful == true else { return answer }
            client.forgetCredentials()
            return try await client.send(request)
        } catch {
            throw RemoteDataError(error)
        }
    }
}
