/// Sees what travels between this process and a server, for logs and metrics.
///
/// The library itself prints nothing.
public protocol TrafficObserver: Sendable {
    /// Told of every request, reply, frame, retry and reconnect, as it happens.
    ///
    /// Called on the library's threads or on the caller's, from several at once, and never while a lock is
    /// held. It must return soon: the traffic waits for it.
    func observe(_ event: TrafficEvent)
}
