import RemoteDataExecution
import CLibWebSockets
import Foundation

/// Every event of libwebsockets; comes on the loop's thread.
///
/// SAFETY: the user pointer of a context is its loop, and that of a socket its connection; the loop holds
/// both until the last callback. Bytes are valid for the call and not kept.
func lwsCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?,
    _ count: Int
) -> Int32 {
    guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context) else { return 0 }
    let loop = Unmanaged<LWSLoop>.fromOpaque(owner).takeUnretainedValue()
    if reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
        loop.drain()
        return 0
    }
    // Other reasons come with a socket that is none of ours, or with a user pointer that is something else.
    guard LWSEvents.reasons.contains(reason.rawValue), let socket = lws_wsi_user(wsi) else { return 0 }
    let connection = Unmanaged<LWSConnection>.fromOpaque(socket).takeUnretainedValue()
    let input = UnsafeMutableRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
    return LWSEvents(loop: loop, connection: connection, wsi: wsi).handle(reason, input) ? 0 : -1
}

/// What the events of one socket lead to; a method that answers says whether the socket goes on.
struct LWSEvents {
    let loop: LWSLoop
    let connection: LWSConnection
    let wsi: OpaquePointer

    static let reasons: Set<UInt32> = Set(
        [
            LWS_CALLBACK_WSI_CREATE, LWS_CALLBACK_WSI_DESTROY,
            LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION,
            LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER, LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP,
            LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH, LWS_CALLBACK_CLIENT_ESTABLISHED,
            LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLIENT_RECEIVE,
            LWS_CALLBACK_CLIENT_RECEIVE_PONG,
            LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_TIMER, LWS_CALLBACK_WS_PEER_INITIATED_CLOSE,
            LWS_CALLBACK_CLIENT_CLOSED,
        ].map(\.rawValue)
    )

    func handle(_ reason: lws_callback_reasons, _ input: UnsafeMutableRawBufferPointer) -> Bool {
        switch reason {
        case LWS_CALLBACK_WSI_CREATE: connection.loopSide.stage = .connected
        case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
            // Answering "go on" leaves the verdict as it is; the count says what it was.
            if input.count == 0 { connection.loopSide.hasBadCertificate = true }
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return appendHeaders(input)
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP: answered()
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            connection.loopSide.subprotocol = header(WSI_TOKEN_PROTOCOL)
        case LWS_CALLBACK_CLIENT_ESTABLISHED: return established()
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            let detail = String(decoding: input, as: UTF8.self)
            loop.finish(
                connection,
                .failure(connection.loopSide.handshakeFailure(detail, connection.endpoint))
            )
        case LWS_CALLBACK_CLIENT_RECEIVE: received(UnsafeRawBufferPointer(input))
        case LWS_CALLBACK_CLIENT_RECEIVE_PONG: heard()
        case LWS_CALLBACK_CLIENT_WRITEABLE: return writable()
        case LWS_CALLBACK_TIMER: return timerFired()
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: peerCloses(UnsafeRawBufferPointer(input))
        case LWS_CALLBACK_CLIENT_CLOSED:
            loop.finish(connection, connection.loopSide.ending(connection.endpoint))
        case LWS_CALLBACK_WSI_DESTROY: loop.forget(connection)
        default: break
        }
        return true
    }

    // MARK: The handshake

    private func appendHeaders(_ input: UnsafeMutableRawBufferPointer) -> Bool {
        connection.loopSide.stage = .upgrading
        let text = connection.request.headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        guard text.utf8.count <= input.count else {
            connection.loopSide.failure = NetworkError(
                .tooLarge,
                "The headers of the handshake are too long."
            )
            return false
        }
        let place = input.baseAddress?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
        guard let place, let start = place.pointee else { return false }
        for (offset, byte) in text.utf8.enumerated() { start[offset] = byte }
        place.pointee = start + text.utf8.count
        return true
    }

    private func answered() {
        let status = Int(lws_http_client_http_response(wsi))
        let retryAfter = header(WSI_TOKEN_HTTP_RETRY_AFTER).flatMap { RetryAfter.duration($0, now: Date()) }
        connection.loopSide.stage = .answered(status: status, retryAfter: retryAfter)
    }

    private func established() -> Bool {
        connection.loopSide.stage = .open
        connection.loopSide.liveness = Liveness(connection.request.limits, now: connection.loopSide.now)
        lws_set_timer_usecs(wsi, connection.request.limits.pingInterval.microseconds)
        let subprotocol = connection.loopSide.subprotocol
        connection.observe?(.connected(url: connection.request.url, subprotocol: subprotocol))
        guard connection.handshake.finish(.success(subprotocol)) else {
            connection.loopSide.failure = .cancelled
            return false
        }
        return true
    }

    private func header(_ token: lws_token_indexes) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let count = lws_hdr_copy(wsi, &text, Int32(text.count), token)
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: Receiving

    /// Takes a piece of a frame; what comes after a failure is dropped.
    ///
    /// The socket is never given up from in here: libwebsockets 4.1 would then keep the piece in its receive
    /// buffer, and write what follows it behind the buffer's end while it waits for the close frame.
    private func received(_ input: UnsafeRawBufferPointer) {
        guard connection.loopSide.isOpen else { return }
        // The time is looked at once for all that comes together.
        if loop.noteReceiver(connection) { heard() }
        let step = connection.loopSide.assembler.take(
            input,
            isFirst: lws_is_first_fragment(wsi) != 0,
            isLast: lws_is_final_fragment(wsi) != 0,
            isText: lws_frame_is_binary(wsi) == 0,
            rest: Int(lws_remaining_packet_payload(wsi))
        )
        switch step {
        case .more:
            break
        case .message(let message):
            guard connection.deliver(message) else { return }
            connection.loopSide.liveness.paused()
            lws_rx_flow_control(wsi, 0)
        case .fail(let reason):
            let code: NetworkError.Code = reason.code == 1009 ? .tooLarge : .protocolError
            let failure = NetworkError(code, "The socket was closed: \(reason.reason).", close: reason)
            connection.loopSide.failure = failure
            connection.end(.failure(failure))
            loop.close(connection, reason)
        }
    }

    private func heard() {
        guard let delay = connection.loopSide.liveness.heard(now: connection.loopSide.now) else { return }
        lws_set_timer_usecs(wsi, connection.request.limits.pingInterval.microseconds)
        connection.observe?(.ponged(url: connection.request.url, after: delay))
    }

    private func peerCloses(_ input: UnsafeRawBufferPointer) {
        guard input.count >= 2 else {
            connection.loopSide.peerClose = WebSocketClose.none
            return
        }
        let reason = String(decoding: input.dropFirst(2), as: UTF8.self)
        connection.loopSide.peerClose = WebSocketClose(
            code: Int(input[0]) << 8 | Int(input[1]),
            reason: reason
        )
    }

    // MARK: Sending

    /// One write at most, as the library demands.
    private func writable() -> Bool {
        if let reason = connection.loopSide.closing {
            connection.loopSide.closing = nil
            return close(with: reason)
        }
        guard connection.loopSide.isOpen else { return true }
        if connection.loopSide.owesPing {
            connection.loopSide.owesPing = false
            lws_callback_on_writable(wsi)
            return sendPing()
        }
        guard var message = connection.loopSide.writing ?? connection.dequeue() else { return true }
        connection.loopSide.writing = nil
        guard let isLast = message.write(to: wsi) else {
            connection.loopSide.writing = message
            return false
        }
        if isLast { connection.sent(message) } else { connection.loopSide.writing = message }
        lws_callback_on_writable(wsi)
        return true
    }

    private func sendPing() -> Bool {
        var payload = [UInt8](repeating: 0, count: Int(clws_pre))
        let written = payload.withUnsafeMutableBufferPointer { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return lws_write(wsi, base + Int(clws_pre), 0, LWS_WRITE_PING)
        }
        connection.observe?(.pinged(url: connection.request.url))
        return written >= 0
    }

    /// Has the library send a close frame, wait for its echo, and end the socket; to be called while the
    /// socket can be written to.
    private func close(with reason: WebSocketClose) -> Bool {
        let code = lws_close_status(rawValue: UInt32(clamping: reason.code))
        var text = Array(reason.reason.utf8.prefix(120))
        lws_close_reason(wsi, code, &text, text.count)
        return false
    }

    // MARK: Time

    private func timerFired() -> Bool {
        guard connection.loopSide.isOpen else {
            guard !connection.loopSide.isEstablished else { return false }
            let message =
                "\(connection.endpoint.origin) did not answer the handshake within \(connection.limit)."
            connection.loopSide.failure = NetworkError(.timedOut, message)
            return false
        }
        switch connection.loopSide.liveness.timerFired(now: connection.loopSide.now) {
        case .wait(let duration):
            lws_set_timer_usecs(wsi, duration.microseconds)
        case .ping(let duration):
            connection.loopSide.owesPing = true
            lws_callback_on_writable(wsi)
            lws_set_timer_usecs(wsi, duration.microseconds)
        case .dead:
            let message = "\(connection.endpoint.origin) did not answer a ping in time."
            connection.loopSide.failure = NetworkError(.timedOut, message)
            return false
        }
        return true
    }
}
