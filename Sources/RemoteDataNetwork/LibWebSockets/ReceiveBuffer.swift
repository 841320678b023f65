/// Holds what was received and not read yet, and says when to stop and go on reading from the network.
struct ReceiveBuffer {
    private let messageLimit: Int
    private let byteLimit: Int
    private var messages: [WebSocketMessage] = []
    private var bytes = 0
    /// How many messages there were when they were taken last.
    private var lastCount = 0
    private(set) var isPaused = false

    /// For how many messages there is room at once.
    private static let reserveLimit = 1_024

    init(_ limits: WebSocketLimits) {
        messageLimit = max(1, limits.bufferedMessages)
        byteLimit = max(1, limits.bufferedBytes)
    }

    var isEmpty: Bool { messages.isEmpty }

    /// Whether there is something, and no more of it than is soon read.
    var isSmall: Bool { (1...4).contains(messages.count) && bytes <= 4 << 10 }

    /// Keeps a message; true when nothing more is to be read from the network.
    mutating func add(_ message: WebSocketMessage) -> Bool {
        if messages.isEmpty { messages.reserveCapacity(min(lastCount, Self.reserveLimit)) }
        messages.append(message)
        bytes += message.bytes.count
        isPaused = messages.count >= messageLimit || bytes >= byteLimit
        return isPaused
    }

    /// Gives up everything; true when reading from the network is to go on.
    mutating func takeAll() -> (messages: [WebSocketMessage], resumes: Bool) {
        defer {
            lastCount = messages.count
            messages = []
            bytes = 0
            isPaused = false
        }
        return (messages, isPaused)
    }

    /// Takes back what nobody got in the end, in front of what came since; `pauses` says that reading from the
    /// network has not gone on.
    mutating func putBack(_ returned: [WebSocketMessage], pauses: Bool) {
        messages = returned + messages
        bytes += returned.reduce(0) { $0 + $1.bytes.count }
        isPaused = isPaused || pauses
    }
}
