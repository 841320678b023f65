/// What a cache is to write, put together: of what was written over and over again only the last is left.
struct FoldedChanges: Sendable {
    private enum Key: Hashable {
        case model(ModelID)
        case deletion(ModelID)
        case list(String)
    }

    /// A change, and when it was initiated.
    struct Timed: Sendable {
        let time: UInt64
        let change: ModelCacheChange
    }

    /// In their order; nil for what was replaced.
    private var changes: [Timed?] = []
    private var places: [Key: Int] = [:]
    private var times: [ModelID: UInt64] = [:]

    var isEmpty: Bool { places.isEmpty }
    var all: [Timed] { changes.compactMap(\.self) }

    /// Adds what is to be written behind the others, unless something newer is there.
    mutating func add(_ timed: Timed) {
        switch timed.change {
        case .model(let id, _):
            guard takes(id, timed.time) else { return }
            put(timed, .model(id))
        case .deleteModel(let id):
            guard takes(id, timed.time) else { return }
            remove(.model(id))
            put(timed, .deletion(id))
        case .list(let key, _): put(timed, .list(key))
        }
    }

    private mutating func takes(_ id: ModelID, _ time: UInt64) -> Bool {
        if let known = times[id], known > time { return false }
        times[id] = time
        return true
    }

    private mutating func put(_ timed: Timed, _ key: Key) {
        remove(key)
        places[key] = changes.count
        changes.append(timed)
        // What was replaced is not kept for long.
        guard changes.count > 2 * places.count + 64 else { return }
        changes = changes.filter { $0 != nil }
        places = [:]
        for (place, timed) in changes.enumerated() {
            if let timed { places[Self.key(of: timed.change)] = place }
        }
    }

    private mutating func remove(_ key: Key) {
        if let place = places.removeValue(forKey: key) { changes[place] = nil }
    }

    private static func key(of change: ModelCacheChange) -> Key {
        switch change {
        case .model(let id, _): .model(id)
        case .deleteModel(let id): .deletion(id)
        case .list(let key, _): .list(key)
        }
    }
}
