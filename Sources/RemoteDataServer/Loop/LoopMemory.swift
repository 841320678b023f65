import CLibWebSockets
import Foundation

/// What libwebsockets keeps pointers to for as long as a context lives.
final class LoopMemory {
    /// The name of the protocol of connections that speak HTTP.
    static let httpProtocol = "http-connection"
    /// The name of the protocol of the listening socket.
    static let listenerProtocol = "listener"

    /// The protocols, HTTP first, ended by an empty one.
    let protocols: UnsafeMutablePointer<lws_protocols>
    /// When a silent WebSocket is pinged and given up.
    let retry: UnsafeMutablePointer<lws_retry_bo_t>
    /// Wakes the loop at the deadline for stopping.
    let alarm: UnsafeMutablePointer<Alarm>
    /// Where frames are put behind the room libwebsockets needs.
    let scratch: UnsafeMutablePointer<UInt8>
    private let names: [UnsafeMutablePointer<CChar>?]

    init() {
        let words: [String] = [Self.httpProtocol, WebSocketUpgrade.subprotocol, Self.listenerProtocol]
        names = words.map { word in strdup(word) }
        protocols = .allocate(capacity: names.count + 1)
        protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
        for (index, name) in names.enumerated() {
            protocols[index].name = UnsafePointer(name)
            protocols[index].callback = serverCallback
        }
        retry = .allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        alarm = .allocate(capacity: 1)
        alarm.initialize(to: Alarm())
        scratch = .allocate(capacity: clws_server_padding() + LoopCore.pieceSize)
    }

    deinit {
        protocols.deallocate()
        retry.deallocate()
        alarm.deallocate()
        scratch.deallocate()
        for name in names { free(name) }
    }

    /// A timer, in front because libwebsockets hands back a pointer to it, and whom to wake.
    struct Alarm {
        var timer = lws_sorted_usec_list_t()
        var context: OpaquePointer?
    }

    /// Wakes a context's loop after a time, which a timer alone does not: the loop goes on to wait for
    /// sockets.
    func wake(_ context: OpaquePointer?, after time: Duration) {
        alarm.pointee.context = context
        let timer = UnsafeMutableRawPointer(alarm).assumingMemoryBound(to: lws_sorted_usec_list_t.self)
        lws_sul_schedule(
            context,
            0,
            timer,
            { timer in
                guard let timer else { return }
                // SAFETY: the timer is the first member of the alarm, which outlives the context.
                let alarm = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: Alarm.self)
                lws_cancel_service(alarm.pointee.context)
            },
            time.microseconds
        )
    }

    /// Sets when a silent WebSocket is pinged and given up.
    func setRetry(_ deadlines: TableServer.Deadlines) {
        let ping = max(1, min(30_000, deadlines.ping.components.seconds))
        retry.pointee.secs_since_valid_ping = UInt16(ping)
        retry.pointee.secs_since_valid_hangup = UInt16(
            max(ping + 1, min(60_000, deadlines.silence.components.seconds))
        )
    }
}
