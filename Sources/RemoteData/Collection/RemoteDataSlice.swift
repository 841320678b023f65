/// The rows at some positions of a collection, read when they are used.
///
/// What `prefix`, `dropFirst`, `people[10..<20]` and the like make. Iterating one goes by position, blocks while rows come,
/// and ends early where rows went away meanwhile or the table cannot be reached
/// (``RemoteDataCollection/iterationError`` has the reason). Unlike the collection's own iterator it may
/// return a row twice, or not at all, when others write rows before it. The subscript has the preconditions
/// of the collection's.
public struct RemoteDataSlice<Element: Codable & Identifiable & Sendable>: RandomAccessCollection, Sendable {
    /// The collection.
    public let base: RemoteDataCollection<Element>
    private let bounds: Range<Int>

    init(base: RemoteDataCollection<Element>, bounds: Range<Int>) {
        self.base = base
        self.bounds = bounds
    }

    /// The first position.
    public var startIndex: Int { bounds.lowerBound }
    /// The position behind the last one.
    public var endIndex: Int { bounds.upperBound }

    /// The row at a position of the collection; blocks when it is not here.
    ///
    /// - Precondition: As for the collection's subscript.
    @inlinable public subscript(position: Int) -> Element { base[position] }

    /// A part of the slice; asks nothing yet.
    public subscript(bounds: Range<Int>) -> RemoteDataSlice<Element> {
        precondition(
            bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
            "There are no rows \(bounds) in a slice of \(self.bounds)."
        )
        return RemoteDataSlice(base: base, bounds: bounds)
    }

    /// The first row that decodes; nil when there is none or the table cannot be reached.
    public var first: Element? {
        var iterator = makeIterator()
        return iterator.next()
    }

    /// The last row that decodes; nil when there is none or the table cannot be reached.
    public var last: Element? {
        base.beginSoftRead()
        var omitted = OmittedRows()
        defer { base.endSoftRead(omitting: omitted) }
        for position in bounds.reversed() {
            switch base.softRow(at: position) {
            case .row(let element): return element
            case .undecodable(let error): omitted.note(error)
            case .outside: continue
            case .failed: return nil
            }
        }
        return nil
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

    /// Begins to read the slice, without a request.
    public func makeIterator() -> Iterator {
        base.beginSoftRead()
        return Iterator(self)
    }

    /// Reads a slice.
    public struct Iterator: IteratorProtocol {
        private let base: RemoteDataCollection<Element>
        private var rest: Range<Int>
        private var omitted = OmittedRows()

        init(_ slice: RemoteDataSlice) {
            base = slice.base
            rest = slice.bounds
        }

        /// The next row that decodes; blocks while it comes.
        public mutating func next() -> Element? {
            while let position = rest.popFirst() {
                switch base.softRow(at: position) {
                case .row(let element): return element
                case .undecodable(let error): omitted.note(error)
                case .outside, .failed: rest = rest.upperBound..<rest.upperBound
                }
            }
            base.endSoftRead(omitting: omitted)
            return nil
        }
    }
}
