/// The keys of a list's elements, which stay the same while the elements move: where each is, in little time.
struct ElementKeys {
    private struct Chunk {
        let number: Int32
        var keys: ContiguousArray<Int>
    }

    private var chunks: ContiguousArray<Chunk> = []
    /// The numbers of the stretches that those are in who were there first; -1 for those who are gone.
    private var firstHomes: ContiguousArray<Int32> = []
    private var firstKey = 0
    /// The same for those who came later.
    private var laterHomes: [Int: Int32] = [:]
    private var nextChunk: Int32 = 0
    private(set) var count = 0

    private static var chunkSize: Int { 256 }

    /// Keys that count on from a first one.
    init(_ keys: Range<Int> = 0..<0) {
        firstKey = keys.lowerBound
        firstHomes.reserveCapacity(keys.count)
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: Self.chunkSize) {
            append(start..<min(keys.upperBound, start + Self.chunkSize))
        }
    }

    private mutating func append(_ keys: Range<Int>) {
        firstHomes.append(contentsOf: repeatElement(nextChunk, count: keys.count))
        chunks.append(Chunk(number: nextChunk, keys: ContiguousArray(keys)))
        nextChunk += 1
        count += keys.count
    }

    /// Whether a key is in the list.
    func contains(_ key: Int) -> Bool { home(of: key) != nil }

    private func home(of key: Int) -> Int32? {
        guard key >= firstKey, key - firstKey < firstHomes.count else { return laterHomes[key] }
        let home = firstHomes[key - firstKey]
        return home < 0 ? nil : home
    }

    private mutating func setHome(_ home: Int32?, of key: Int) {
        if key >= firstKey, key - firstKey < firstHomes.count {
            firstHomes[key - firstKey] = home ?? -1
        } else {
            laterHomes[key] = home
        }
    }

    /// Where the element with a key is.
    ///
    /// - Complexity: O(n / 256).
    func index(of key: Int) -> Int? {
        guard let home = home(of: key) else { return nil }
        var start = 0
        for chunk in chunks {
            if chunk.number == home { return chunk.keys.firstIndex(of: key).map { start + $0 } }
            start += chunk.keys.count
        }
        return nil
    }

    /// The key of the element at an index.
    ///
    /// - Complexity: O(n / 256).
    subscript(index: Int) -> Int {
        let (chunk, offset) = place(of: index)
        return chunks[chunk].keys[offset]
    }

    /// All keys, in the order of elements.
    var all: [Int] { chunks.flatMap(\.keys) }

    /// Puts keys that count on from a first one in front of an index.
    mutating func insert(_ keys: Range<Int>, at index: Int) {
        guard !keys.isEmpty else { return }
        guard count > 0 else { return self = ElementKeys(keys) }
        var (chunk, offset) =
            index < count ? place(of: index) : (chunks.count - 1, chunks[chunks.count - 1].keys.count)
        chunks[chunk].keys.insert(contentsOf: keys, at: offset)
        for key in keys { setHome(chunks[chunk].number, of: key) }
        count += keys.count
        while chunks[chunk].keys.count > 2 * Self.chunkSize {
            let rest = ContiguousArray(chunks[chunk].keys[Self.chunkSize...])
            chunks[chunk].keys.removeLast(rest.count)
            chunks.insert(Chunk(number: nextChunk, keys: rest), at: chunk + 1)
            for key in rest { setHome(nextChunk, of: key) }
            nextChunk += 1
            chunk += 1
        }
    }

    /// Takes the key at an index out.
    mutating func remove(at index: Int) {
        let (chunk, offset) = place(of: index)
        setHome(nil, of: chunks[chunk].keys.remove(at: offset))
        count -= 1
        if chunks[chunk].keys.isEmpty {
            chunks.remove(at: chunk)
        } else if chunk > 0, chunks[chunk].keys.count + chunks[chunk - 1].keys.count < Self.chunkSize / 2 {
            for key in chunks[chunk].keys { setHome(chunks[chunk - 1].number, of: key) }
            chunks[chunk - 1].keys += chunks[chunk].keys
            chunks.remove(at: chunk)
        }
    }

    private func place(of index: Int) -> (chunk: Int, offset: Int) {
        var rest = index
        for (number, chunk) in chunks.enumerated() {
            if rest < chunk.keys.count { return (number, rest) }
            rest -= chunk.keys.count
        }
        preconditionFailure("The index \(index) is not in a list of \(count).")
    }
}
