/// The frames that wait for one WebSocket to take them, bounded in number and bytes.
struct FrameQueue {
    /// A frame, or a part of one that is too long to go out in one write.
    struct Piece: Equatable {
        let bytes: ArraySlice<UInt8>
        let isFirst: Bool
        let isLast: Bool
        /// What the frame was marked with, once its last piece is out.
        var mark: Int?
    }

    private struct Waiting {
        /// The subscription that the frame goes with, and that may drop it; nil for what is never dropped.
        let owner: Int?
        let mark: Int?
        let bytes: [UInt8]
    }

    private let frameLimit: Int
    private let byteLimit: Int
    private let room: FrameRoom
    private var frames: [Waiting] = []
    private var taken = 0
    private var current: (frame: Waiting, sent: Int)? {
        didSet { room.add((current?.frame.bytes.count ?? 0) - (oldValue?.frame.bytes.count ?? 0)) }
    }
    /// How many bytes wait, what is under way not counted.
    private(set) var byteCount = 0 {
        didSet { room.add(byteCount - oldValue) }
    }

    init(frameLimit: Int, byteLimit: Int, sharing room: FrameRoom = FrameRoom(.max)) {
        self.frameLimit = frameLimit
        self.byteLimit = byteLimit
        self.room = room
    }

    /// How many frames wait, what is under way not counted.
    var count: Int { frames.count - taken }

    private var heldBytes: Int { byteCount + (current?.frame.bytes.count ?? 0) }

    /// Whether there is nothing to send.
    var isEmpty: Bool { count == 0 && current == nil }

    /// Adds a frame; false, and nothing added, when there is no room for it.
    ///
    /// An empty queue takes a frame larger than its limit, so that such a row can be sent at all.
    mutating func append(_ bytes: [UInt8], owner: Int) -> Bool {
        guard count == 0 || count < frameLimit && byteCount + bytes.count <= byteLimit,
            room.has(bytes.count, beside: heldBytes)
        else { return false }
        add(Waiting(owner: owner, mark: nil, bytes: bytes))
        return true
    }

    /// Adds a frame that belongs to the connection; false when a client has caused too many without reading
    /// them.
    mutating func appendControl(_ bytes: [UInt8], mark: Int? = nil) -> Bool {
        guard count < 2 * frameLimit + 1_000, byteCount + bytes.count <= 2 * byteLimit + (1 << 20),
            room.has(bytes.count, beside: heldBytes)
        else { return false }
        add(Waiting(owner: nil, mark: mark, bytes: bytes))
        return true
    }

    /// Drops what waits for a subscription.
    ///
    /// - Complexity: O(frames).
    mutating func drop(owner: Int) {
        frames = frames[taken...].filter { $0.owner != owner }
        taken = 0
        byteCount = frames.reduce(0) { $0 + $1.bytes.count }
    }

    /// The next piece to send; nil when there is nothing.
    mutating func next(maximum: Int) -> Piece? {
        if current == nil, taken < frames.count {
            let frame = frames[taken]
            byteCount -= frame.bytes.count
            taken += 1
            // Half of the array is given back at a time, so that each frame is moved once at most.
            if taken * 2 > frames.count {
                frames.removeFirst(taken)
                taken = 0
            }
            current = (frame, 0)
        }
        guard let (frame, sent) = current else { return nil }
        let end = min(frame.bytes.count, sent + maximum)
        let isLast = end == frame.bytes.count
        current = isLast ? nil : (frame, end)
        return Piece(
            bytes: frame.bytes[sent..<end],
            isFirst: sent == 0,
            isLast: isLast,
            mark: isLast ? frame.mark : nil
        )
    }

    /// Takes what is to be sent next.
    ///
    /// - Parameter maximum: How many bytes the pieces may be with their heads.
    /// - Returns: As many pieces as go out in one write; none when there is nothing.
    mutating func nextBatch(maximum: Int) -> [Piece] {
        var batch: [Piece] = []
        var room = maximum - Piece.headLimit
        while room > 0, batch.isEmpty || nextFits(room), let piece = next(maximum: room) {
            batch.append(piece)
            room -= piece.bytes.count + Piece.headLimit
        }
        return batch
    }

    /// Whether the next frame would go out whole.
    private func nextFits(_ room: Int) -> Bool {
        current == nil && taken < frames.count && frames[taken].bytes.count <= room
    }

    /// Drops everything, and takes nothing any more.
    mutating func close() {
        (byteCount, current) = (0, nil)
        self = FrameQueue(frameLimit: 0, byteLimit: 0, sharing: room)
    }

    private mutating func add(_ frame: Waiting) {
        frames.append(frame)
        byteCount += frame.bytes.count
    }
}

extension FrameQueue.Piece {
    /// The most bytes that a head has.
    static let headLimit = 10

    /// What goes out in front of the bytes, from a server to a client (RFC 6455, 5.2).
    var head: [UInt8] {
        let first: UInt8 = (isLast ? 0x80 : 0) | (isFirst ? 1 : 0)
        let count = bytes.count
        if count < 126 { return [first, UInt8(count)] }
        let length = count <= UInt16.max ? 2 : 8
        let digits = (1...length).map { UInt8(truncatingIfNeeded: count >> (8 * (length - $0))) }
        return [first, length == 2 ? 126 : 127] + digits
    }
}
