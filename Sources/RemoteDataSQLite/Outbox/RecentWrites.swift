import RemoteData

/// The last writes that servers without revisions have agreed to, by which it is known that an event of
/// one is behind the answer
/// to a later one.
struct RecentWrites: Sendable {
    private struct Write {
        let keys: Set<String>
        let place: RowPlace
        let number: Int64
    }

    /// How many are remembered.
    private static let limit = 256

    private var writes: [Write] = []

    /// Notes a write that a server has agreed to.
    mutating func note(_ entry: OutboxEntry, of place: RowPlace) {
        if writes.count == Self.limit { writes.removeFirst() }
        let keys = [entry.key, entry.batch].compactMap(\.self)
        writes.append(Write(keys: Set(keys), place: place, number: entry.number))
    }

    /// Whether a later write of a row has been agreed to than the one with a key.
    ///
    /// - Complexity: O(writes remembered).
    func isPassed(_ key: String, at place: RowPlace) -> Bool {
        let own = writes.last { $0.place == place && $0.keys.contains(key) }
        return own.map { own in writes.contains { $0.place == place && $0.number > own.number } } ?? false
    }
}
