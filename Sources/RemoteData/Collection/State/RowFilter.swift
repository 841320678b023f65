/// A set of rows in two bytes for each, which may also say of others that it has them: of one in a hundred.
///
/// A Bloom filter that grows by parts, each with room for twice as many rows as the one before (Almeida,
/// Baquero, Preguiça and Hutchison 2007, "Scalable Bloom Filters").
struct RowFilter: Sendable {
    private struct Part: Sendable {
        var words: [UInt64]
        /// How many rows have been added, and for how many there is room.
        var rows = 0
        let limit: Int

        init(bits: Int) {
            words = Array(repeating: 0, count: bits / 64)
            limit = bits / RowFilter.bitsPerRow
        }

        mutating func formUnion(_ other: Part) {
            for index in words.indices { words[index] |= other.words[index] }
            rows += other.rows
        }
    }

    private static let (bitsPerRow, positionCount) = (16, 4)
    private static let smallestPart = 1 << 20
    /// Beyond 16 million rows the last part takes all, and more and more others with them.
    private static let largestPart = 1 << 27

    private var parts: [Part] = []

    /// Adds a row.
    ///
    /// - Parameter mark: The hash of its id.
    mutating func insert(_ mark: UInt64) {
        guard !contains(mark) else { return }
        if parts.last.map({ $0.rows >= $0.limit && $0.words.count * 64 < Self.largestPart }) ?? true {
            let bits = parts.last.map { $0.words.count * 128 } ?? Self.smallestPart
            parts.append(Part(bits: bits))
        }
        let last = parts.count - 1
        parts[last].rows += 1
        for bit in Self.positions(of: mark, in: parts[last].words.count * 64) {
            parts[last].words[bit / 64] |= 1 << UInt64(bit % 64)
        }
    }

    /// Adds the rows of another set.
    mutating func formUnion(_ other: RowFilter) {
        for part in other.parts {
            let index = parts.firstIndex { own in
                own.words.count == part.words.count && own.rows + part.rows <= own.limit
            }
            if let index { parts[index].formUnion(part) } else { parts.append(part) }
        }
    }

    /// Returns whether a row may have been added; O(parts).
    func contains(_ mark: UInt64) -> Bool {
        parts.contains { part in
            Self.positions(of: mark, in: part.words.count * 64)
                .allSatisfy { part.words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
        }
    }

    /// Where a row has its bits, made of two hashes (Kirsch and Mitzenmacher 2006).
    private static func positions(of mark: UInt64, in size: Int) -> [Int] {
        let (first, step) = (mark & 0xFFFF_FFFF, mark >> 32 | 1)
        return (0..<positionCount).map { Int((first &+ UInt64($0) &* step) & UInt64(size - 1)) }
    }
}
