import Synchronization

/// The bytes that the frames of all WebSockets of a server may take together.
///
/// Thread-safe.
final class FrameRoom: Sendable {
    /// How much of it each has whatever the others take.
    static let share = 64 << 10

    private let used = Atomic(0)
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    /// Whether one that has some bytes of it may have more.
    func has(_ bytes: Int, beside own: Int) -> Bool {
        own + bytes <= Self.share || used.load(ordering: .relaxed) + bytes <= limit
    }

    /// Notes that one has more bytes of it, or fewer.
    func add(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }
}
