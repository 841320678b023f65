/// Where the row with an id lies in a ``RowIndex``, by a hash of the id, in 11 to 21 bytes a row: the id itself is not among
/// them.
///
/// Of the hash the upper 30 bits count. Rows with the same ones are told apart by whoever looks, by their ids. Open addressing
/// with linear probing; what is removed leaves no trace, those behind it move up (Knuth, The Art of Computer Programming 3,
/// 6.4, algorithm R). The hash has to be one that nobody outside can foresee, such as Swift's.
struct SlotsByHash: Sendable {
    /// Where a row lies.
    struct Location: Equatable {
        let node: Int
        let slot: Int
    }

    /// The hash in the upper 30 bits; below them 28 for the node's number plus one, 0 where there is none, and 6 for the slot.
    private var entries: [UInt64] = []
    private(set) var count = 0

    /// The most nodes there can be.
    static var nodeLimit: Int { 1 << 28 - 1 }

    /// The first location of some with this hash that a test accepts.
    ///
    /// - Complexity: O(1), but for what the test does.
    func first(of hash: UInt64, where isMeant: (Location) -> Bool) -> Location? {
        guard !entries.isEmpty else { return nil }
        var place = home(hash)
        while entries[place] != 0 {
            if entries[place] >> 34 == hash >> 34 {
                let location = Self.location(entries[place])
                if isMeant(location) { return location }
            }
            place = next(place)
        }
        return nil
    }

    /// - Complexity: O(1) amortized, like that of everything that follows.
    mutating func insert(_ hash: UInt64, _ location: Location) {
        // At most three quarters are taken.
        if (count + 1) * 4 > entries.count * 3 { grow() }
        put(Self.entry(hash, location))
        count += 1
    }

    mutating func remove(_ hash: UInt64, _ location: Location) {
        guard var hole = place(of: hash, location) else { return }
        count -= 1
        var place = next(hole)
        while entries[place] != 0 {
            // It moves up unless its home lies behind the hole.
            if (place &- home(entries[place])) & mask >= (place &- hole) & mask {
                entries[hole] = entries[place]
                hole = place
            }
            place = next(place)
        }
        entries[hole] = 0
    }

    /// A row has come from one location to another.
    mutating func move(_ hash: UInt64, from old: Location, to new: Location) {
        guard let place = place(of: hash, old) else { return }
        entries[place] = Self.entry(hash, new)
    }
}

extension SlotsByHash {
    private var mask: Int { entries.count - 1 }

    /// Where what has a hash is looked for first.
    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 34) & mask }

    private func next(_ place: Int) -> Int { (place + 1) & mask }

    private static func entry(_ hash: UInt64, _ location: Location) -> UInt64 {
        (hash >> 34) << 34 | UInt64(location.node + 1) << 6 | UInt64(location.slot)
    }

    private static func location(_ entry: UInt64) -> Location {
        Location(node: Int(entry >> 6 & (1 << 28 - 1)) - 1, slot: Int(entry & 63))
    }

    private func place(of hash: UInt64, _ location: Location) -> Int? {
        guard !entries.isEmpty else { return nil }
        let wanted = Self.entry(hash, location)
        var place = home(hash)
        while entries[place] != wanted {
            guard entries[place] != 0 else { return nil }
            place = next(place)
        }
        return place
    }

    private mutating func put(_ entry: UInt64) {
        var place = home(entry)
        while entries[place] != 0 { place = next(place) }
        entries[place] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: 0, count: max(16, old.count * 2))
        for entry in old where entry != 0 { put(entry) }
    }
}

extension RowID {
    /// The id's hash, another one in each run of a program.
    var mark: UInt64 {
        switch self {
        case .text(let text): Self.mark(of: text.utf8.span)
        case .integer(let integer): Self.mark(of: integer)
        }
    }

    /// The hash of an id that is text.
    static func mark(of text: borrowing Span<UInt8>) -> UInt64 {
        var hasher = Hasher()
        var index = 0
        while text.count &- index >= 8 {
            hasher.combine(JSONScanner.word(text, index))
            index &+= 8
        }
        // The rest, and how much that is.
        var word = UInt64(text.count &- index) << 56
        while index < text.count {
            word = (word & 0xFF << 56) | (word & ~(0xFF << 56)) << 8 | UInt64(text[index])
            index &+= 1
        }
        hasher.combine(word)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// The hash of an id that is an integer.
    static func mark(of integer: Int64) -> UInt64 { UInt64(truncatingIfNeeded: integer.hashValue) }
}
