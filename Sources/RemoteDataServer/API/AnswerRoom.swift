import Synchronization

/// The bytes that the answers of a server may take together, from when they are made until they are sent.
///
/// Pages become smaller as it fills, and say that there is more. What is asked for and not made yet makes
/// them smaller too, and is no reason to refuse others. Thread-safe.
final class AnswerRoom: Sendable {
    /// What an answer may take of it; given back when it is released.
    final class Share: Sendable {
        /// How many bytes the answer may have: the rows of a page beyond the first end there.
        let bytes: Int
        private let room: AnswerRoom
        /// How many bytes it has; nil as long as it is not made.
        private let made = Mutex<Int?>(nil)

        fileprivate init(_ bytes: Int, of room: AnswerRoom) { (self.bytes, self.room) = (bytes, room) }

        deinit {
            let made = made.withLock { $0 }
            room.change(reserved: made == nil ? -bytes : 0, made: -(made ?? 0))
        }

        /// Notes how many bytes the answer has, once.
        ///
        /// - Returns: Whether there is room for it.
        func note(_ bytes: Int) -> Bool {
            made.withLock { $0 = bytes }
            return room.change(reserved: -self.bytes, made: bytes)
        }
    }

    private struct State {
        var reserved = 0
        var made = 0
    }

    /// The least that a page may take.
    private static let least = 64 << 10
    /// A page gets this part of what is left.
    private static let part = 8

    private let state = Mutex(State())
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    /// How many bytes are taken by answers, or kept for those that are not made yet.
    var usedBytes: Int { state.withLock { $0.reserved + $0.made } }

    /// Takes room for an answer that is to be made; nil when answers take all of it.
    func share(atMost most: Int) -> Share? {
        let bytes = state.withLock { state -> Int? in
            guard state.made < limit else { return nil }
            let bytes = min(most, max(Self.least, (limit - state.made - state.reserved) / Self.part))
            state.reserved += bytes
            return bytes
        }
        return bytes.map { Share($0, of: self) }
    }

    /// - Returns: Whether answers take no more than there is.
    @discardableResult
    private func change(reserved: Int, made: Int) -> Bool {
        state.withLock { state in
            state.reserved += reserved
            state.made += made
            return state.made <= limit
        }
    }
}
