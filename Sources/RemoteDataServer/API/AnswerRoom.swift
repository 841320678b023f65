import Synchronization

/// The bytes that the answers of a server may take together, from when they are made until they are sent.
///
/// Pages become smaller as it fills, and say that there is more. Thread-safe.
final class AnswerRoom: Sendable {
    /// What an answer may take of it; given back when it is released.
    final class Share: Sendable {
        /// How many bytes the answer may have: the rows of a page beyond the first end there.
        let bytes: Int
        private let room: AnswerRoom
        private let taken: Mutex<Int>

        fileprivate init(_ bytes: Int, of room: AnswerRoom) {
            (self.bytes, self.room) = (bytes, room)
            taken = Mutex(bytes)
        }

        deinit { room.add(-taken.withLock { $0 }) }

        /// Notes how many bytes the answer has.
        ///
        /// - Returns: Whether there is room for it.
        func note(_ bytes: Int) -> Bool {
            let more = taken.withLock { taken in
                defer { taken = bytes }
                return bytes - taken
            }
            return room.add(more)
        }
    }

    /// The least that a page may take, unless there is no room left.
    private static let least = 64 << 10
    /// A page gets this part of what is left.
    private static let part = 8

    private let used = Mutex(0)
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    /// How many bytes are taken.
    var usedBytes: Int { used.withLock { $0 } }

    /// Takes room for an answer that is to be made; nil when there is none left.
    func share(atMost most: Int) -> Share? {
        let bytes = used.withLock { used -> Int? in
            guard used < limit else { return nil }
            let bytes = min(most, max(Self.least, (limit - used) / Self.part))
            used += bytes
            return bytes
        }
        return bytes.map { Share($0, of: self) }
    }

    /// - Returns: Whether no more is taken than there is.
    @discardableResult
    private func add(_ bytes: Int) -> Bool {
        used.withLock { used in
            used += bytes
            return used <= limit || bytes <= 0
        }
    }
}
