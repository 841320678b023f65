/// Holds what was received and not read yet, and says when to stop and go on reading from the network.
///
/// Small messages that come together share their memory: the thread that frees that of each would wait for the one that takes
/// some for the next, and the other way round, which costs far more than to copy them.
struct ReceiveBuffer {
    private let messageLimit: Int
    private let byteLimit: Int
    private var messages: [WebSocketMessage] = []
    /// The payloads of small messages that came after those, one behind the other.
    private var payloads: [UInt8] = []
    /// Where in them each ends.
    private var smalls: [Small] = []
    private var bytes = 0
    private(set) var isPaused = false

    private struct Small {
        let end: Int
        let isText: Bool
    }

    /// How long the payload of a small message is, and how many bytes share their memory.
    private static let (smallLimit, sharedLimit) = (1 << 10, 4 << 10)

    init(_ limits: WebSocketLimits) {
        messageLimit = max(1, limits.bufferedMessages)
        byteLimit = max(1, limits.bufferedBytes)
    }

    var isEmpty: Bool { count == 0 }

    private var count: Int { messages.count + smalls.count }

    /// Whether there is something, and no more of it than is soon read.
    var isSmall: Bool { (1...4).contains(count) && bytes <= 4 << 10 }

    /// Keeps a message; true when nothing more is to be read from the network.
    mutating func add(_ message: WebSocketMessage) -> Bool {
        let size = message.range.count
        if size > Self.smallLimit {
            putTogether()
            messages.append(message)
        } else {
            if payloads.count + size > Self.sharedLimit {
                putTogether()
                // As many are likely to come again.
                payloads.reserveCapacity(Self.sharedLimit)
            }
            payloads += message.bytes
            smalls.append(Small(end: payloads.count, isText: message.isText))
        }
        bytes += size
        isPaused = count >= messageLimit || bytes >= byteLimit
        return isPaused
    }

    /// Makes messages of the small ones.
    private mutating func putTogether() {
        guard !smalls.isEmpty else { return }
        if messages.isEmpty { messages.reserveCapacity(smalls.count) }
        var start = 0
        for small in smalls {
            messages.append(WebSocketMessage(isText: small.isText, payloads, start..<small.end))
            start = small.end
        }
        smalls.removeAll(keepingCapacity: true)
        payloads = []
    }

    /// Gives up everything; true when reading from the network is to go on.
    mutating func takeAll() -> (messages: [WebSocketMessage], resumes: Bool) {
        putTogether()
        defer {
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
