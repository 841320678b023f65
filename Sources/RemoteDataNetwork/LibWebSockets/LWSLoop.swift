import RemoteDataExecution
import CLibWebSockets
import Dispatch
import Foundation
import Synchronization

/// The thread that runs all sockets of the process, and the way to it from other threads.
///
/// There is one at a time: libwebsockets 4.1 forgets what it told OpenSSL when a second context is created,
/// which breaks TLS handshakes under way and leaks what the first context holds.
///
/// SAFETY: libwebsockets allows one call from other threads, `lws_cancel_service`, while the context
/// exists. It is made under the lock, and the context leaves `state` under the lock before it is destroyed.
/// `sockets`, `receivers`, `hosts` and the allocations are the thread's; it holds the loop while it runs.
final class LWSLoop: @unchecked Sendable {
    enum Command {
        case connect(LWSConnection)
        case write(LWSConnection)
        case resume(LWSConnection)
        case close(LWSConnection, WebSocketClose)
    }

    private struct State {
        var commands: [Command] = []
        // SAFETY: see the type.
        nonisolated(unsafe) var context: OpaquePointer?
        var isStarted = false
        var isStopping = false
        var hasEnded = false
        var predecessor: LWSLoop?
    }

    /// How a host of sockets in libwebsockets' sense differs from others.
    private struct Kind: Hashable {
        let isSecure: Bool
        let extraCAFile: String?
    }

    private let state: Mutex<State>
    /// Entered while the thread runs.
    private let running = DispatchGroup()
    private let retry = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    private let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
    private let protocolName = strdup("remote-data")
    private let noProxy = strdup("")
    private var sockets: [ObjectIdentifier: LWSConnection] = [:]
    /// Those that have got something in this turn.
    private var receivers: [LWSConnection] = []
    private var hosts: [Kind: OpaquePointer] = [:]
    private var isStopping = false

    /// - Parameter predecessor: A stopped loop, whose end is waited for before anything is done.
    init(after predecessor: LWSLoop?) {
        state = Mutex(State(predecessor: predecessor))
        // The library's own pings are put off for as long as it can: ours have finer deadlines.
        var policy = lws_retry_bo_t()
        policy.secs_since_valid_ping = .max - 1
        policy.secs_since_valid_hangup = .max
        retry.initialize(to: policy)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(protocolName)
        protocols[0].callback = lwsCallback
        protocols[0].rx_buffer_size = LWSLoop.bufferSize
    }

    deinit {
        retry.deallocate()
        protocols.deallocate()
        free(protocolName)
        free(noProxy)
    }

    private static let bufferSize = 64 << 10
    /// Far beyond every deadline of ours, for timers of the library that would cut in.
    private static let never: UInt32 = 86_400

    /// Has the thread do something soon, without blocking.
    func perform(_ command: Command) {
        let (refused, starts) = state.withLock { state -> (Bool, Bool) in
            guard !state.hasEnded, !state.isStopping else { return (true, false) }
            state.commands.append(command)
            if state.commands.count == 1, let context = state.context { lws_cancel_service(context) }
            defer { state.isStarted = true }
            return (false, !state.isStarted)
        }
        if refused, case .connect(let connection) = command { connection.end(.failure(.stopped)) }
        guard starts else { return }
        running.enter()
        let thread = Thread { [self] in run() }
        thread.name = "RemoteData.lws"
        thread.start()
    }

    /// Ends the thread and all sockets soon, without blocking.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            if let context = state.context { lws_cancel_service(context) }
        }
    }

    // MARK: On the thread

    private func run() {
        defer { running.leave() }
        blockBrokenPipeSignal()
        waitForPredecessor()
        guard let context = makeContext() else {
            let abandoned = endState()
            for case .connect(let connection) in abandoned {
                connection.end(.failure(NetworkError(.unavailable, "libwebsockets could not be started.")))
            }
            return
        }
        state.withLock { $0.context = context }
        drain()
        while !isStopping, lws_service(context, 0) >= 0 { handOver() }
        for case .connect(let connection) in endState() { connection.end(.failure(.stopped)) }
        for connection in sockets.values { finish(connection, .failure(.stopped)) }
        lws_context_destroy(context)
        sockets = [:]
    }

    private func endState() -> [Command] {
        state.withLock { state in
            state.context = nil
            state.hasEnded = true
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func waitForPredecessor() {
        let predecessor = state.withLock { state in
            defer { state.predecessor = nil }
            return state.predecessor
        }
        predecessor?.waitUntilOver()
    }

    /// Waits for the end of a loop that was told to stop, which waits for nothing itself, and of those
    /// before it.
    private func waitUntilOver() {
        waitForPredecessor()
        running.wait()
    }

    private func makeContext() -> OpaquePointer? {
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN
        info.options =
            UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS) | UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
            | UInt64(LWS_SERVER_OPTION_JUST_USE_RAW_ORIGIN)
            | UInt64(LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME)
        // SAFETY: unretained; the thread holds the loop for as long as the context exists.
        info.user = Unmanaged.passUnretained(self).toOpaque()
        info.timeout_secs = Self.never
        info.pt_serv_buf_size = UInt32(Self.bufferSize)
        info.max_http_header_data = 16 << 10
        info.fd_limit_per_thread = 1_024
        info.retry_and_idle_policy = UnsafePointer(retry)
        lws_set_log_level(0, nil)
        return lws_create_context(&info)
    }

    /// The host for a socket, made when it is needed: reading the system's certificates takes a while.
    private func host(_ kind: Kind, _ context: OpaquePointer) -> OpaquePointer? {
        if let host = hosts[kind] { return host }
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = UnsafePointer(protocols)
        info.options = kind.isSecure ? UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) : 0
        info.connect_timeout_secs = Self.never
        // Not null, so that the library does not look for a proxy in the environment.
        info.http_proxy_address = UnsafePointer(noProxy)
        info.retry_and_idle_policy = UnsafePointer(retry)
        let file = kind.extraCAFile.flatMap { strdup($0) }
        defer { free(file) }
        info.client_ssl_ca_filepath = UnsafePointer(file)
        hosts[kind] = lws_create_vhost(context, &info)
        return hosts[kind]
    }

    /// Notes that a socket has got something in this turn.
    ///
    /// - Returns: Whether it is not the one that got something last.
    func noteReceiver(_ connection: LWSConnection) -> Bool {
        guard receivers.last !== connection else { return false }
        receivers.append(connection)
        return true
    }

    /// Gives what has come in this turn to those who wait for it.
    private func handOver() {
        while let connection = receivers.popLast() {
            if connection.handOver() { resume(connection) }
        }
    }

    /// Does what other threads have asked for.
    func drain() {
        let (commands, isStopping) = state.withLock { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return (state.commands, state.isStopping)
        }
        self.isStopping = isStopping
        for command in commands {
            switch command {
            case .connect(let connection): connect(connection)
            case .write(let connection): requestWrite(connection)
            case .resume(let connection): resume(connection)
            case .close(let connection, let reason): close(connection, reason)
            }
        }
    }

    private func connect(_ connection: LWSConnection) {
        guard !isStopping, let context = state.withLock({ $0.context }) else {
            return connection.end(.failure(.stopped))
        }
        guard !connection.handshake.isFinished else { return }
        let isSecure = connection.endpoint.isSecure
        let kind = Kind(isSecure: isSecure, extraCAFile: isSecure ? connection.extraCAFile : nil)
        guard let host = host(kind, context) else {
            return connection.end(
                .failure(NetworkError(.unavailable, "libwebsockets could not prepare a connection."))
            )
        }
        sockets[ObjectIdentifier(connection)] = connection
        let endpoint = connection.endpoint
        let subprotocols = connection.request.subprotocols
        let texts: [String] = [connection.address, endpoint.target, endpoint.authority, "http/1.1"]
        var strings = texts.map { strdup($0) }
        strings.append(subprotocols.isEmpty ? nil : strdup(subprotocols.joined(separator: ", ")))
        defer { for string in strings { free(string) } }
        var info = lws_client_connect_info()
        info.context = context
        info.vhost = host
        info.address = UnsafePointer(strings[0])
        info.path = UnsafePointer(strings[1])
        info.host = UnsafePointer(strings[2])
        info.alpn = UnsafePointer(strings[3])
        info.`protocol` = UnsafePointer(strings[4])
        info.port = Int32(endpoint.port)
        info.ssl_connection = Int32(LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue)
        if endpoint.isSecure { info.ssl_connection |= Int32(LCCSCF_USE_SSL.rawValue) }
        info.local_protocol_name = UnsafePointer(protocolName)
        info.retry_and_idle_policy = UnsafePointer(retry)
        // SAFETY: unretained; `sockets` holds the connection until its last callback.
        info.userdata = Unmanaged.passUnretained(connection).toOpaque()
        guard let wsi = lws_client_connect_via_info(&info) else {
            finish(connection, .failure(connection.loopSide.handshakeFailure("", endpoint)))
            sockets[ObjectIdentifier(connection)] = nil
            return
        }
        connection.loopSide.wsi = wsi
        lws_set_timer_usecs(wsi, connection.limit.microseconds)
    }

    private func requestWrite(_ connection: LWSConnection) {
        guard let wsi = connection.loopSide.wsi, connection.loopSide.isOpen else { return }
        lws_callback_on_writable(wsi)
    }

    private func resume(_ connection: LWSConnection) {
        guard let wsi = connection.loopSide.wsi, connection.loopSide.isOpen else { return }
        connection.loopSide.liveness.resumed(now: connection.loopSide.now)
        lws_rx_flow_control(wsi, 1)
    }

    /// Closes a socket as soon as it can be written to, or gives up its handshake.
    func close(_ connection: LWSConnection, _ reason: WebSocketClose) {
        guard let wsi = connection.loopSide.wsi else { return }
        switch connection.loopSide.stage {
        case .open:
            connection.loopSide.stage = .closing
            connection.loopSide.closing = reason
            failWriting(connection)
            lws_rx_flow_control(wsi, 1)
            // In case the socket never becomes writable; once the close frame is sent the library waits as
            // long itself.
            lws_set_timer_usecs(wsi, 5_000_000)
            lws_callback_on_writable(wsi)
        case .closing, .ended:
            break
        case .connecting, .connected, .upgrading, .answered:
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
        }
    }

    /// Whoever sends the message that is being written need not wait for the socket to end.
    private func failWriting(_ connection: LWSConnection) {
        guard let message = connection.loopSide.writing else { return }
        connection.loopSide.writing = nil
        message.handoff.finish(.failure(NetworkError(.closed, "The socket ended while a message was sent.")))
    }

    /// A socket has ended, or has not come about.
    func finish(_ connection: LWSConnection, _ result: Result<Void, NetworkError>) {
        if case .ended = connection.loopSide.stage { return }
        let wasEstablished = connection.loopSide.isEstablished
        connection.loopSide.stage = .ended
        failWriting(connection)
        connection.end(result)
        guard wasEstablished else { return }
        var reason: NetworkError?
        if case .failure(let error) = result { reason = error }
        connection.observe?(.closed(url: connection.request.url, reason))
    }

    /// The library has forgotten a socket.
    func forget(_ connection: LWSConnection) {
        finish(connection, .failure(connection.loopSide.handshakeFailure("", connection.endpoint)))
        connection.loopSide.wsi = nil
        sockets[ObjectIdentifier(connection)] = nil
    }
}

extension Duration {
    /// The duration in microseconds, as libwebsockets counts.
    var microseconds: Int64 { Int64(clamping: milliseconds) * 1_000 }
}
