import CLibWebSockets

/// What libwebsockets calls for everything, always on the loop's thread.
///
/// - Returns: Anything but 0 closes the connection.
func serverCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> Int32 {
    guard let wsi, let context = lws_get_context(wsi), let pointer = lws_context_user(context) else {
        return 0
    }
    // SAFETY: the pointer is the core that made the context and destroys it before it goes; see
    // `LoopCore.open()`.
    let core = Unmanaged<LoopCore>.fromOpaque(pointer).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
    switch reason {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: core.wasWoken(wsi)
    case LWS_CALLBACK_RAW_RX_FILE: core.acceptConnections()
    case LWS_CALLBACK_RAW_CLOSE_FILE: core.listenerClosed()
    case LWS_CALLBACK_TIMER where wsi == core.listener: lws_rx_flow_control(wsi, 1)
    case LWS_CALLBACK_RAW_ADOPT: return core.opened(wsi)
    case LWS_CALLBACK_RAW_RX: return core.received(bytes, on: wsi)
    case LWS_CALLBACK_RAW_WRITEABLE: return core.canWrite(wsi)
    case LWS_CALLBACK_TIMER: return core.deadlinePassed(wsi)
    case LWS_CALLBACK_RAW_CLOSE: core.closed(wsi)
    case LWS_CALLBACK_ESTABLISHED: return core.socketOpened(wsi)
    case LWS_CALLBACK_RECEIVE: return core.socketReceived(bytes, on: wsi)
    case LWS_CALLBACK_SERVER_WRITEABLE: return core.socketCanWrite(wsi)
    case LWS_CALLBACK_CLOSED: core.socketClosed(wsi)
    case LWS_CALLBACK_WSI_DESTROY: core.arrivals[wsi] = nil
    // A connection handed over to become a WebSocket asks for nothing else.
    case LWS_CALLBACK_HTTP: return -1
    default: break
    }
    return 0
}
