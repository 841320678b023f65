import RemoteData
import RemoteDataNetwork
import Synchronization

/// Makes the handshakes of a server's WebSocket.
///
/// A handshake refused with 401 asks for new credentials only when nobody else has since: requests and socket
/// share them.
final class Handshake: Sendable {
    private let request: WebSocketRequest
    private let client: HTTPClient
    private let latest = Mutex<WebSocketRequest?>(nil)

    init(_ request: WebSocketRequest, client: HTTPClient) {
        self.request = request
        self.client = client
    }

    /// The next handshake.
    ///
    /// - Throws: Why there are no credentials; `unreachable` where they may be had later.
    func next(_ reason: RemoteDataNetwork.CredentialsReason) async throws(NetworkError) -> WebSocketRequest {
        do throws(NetworkError) { return try await authorized(reason) } catch {
            let plain = RemoteDataError(error)
            guard error.code == .credentials, plain.isTransient else { throw error }
            throw NetworkError(.unreachable, plain.message, retryAfter: plain.retryAfter, cause: error)
        }
    }

    private func authorized(
        _ reason: RemoteDataNetwork.CredentialsReason
    ) async throws(NetworkError) -> WebSocketRequest {
        var next = try await client.authorized(request)
        if reason == .rejected, next == latest.withLock({ $0 }) {
            next = try await client.authorized(request, reason: .rejected)
        }
        latest.withLock { $0 = next }
        return next
    }
}
