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
    func next(_ reason: RemoteDataNetwork.CredentialsReason) async throws(NetworkError) -> WebSocketRequest {
        var next = try await client.authorized(request)
        if reason == .rejected, next == latest.withLock({ $0 }) {
            next = try await client.authorized(request, reason: .rejected)
        }
        latest.withLock { $0 = next }
        return next
    }
}
