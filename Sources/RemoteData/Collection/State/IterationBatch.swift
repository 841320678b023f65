/// The rows that an iteration has taken from a collection and not handed out yet, and what it has made of some.
struct IterationBatch: Sendable {
    /// How many rows are taken together, if they are here: a chunk at first, so that whoever only wants the first rows gets no
    /// more, then up to a page.
    private(set) var size = 1
    private var parts: [ChunkPart] = []
    private var nextPart = 0
    /// What rows decode to, to be kept for the next reader.
    private var decoded: [(rows: DecodedRows, part: ChunkPart)] = []

    /// Adds what was taken together with rows that are handed out at once.
    mutating func add(_ more: [ChunkPart], pageSize: Int) {
        parts.removeFirst(nextPart)
        nextPart = 0
        parts += more
        size = min(max(size, RowIndex.largestChunk) * 2, pageSize)
    }

    /// The part that comes next; nil when there is none.
    mutating func takePart() -> ChunkPart? {
        guard nextPart < parts.count else { return nil }
        defer { nextPart += 1 }
        return parts[nextPart]
    }

    /// The parts that come next, as far as all of their rows are decoded.
    mutating func takeDecodedParts() -> ArraySlice<ChunkPart> {
        let start = nextPart
        while nextPart < parts.count, parts[nextPart].decoded?.failures.isEmpty ?? false { nextPart += 1 }
        return parts[start..<nextPart]
    }

    mutating func note(_ rows: DecodedRows, of part: ChunkPart) { decoded.append((rows, part)) }

    mutating func takeDecoded() -> [(rows: DecodedRows, part: ChunkPart)] {
        defer { decoded = [] }
        return decoded
    }
}
