#if THREAD_SANITIZER
import Synchronization
#else
public import Synchronization
#endif

/// Rows that are decoded, by position: for reading one after another without a search, and without the lock that changes hold
/// while they are applied.
///
/// There is a directory while nothing comes to lie elsewhere. It is made of the index once there have been so many searches
/// that making it costs no more than they did, and dropped with the next change.
@usableFromInline
final class DecodedPositions<Element: Sendable>: Sendable {
    @usableFromInline let directory = Mutex(Directory())

    @usableFromInline
    struct Directory: Sendable {
        /// How far a position is shifted to find its first chunk.
        @usableFromInline var shift = 0
        /// The number of the chunk, or gap, that the first of so many positions lies in.
        @usableFromInline var firsts: [UInt32] = []
        /// Where each chunk and gap starts, and where the last one ends.
        @usableFromInline var starts: [Int] = []
        /// The rows of each; none where that is not known, and where some do not decode.
        @usableFromInline var elements: [[Element]] = []
        /// The position that was read last.
        @usableFromInline var lookedAt: Int?
        /// Those that keep the rows, and see to it that they end elsewhere.
        private var chunks: [DecodedChunk<Element>?] = []

        init() {}
    }

    init() {}

    deinit { drop() }

    /// The row at a position, which is noted as read; nil where it is not known.
    ///
    /// - Complexity: O(1).
    @inlinable
    func element(at position: Int) -> Element? { directory.withLock { $0.element(at: position) } }

    /// The position that was read last.
    var lookedAt: Int? { directory.withLock { $0.lookedAt } }

    /// Notes that the row at a position was read.
    func noteReading(_ position: Int) { directory.withLock { $0.lookedAt = position } }

    /// Takes what the rows of a chunk decode to, which a search has found.
    func add(_ chunk: DecodedChunk<Element>, at position: Int) {
        directory.withLock { $0.add(chunk, at: position) }
    }

    /// Makes a directory of what is here.
    ///
    /// - Complexity: O(chunks and gaps).
    func begin(with index: RowIndex) {
        let new = Directory(index)
        directory.withLock { directory in
            let position = directory.lookedAt
            directory = new
            directory.lookedAt = position
        }
    }

    /// Nothing is known any more.
    func drop() {
        var old = directory.withLock { directory in
            let old = directory
            directory = Directory()
            directory.lookedAt = old.lookedAt
            return old
        }
        old.letGo()
    }
}

extension DecodedPositions.Directory {
    init(_ index: RowIndex) {
        shift = index.directoryShift
        firsts.reserveCapacity(index.count >> shift + 1)
        var (node, start) = (index.first, 0)
        while node >= 0 {
            let number = UInt32(starts.count)
            let end = start + index.nodes[node].weight
            while firsts.count << shift < end { firsts.append(number) }
            starts.append(start)
            let chunk = index.chunks[node].decoded as? DecodedChunk<Element>
            let isWhole = chunk?.failures.isEmpty ?? false
            chunks.append(isWhole ? chunk : nil)
            elements.append(isWhole ? chunk?.elements ?? [] : [])
            (node, start) = (index.successor(of: node), end)
        }
        starts.append(start)
    }

    /// The number of the chunk or gap that a position lies in.
    @inlinable
    func number(of position: Int) -> Int? {
        guard position >= 0, position >> shift < firsts.count, position < starts[starts.count - 1] else {
            return nil
        }
        var number = Int(firsts[position >> shift])
        while starts[number + 1] <= position { number += 1 }
        return number
    }

    @inlinable
    mutating func element(at position: Int) -> Element? {
        guard let number = number(of: position), !elements[number].isEmpty else { return nil }
        lookedAt = position
        return elements[number][position - starts[number]]
    }

    fileprivate mutating func add(_ chunk: DecodedChunk<Element>, at position: Int) {
        guard let number = number(of: position) else { return }
        chunks[number] = chunk
        elements[number] = chunk.elements
    }

    /// Lets go of the rows where they do not end with that, and of those that keep them.
    fileprivate mutating func letGo() {
        elements = []
        chunks = []
    }
}

extension RowIndex {
    /// How many bits of a position say where in a chunk of the usual size it lies.
    fileprivate var directoryShift: Int { chunkLimit.bitWidth - 1 - chunkLimit.leadingZeroBitCount }

    /// Whether a directory of positions would not be much larger than the index.
    var fitsDirectory: Bool { count >> directoryShift < 4 * nodes.count + 1_024 }
}
