import CLibWebSockets
import Foundation

/// The limit: bare libwebsockets, one thread, any number of WebSockets that subscribe to people and do nothing with what they are told.
///
/// SAFETY: all but ``wake()`` is called by one thread.
final class FrameLoop: @unchecked Sendable {
    /// Called with each whole text frame.
    var heard: (UnsafeRawBufferPointer) -> Void = { _ in }
    private var context: OpaquePointer?
    private let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
    private let name = strdup("benchmarks")
    private var pieces: [OpaquePointer: [UInt8]] = [:]
    /// How many are connected and have sent their subscription.
    private(set) var subscribed = 0
    private(set) var hasFailed = false

    private static let subscribe =
        #"{"type":"subscribe","id":"\#(FrameServer.subscription)","table":"people"}"#

    init() throws {
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(name)
        protocols[0].rx_buffer_size = 64 << 10
        protocols[0].callback = { wsi, reason, _, bytes, count in
            guard let wsi, let context = lws_get_context(wsi), let user = lws_context_user(context) else {
                return 0
            }
            // SAFETY: the loop destroys its context before it ends.
            let loop = Unmanaged<FrameLoop>.fromOpaque(user).takeUnretainedValue()
            return loop.handle(
                wsi,
                reason,
                UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
            )
        }
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = UnsafePointer(protocols)
        info.pt_serv_buf_size = 64 << 10
        info.user = Unmanaged.passUnretained(self).toOpaque()
        lws_set_log_level(0, nil)
        context = lws_create_context(&info)
        guard context != nil else { throw UsageError(message: "libwebsockets gave no context") }
    }

    deinit {
        lws_context_destroy(context)
        protocols.deallocate()
        free(name)
    }

    /// Opens WebSockets, and subscribes over each.
    ///
    /// - Throws: When one of them cannot be opened within a minute.
    func connect(_ count: Int, to url: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ Int32($0) }) else { return }
        let deadline = ContinuousClock.now + .seconds(60)
        for number in 1...count {
            var info = lws_client_connect_info()
            info.context = context
            info.port = port
            let texts: [String] = ["127.0.0.1", "/api/changes", "table-changes.v1"]
            let words = texts.map { strdup($0) }
            defer { for word in words { free(word) } }
            (info.address, info.host) = (UnsafePointer(words[0]), UnsafePointer(words[0]))
            (info.path, info.`protocol`) = (UnsafePointer(words[1]), UnsafePointer(words[2]))
            info.local_protocol_name = UnsafePointer(name)
            guard lws_client_connect_via_info(&info) != nil else { throw failure }
            // One after another, so that no backlog is too small.
            while subscribed < number {
                guard !hasFailed, deadline > .now else { throw failure }
                turn()
            }
        }
    }

    /// Waits for something to happen, and handles it.
    func turn() { lws_service(context, 0) }

    /// Has ``turn()`` return soon; any thread may call it.
    func wake() { lws_cancel_service(context) }

    private var failure: UsageError { UsageError(message: "libwebsockets could not connect") }

    private func handle(_ wsi: OpaquePointer, _ reason: lws_callback_reasons, _ input: UnsafeRawBufferPointer)
        -> Int32
    {
        switch reason {
        case LWS_CALLBACK_CLIENT_ESTABLISHED: lws_callback_on_writable(wsi)
        case LWS_CALLBACK_CLIENT_WRITEABLE:
            let padding = Int(clws_pre)
            var bytes = [UInt8](repeating: 0, count: padding) + Array(Self.subscribe.utf8)
            let count = bytes.count - padding
            bytes.withUnsafeMutableBufferPointer { buffer in
                if let base = buffer.baseAddress { lws_write(wsi, base + padding, count, LWS_WRITE_TEXT) }
            }
            subscribed += 1
        case LWS_CALLBACK_CLIENT_RECEIVE: received(wsi, input)
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLIENT_CLOSED: hasFailed = true
        default: break
        }
        return 0
    }

    private func received(_ wsi: OpaquePointer, _ input: UnsafeRawBufferPointer) {
        let isWhole = lws_is_final_fragment(wsi) != 0 && lws_remaining_packet_payload(wsi) == 0
        if isWhole, pieces.isEmpty || pieces[wsi] == nil { return heard(input) }
        let bytes = pieces.removeValue(forKey: wsi) ?? []
        guard isWhole else {
            pieces[wsi] = bytes + input
            return
        }
        (bytes + input).withUnsafeBytes(heard)
    }
}
