import Synchronization

// Iterating: `for`-`in`, which blocks, and `for try await`, which does not.
extension RemoteDataCollection: Sequence {
    /// Reads a collection from its start, blocking while rows come.
    ///
    /// Each row that matches during the whole iteration is yielded exactly once, and none twice, whatever is written
    /// meanwhile. A row that does not decode is left out and reported to the error handler.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var part: ArraySlice<Element>.Iterator = ArraySlice().makeIterator()
        /// What comes to match later does not bring an iteration back to life.
        @usableFromInline var isOver = false
        @usableFromInline let source: IterationSource<Element>

        init(_ collection: RemoteDataCollection) { source = IterationSource(collection) }

        /// The next row.
        ///
        /// Blocks when it is not here: one request for each page, the next page being asked for ahead. When the table
        /// cannot be reached until the collection's deadline, the iteration ends early and
        /// ``RemoteDataCollection/iterationError`` tells why.
        @inlinable
        public mutating func next() -> Element? {
            while true {
                if let element = part.next() { return element }
                guard fill() else { return nil }
            }
        }

        @usableFromInline
        mutating func fill() -> Bool {
            guard !isOver, let elements = source.nextBlocking() else {
                isOver = true
                return false
            }
            part = elements.makeIterator()
            return true
        }
    }

    /// Begins an iteration, without a request.
    public func makeIterator() -> Iterator {
        noteReading()
        state.withLock { $0.iterationError = nil }
        return Iterator(self)
    }

    /// At least this many rows will come; zero, since rows may go while they are read.
    public var underestimatedCount: Int { 0 }

    /// The rows as an array, by iterating once; blocks like an iteration.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        collectedByIterating()
    }

    /// What a function makes of each row, by iterating once; blocks like an iteration.
    public func map<Result, Failure>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        try mappedByIterating(transform)
    }

    /// The rows for `for try await`, which never blocks.
    public var rows: Rows { Rows(collection: self) }

    /// The rows of a collection as an asynchronous sequence.
    ///
    /// The same guarantees as ``RemoteDataCollection/Iterator``; a failure is thrown, as is the error of a row that does
    /// not decode, after which the iteration can go on with the next row.
    public struct Rows: AsyncSequence, Sendable {
        let collection: RemoteDataCollection

        /// Begins an iteration, without a request.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(collection) }

        /// Reads a collection from its start.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let source: IterationSource<Element>
            private var chunk: DecodedChunk<Element>?
            private var remaining: Range<Int> = 0..<0
            private var isOver = false

            init(_ collection: RemoteDataCollection) { source = IterationSource(collection) }

            /// The next row, without blocking.
            ///
            /// - Returns: Nil at the end.
            /// - Throws: ``RemoteDataError`` when the table cannot be asked, or the row does not decode.
            public mutating func next() async throws(RemoteDataError) -> Element? {
                while remaining.isEmpty {
                    guard !isOver, let part = try await source.next() else {
                        isOver = true
                        return nil
                    }
                    chunk = source.collection.decode(part)
                    remaining = part.range
                }
                let offset = remaining.lowerBound
                remaining = remaining.dropFirst()
                return try chunk?.element(at: offset)
            }
        }
    }
}

/// One iteration under way; it ends with its last holder.
@usableFromInline
final class IterationSource<Element: Codable & Identifiable & Sendable>: Sendable {
    let collection: RemoteDataCollection<Element>
    private let id: Int

    init(_ collection: RemoteDataCollection<Element>) {
        self.collection = collection
        id = collection.state.withLock { $0.core.beginIteration() }
    }

    deinit { collection.state.withLock { $0.core.endIteration(id) } }

    /// The next rows; nil at the end.
    func next() async throws(RemoteDataError) -> ChunkPart? {
        while true {
            let (step, ahead) = step()
            switch step {
            case .rows(let part): return part
            case .wait(let fetch): try await collection.wait(for: fetch, starting: false, ahead: ahead)
            case .fetch(let fetch): try await collection.wait(for: fetch, starting: true, ahead: ahead)
            case .repair: try await collection.waitForRepair()
            case .lost:
                throw RemoteDataError(
                    .gone,
                    "Changes were missed while rows that the iteration has taken were no longer here, so that nobody can tell"
                        + " which those are: begin another one."
                )
            case .end: return nil
            }
        }
    }

    /// The next rows, blocking while they come; nil at the end and when the table could not be reached in time.
    func nextBlocking() -> ArraySlice<Element>? {
        let part: ChunkPart?
        let (step, ahead) = step()
        switch step {
        case .rows(let rows): part = rows
        case .end: return nil
        case .wait(let fetch): part = block(on: fetch, starting: false, ahead)
        case .fetch(let fetch): part = block(on: fetch, starting: true, ahead)
        case .repair, .lost: part = block(on: nil, starting: false, [])
        }
        return part.map { part in
            let decoded = collection.decode(part)
            if decoded.failures.isEmpty { return decoded.elements[part.range] }
            return part.range.compactMap { try? decoded.element(at: $0) }[...]
        }
    }

    /// What comes next, and which pages to ask for as well; in front of rows these are asked for already.
    private func step() -> (CollectionState.Step, ahead: [Fetch]) {
        let (step, ahead) = collection.state.withLock { state in
            let step = state.core.step(id)
            return (step, state.core.readAhead(id, after: step, atMost: collection.options.readAhead))
        }
        guard case .rows = step else { return (step, ahead) }
        for fetch in ahead { collection.start(fetch) }
        return (step, [])
    }

    private func block(on fetch: Fetch?, starting: Bool, _ ahead: [Fetch]) -> ChunkPart? {
        let first = Mutex(true)
        return collection.softly { [self] () async throws(RemoteDataError) in
            let isFirst = first.withLock { value in
                defer { value = false }
                return value
            }
            if isFirst, let fetch { try await collection.wait(for: fetch, starting: starting, ahead: ahead) }
            return try await next()
        } ?? nil
    }
}
