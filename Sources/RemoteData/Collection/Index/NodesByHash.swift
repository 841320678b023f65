/// Which node of a ``RowIndex`` holds the row with an id, by a hash of the id, in 11 to 21 bytes a row: the id itself is not
/// among them.
///
/// Of the hash the upper half counts. Rows with the same one are told apart by whoever looks, among those of their nodes. Open addressing with
/// linear probing; what is removed leaves no trace, those behind it move up (Knuth, The Art of Computer Programming 3, 6.4,
/// algorithm R). The hash has to be one that nobody outside can foresee, such as Swift's.
struct NodesByHash: Sendable {
    /// The upper half of the hash and, in the lower half, the node's number plus one; 0 where there is none.
    private var slots: [UInt64] = []
    private(set) var count = 0

    /// The first node of some with this hash that a test accepts.
    ///
    /// - Complexity: O(1), but for what the test does.
    func first(of hash: UInt64, where isMeant: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var place = home(hash)
        while slots[place] != 0 {
            if slots[place] >> 32 == hash >> 32 {
                let node = Self.node(slots[place])
                if isMeant(node) { return node }
            }
            place = next(place)
        }
        return nil
    }

    /// - Complexity: O(1) amortized, like that of everything that follows.
    mutating func insert(_ hash: UInt64, _ node: Int) {
        // At most three quarters are taken.
        if (count + 1) * 4 > slots.count * 3 { grow() }
        put(Self.slot(hash, node))
        count += 1
    }

    mutating func remove(_ hash: UInt64, _ node: Int) {
        guard var hole = place(of: hash, node) else { return }
        count -= 1
        var place = next(hole)
        while slots[place] != 0 {
            // It moves up unless its home lies behind the hole.
            if (place &- home(slots[place])) & mask >= (place &- hole) & mask {
                slots[hole] = slots[place]
                hole = place
            }
            place = next(place)
        }
        slots[hole] = 0
    }

    /// A row has come from one node to another.
    mutating func move(_ hash: UInt64, from old: Int, to new: Int) {
        guard let place = place(of: hash, old) else { return }
        slots[place] = Self.slot(hash, new)
    }
}

extension NodesByHash {
    private var mask: Int { slots.count - 1 }

    /// Where what has a hash is looked for first.
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private static func slot(_ hash: UInt64, _ node: Int) -> UInt64 { (hash >> 32) << 32 | UInt64(node + 1) }

    private static func node(_ slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    private func place(of hash: UInt64, _ node: Int) -> Int? {
        guard !slots.isEmpty else { return nil }
        let wanted = Self.slot(hash, node)
        var place = home(hash)
        while slots[place] != wanted {
            guard slots[place] != 0 else { return nil }
            place = next(place)
        }
        return place
    }

    private mutating func put(_ slot: UInt64) {
        var place = home(slot)
        while slots[place] != 0 { place = next(place) }
        slots[place] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: max(16, old.count * 2))
        for slot in old where slot != 0 { put(slot) }
    }
}

extension RowID {
    /// The id's hash, another one in each run of a program.
    var mark: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}
