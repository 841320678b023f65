import Synchronization

// Iterating: `for`-`in`, which blocks, and `for try await`, which does not.
extension RemoteDataCollection: Sequence {
    /// Reads a collection from its start, blocking while rows come.
    ///
    /// Each row that matches during the whole iteration is yielded exactly once, and none twice, whatever is written
    /// meanwhile. A row that does not decode is left out and reported to the error handler, and the error of
    /// the iteration's end says how many were.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var runs = ElementRuns<Element>()
        /// What comes to match later does not bring an iteration back to life.
        @usableFromInline var isOver = false
        @usableFromInline let source: IterationSource<Element>

        init(_ collection: RemoteDataCollection) { source = IterationSource(collection) }

        /// The next row.
        ///
        /// Blocks when it is not here: one request for each page, the next page being asked for ahead. When the table
        /// cannot be reached until the collection's deadline, the iteration ends early and
        /// ``RemoteDataCollection/iterationError`` has the reason, as for rows that were left out.
        @inlinable
        public mutating func next() -> Element? {
            while true {
                if let element = runs.next() { return element }
                guard fill() else { return nil }
            }
        }

        @usableFromInline
        mutating func fill() -> Bool {
            guard !isOver, let next = source.nextBlocking() else {
                isOver = true
                return false
            }
            runs = next
            return true
        }
    }

    /// Begins an iteration, without a request.
    public func makeIterator() -> Iterator {
        noteReading()
        beginSoftRead()
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
    /// The same guarantees as ``RemoteDataCollection/Iterator``. A failure is thrown; so is, after the last
    /// row, the error that says how many rows were left out because they do not decode.
    public struct Rows: AsyncSequence, Sendable {
        let collection: RemoteDataCollection

        /// Begins an iteration, without a request.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(collection) }

        /// Reads a collection from its start.
        public struct AsyncIterator: AsyncIteratorProtocol {
            @usableFromInline var runs = ElementRuns<Element>()
            private let source: IterationSource<Element>
            private var isOver = false

            init(_ collection: RemoteDataCollection) { source = IterationSource(collection) }

            /// The next row, without blocking.
            ///
            /// - Returns: Nil at the end.
            /// - Throws: ``RemoteDataError`` when the table cannot be asked; at the end, when rows were left
            ///   out.
            @inlinable
            public mutating func next() async throws(RemoteDataError) -> Element? {
                if let element = runs.next() { return element }
                return try await nextOfMore()
            }

            /// The next row, without blocking and, where it has been taken with others, without leaving the caller's actor.
            ///
            /// - Parameter actor: The caller's.
            /// - Returns: Nil at the end.
            /// - Throws: ``RemoteDataError`` when the table cannot be asked; at the end, when rows were left
            ///   out.
            @inlinable
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(RemoteDataError) -> Element? {
                if let element = runs.next() { return element }
                return try await nextOfMore()
            }

            @usableFromInline
            mutating func nextOfMore() async throws(RemoteDataError) -> Element? {
                while !isOver {
                    guard let part = try await source.next() else {
                        isOver = true
                        if let error = source.omissions { throw error }
                        return nil
                    }
                    runs = source.runs(from: source.decode(part), of: part)
                    if let element = runs.next() { return element }
                }
                return nil
            }
        }
    }
}
