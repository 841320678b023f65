/// A collection as it was at one moment, for index-based code on any thread.
///
/// Rows that were not loaded are nil.
public struct CollectionSnapshot<Element: Sendable>: RandomAccessCollection, Sendable {
    /// A stretch of positions: the rows of a chunk, or unloaded ones.
    struct Run: Sendable {
        let start: Int
        let count: Int
        let chunk: DecodedChunk<Element>?
        /// The offset in the chunk of the first position.
        let offset: Int
    }

    let runs: [Run]
    /// How many rows the collection had.
    public let count: Int

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { count }

    /// The row at a position; nil when it was not loaded or does not decode.
    ///
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Element? {
        precondition(
            (0..<count).contains(position),
            "There is no row \(position); the snapshot has \(count) rows."
        )
        var low = 0
        var high = runs.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].start <= position { low = middle } else { high = middle }
        }
        return try? runs[low].chunk?.element(at: runs[low].offset + position - runs[low].start)
    }

    /// The rows that were loaded, in order.
    public var loaded: [Element] { compactMap(\.self) }
}

import Synchronization

extension RemoteDataCollection {
    /// The collection as it is now: an immutable view that any thread may index.
    ///
    /// Never asks the table. O(chunks of loaded rows), and decodes those nobody has looked at.
    public func snapshot() -> CollectionSnapshot<Element> {
        noteReading()
        let (parts, count) = state.withLock { ($0.core.parts(), $0.core.count) }
        var runs: [CollectionSnapshot<Element>.Run] = []
        var start = 0
        for part in parts {
            switch part {
            case .unloaded(let count):
                runs.append(.init(start: start, count: count, chunk: nil, offset: 0))
                start += count
            case .rows(let part):
                runs.append(
                    .init(
                        start: start,
                        count: part.range.count,
                        chunk: decode(part),
                        offset: part.range.lowerBound
                    )
                )
                start += part.range.count
            }
        }
        return CollectionSnapshot(runs: runs, count: count)
    }
}
