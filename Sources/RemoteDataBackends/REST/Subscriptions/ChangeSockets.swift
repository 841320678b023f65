import RemoteData
import Synchronization

/// The WebSockets of a server: as many as it takes for all subscriptions to its tables.
///
/// One serves up to ``ChangeSocket/subscriptionLimit`` subscriptions; another is opened for those beyond.
final class ChangeSockets: Sendable {
    private let sockets = Mutex<[ChangeSocket]>([])
    private let makeSocket: @Sendable () -> ChangeSocket

    /// - Parameter makeSocket: Makes a socket, which connects with its first subscription.
    init(_ makeSocket: @escaping @Sendable () -> ChangeSocket) { self.makeSocket = makeSocket }

    /// Begins a subscription.
    ///
    /// Never waits.
    /// - Throws: `tooLarge` when the frame for it would be.
    func subscribe(_ request: SubscriptionRequest, since: Revision?) throws(RemoteDataError) -> ChangeFeed {
        while true {
            for socket in sockets.withLock(\.self) {
                if let feed = try socket.subscribe(request, since: since) { return feed }
            }
            let socket = makeSocket()
            sockets.withLock { $0.append(socket) }
        }
    }

    /// Ends each socket with its last subscription.
    func release() { for socket in sockets.withLock(\.self) { socket.release() } }
}
