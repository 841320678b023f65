import RemoteData
import RemoteDataNetwork

/// Tells an observer what the network does, in the words of `TrafficEvent`.
struct TrafficReporter: Sendable {
    let observer: any TrafficObserver

    /// Passes an event on; those not known here are left out.
    func report(_ event: NetworkEvent) {
        if let event = Self.translated(event) { observer.observe(event) }
    }

    static func translated(_ event: NetworkEvent) -> TrafficEvent? {
        switch event {
        case .started(let request, let attempt):
            return of(.request, request) {
                $0.attempt = attempt
                $0.bytes = request.body?.count ?? 0
            }
        case .answered(let request, let status, let bytes, let duration):
            return of(.reply, request) {
                $0.status = status
                $0.bytes = bytes
                $0.duration = duration
            }
        case .failed(let request, let error, let duration):
            return of(.failure, request) {
                $0.error = RemoteDataError(error)
                $0.duration = duration
            }
        case .retrying(let request, let attempt, let delay):
            return of(.retry, request) {
                $0.attempt = attempt
                $0.delay = delay
            }
        case .refreshingCredentials: return TrafficEvent(.credentials)
        case .connecting(let url): return socket(.connecting, url)
        case .connected(let url, _): return socket(.connected, url)
        case .sent(let url, let bytes): return socket(.frameSent, url) { $0.bytes = bytes }
        case .received(let url, let bytes): return socket(.frameReceived, url) { $0.bytes = bytes }
        case .pinged(let url): return socket(.ping, url)
        case .ponged(let url, let duration): return socket(.pong, url) { $0.duration = duration }
        case .closed(let url, let error):
            return socket(.disconnected, url) { $0.error = error.map { RemoteDataError($0) } }
        case .reconnecting(let url, let attempt, let delay):
            return socket(.reconnect, url) {
                $0.attempt = attempt
                $0.delay = delay
            }
        }
    }

    private static func of(
        _ kind: TrafficEvent.Kind,
        _ request: HTTPRequest,
        _ fill: (inout TrafficEvent) -> Void
    ) -> TrafficEvent {
        var event = TrafficEvent(kind)
        event.request = request.number
        event.method = request.method
        event.url = request.url
        fill(&event)
        return event
    }

    private static func socket(
        _ kind: TrafficEvent.Kind,
        _ url: String,
        _ fill: (inout TrafficEvent) -> Void = { _ in }
    ) -> TrafficEvent {
        var event = TrafficEvent(kind)
        // What stands behind may be a token.
        event.url = String(url.prefix { $0 != "?" })
        fill(&event)
        return event
    }
}
