import CLibWebSockets
import Foundation
import RemoteData

/// The libwebsockets context of a server and all that belongs to its connections; lives on the loop's thread
/// alone.
///
/// libwebsockets watches the sockets, moves the bytes and speaks WebSocket; HTTP is read by
/// ``HTTPRequestParser`` from raw connections (it says why). A connection that becomes a WebSocket is handed
/// to libwebsockets' own WebSocket code with a request it can read.
final class LoopCore {
    /// One connection that speaks HTTP.
    ///
    /// Not a value: it is large, and a dictionary moves what is changed in it out and in again.
    final class Link {
        let number: UInt64
        var machine: HTTPConnection
        private(set) var output: [UInt8] = []
        var sent = 0
        /// When the bytes that wait began to.
        private(set) var waitsSince = ContinuousClock.now
        /// What the connection keeps of its requests, as counted in `heldBytes`.
        var held = 0
        /// The room that the answer takes.
        var share: AnswerRoom.Share?
        /// The work that the request under way may take.
        var budget: WorkBudget?
        /// What the connection counts for; nil once it is to make room.
        var visitor: Admission.Visitor?
        /// When its last request began.
        var lastRequest = ContinuousClock.now

        init(number: UInt64, _ machine: HTTPConnection) { (self.number, self.machine) = (number, machine) }

        func append(_ bytes: [UInt8]) {
            guard output.isEmpty else { return output += bytes }
            // Without a copy.
            (output, waitsSince) = (bytes, .now)
        }

        func clear() { (output, sent, share) = ([], 0, nil) }
    }

    /// Who comes to have a WebSocket, and what the connection counts for.
    struct Arrival {
        let caller: Caller
        let visitor: Admission.Visitor?
    }

    /// One WebSocket.
    struct Socket {
        let number: UInt64
        /// Who listens.
        let arrival: Arrival
        let outbox: Outbox
        var book: SubscriptionBook
        var tasks: [Int: Task<Void, Never>] = [:]
        var input: [UInt8] = []
        var isClosing = false
    }

    let plan: LoopPlan
    let mailbox: LoopMailbox
    let requests: RequestTasks
    let connectionConfiguration: ConnectionConfiguration
    var links: [OpaquePointer: Link] = [:]
    var sockets: [OpaquePointer: Socket] = [:]
    /// The connections by number; WebSockets too.
    var places: [UInt64: OpaquePointer] = [:]
    var lastNumber: UInt64 = 0
    /// Connections that wait to become WebSockets: a descriptor, the bytes libwebsockets is to read first, and who asks.
    var upgrades: [(descriptor: Int32, bytes: [UInt8], arrival: Arrival)] = []
    /// Who asks on the connection that is becoming a WebSocket, and on those that will be one soon.
    var adopting: Arrival?
    var arrivals: [OpaquePointer: Arrival] = [:]
    let admission: Admission
    /// How many bytes of requests all connections keep.
    var heldBytes = 0
    /// How many bytes of answers all connections keep.
    var unreadBytes = 0
    /// The room that the frames of all WebSockets share.
    let frameRoom: FrameRoom
    /// Requests that are being answered.
    var working = 0
    var isStopping = false
    /// The time in seconds since 1970, and as HTTP writes it.
    private var clock = (seconds: -1, text: "")
    /// When what is under way has had its time.
    var deadline: ContinuousClock.Instant?
    var listener: OpaquePointer?
    let memory = LoopMemory()
    private(set) var context: OpaquePointer?
    private(set) var host: OpaquePointer?

    init(_ plan: LoopPlan, _ mailbox: LoopMailbox) {
        self.plan = plan
        self.mailbox = mailbox
        requests = RequestTasks(on: plan.executor)
        admission = Admission(plan.configuration.limits)
        frameRoom = FrameRoom(plan.configuration.limits.allQueuedBytes)
        connectionConfiguration = ConnectionConfiguration(
            limits: plan.configuration.limits,
            deadlines: plan.configuration.deadlines,
            authorization: plan.configuration.authorization
        )
    }

    /// How many bytes are read or written at a time.
    static let pieceSize = 64 << 10

    /// Opens the listening socket and the context; the port.
    func open() throws(TableServerError) -> Int {
        let (descriptor, port) = try ListeningSocket.open(
            host: plan.configuration.host,
            port: plan.configuration.port
        )
        _ = Self.silence
        memory.setRetry(plan.configuration.deadlines)
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.protocols = UnsafePointer(memory.protocols)
        info.retry_and_idle_policy = UnsafePointer(memory.retry)
        info.pt_serv_buf_size = UInt32(Self.pieceSize)
        info.options = UInt64(
            LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_VALIDATE_UTF8
                | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME
        )
        // SAFETY: not retained. The core outlives its context: `close()` destroys it, on this same thread.
        info.user = Unmanaged.passUnretained(self).toOpaque()
        context = lws_create_context(&info)
        host = context.flatMap { lws_create_vhost($0, &info) }
        guard let host else {
            ListeningSocket.close(descriptor)
            throw TableServerError(
                .system,
                "The WebSocket library cannot be started; are descriptors used up?"
            )
        }
        guard
            let listener = lws_adopt_descriptor_vhost(
                host,
                LWS_ADOPT_RAW_FILE_DESC,
                lws_sock_file_fd_type(filefd: descriptor),
                LoopMemory.listenerProtocol,
                nil
            )
        else {
            ListeningSocket.close(descriptor)
            throw TableServerError(.system, "The listening socket cannot be watched.")
        }
        self.listener = listener
        mailbox.connect(context)
        return port
    }

    /// Serves until stopped.
    func run() {
        while !isFinished, lws_service(context, 0) >= 0 {}
    }

    /// Closes what is left and the context.
    func close() {
        mailbox.connect(nil)
        requests.close()
        let closing = context
        context = nil
        if let closing { lws_context_destroy(closing) }
        for upgrade in upgrades { ListeningSocket.close(upgrade.descriptor) }
        upgrades = []
        for socket in sockets.values { end(socket) }
        sockets = [:]
        for link in links.values { link.budget?.stop() }
        links = [:]
    }

    private var isFinished: Bool {
        guard isStopping else { return false }
        if let deadline, deadline <= .now { return true }
        return listener == nil && links.isEmpty && sockets.isEmpty && upgrades.isEmpty && working == 0
    }

    /// The time as HTTP writes it.
    var date: String {
        let seconds = Int(Date().timeIntervalSince1970)
        if seconds != clock.seconds { clock = (seconds, HTTPDate.text(secondsSince1970: seconds)) }
        return clock.text
    }

    /// Closes a connection from outside its own callbacks.
    func kill(_ wsi: OpaquePointer) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_SHUTDOWN_FLUSH, LWS_TO_KILL_ASYNC)
    }

    /// Has the loop look whether it is done: while it waits for sockets it does not.
    func lookAgain() {
        if isStopping, let context { lws_cancel_service(context) }
    }

    /// Once for the process: libwebsockets prints nothing.
    private static let silence: Void = lws_set_log_level(0, nil)
}

extension Duration {
    /// The duration in microseconds, at least one.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflows ? .max / 2 : max(1, whole + attoseconds / 1_000_000_000_000)
    }
}
