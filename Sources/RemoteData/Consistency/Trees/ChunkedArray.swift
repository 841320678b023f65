/// An array that grows by chunks, and so is never copied to grow, nor has more than a chunk of room that nobody uses.
struct ChunkedArray<Element> {
    private var chunks: ContiguousArray<ContiguousArray<Element>> = []
    private(set) var count = 0

    private static var chunkBits: Int { 10 }
    private static var chunkMask: Int { 1 << chunkBits - 1 }

    subscript(index: Int) -> Element {
        get { chunks[index >> Self.chunkBits][index & Self.chunkMask] }
        set { chunks[index >> Self.chunkBits][index & Self.chunkMask] = newValue }
    }

    mutating func append(_ element: Element) {
        if count & Self.chunkMask == 0 {
            var chunk: ContiguousArray<Element> = []
            // The first ones are likely the last.
            if count > 0 { chunk.reserveCapacity(1 << Self.chunkBits) }
            chunks.append(chunk)
        }
        chunks[chunks.count - 1].append(element)
        count += 1
    }
}
