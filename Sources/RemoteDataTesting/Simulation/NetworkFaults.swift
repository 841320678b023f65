import RemoteData

/// What goes wrong with a request.
struct RequestFault: Sendable {
    enum Kind: Sendable {
        /// The server answers with a status and does nothing.
        case status(Int, retryAfter: Duration?)
        /// Somebody else answers than the server, which never sees it.
        case body(String, status: Int)
        /// It never reaches the server; whoever sent it is told, or waits.
        case loseRequest(isTold: Bool)
        /// The server does what it was asked, and the answer is lost.
        case loseReply(isTold: Bool)
        /// Half of the answer's body is missing.
        case truncate
        /// It takes longer.
        case delay(Duration)
        /// The server does what it was asked, and the answer takes longer.
        case delayReply(Duration)
    }

    let kind: Kind
    /// Which calls; nil for all.
    let call: String?
    var remaining: Int
}

/// What goes wrong with frames, each as often as the number says.
struct FrameFaults: Sendable {
    var drop = 0
    var duplicate = 0
    var reorder = 0
    var malform = 0
    /// Whether frames stand still.
    var isHolding = false
}

/// What is wrong with the network at the moment.
struct NetworkFaults: Sendable {
    var requests: [RequestFault] = []
    var frames = FrameFaults()
    /// The rows that cannot be read where they come with a page.
    var spoiled: Set<RowID> = []
    /// Whether nothing gets through.
    var isOffline = false

    /// Takes the fault that applies to a request; to a subscription only one that says so.
    mutating func take(_ call: String) -> RequestFault.Kind? {
        let isRequest = call != "subscribe"
        guard let index = requests.firstIndex(where: { ($0.call == nil && isRequest) || $0.call == call })
        else { return nil }
        requests[index].remaining -= 1
        let kind = requests[index].kind
        if requests[index].remaining <= 0 { requests.remove(at: index) }
        return kind
    }
}
