import Synchronization

// The positions of a collection.
extension RemoteDataCollection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }

    /// The number of rows; O(1), no request.
    public var endIndex: Int { count }

    /// The row at a position.
    ///
    /// Blocks when it is not here: one request for the page around it. Where blocking or a missing row must not stop the
    /// program, use ``row(at:)`` or ``loadedRow(at:)``.
    ///
    /// - Complexity: O(1) for most rows that are here; O(log n) for the first ones after a change, while rows are held at positions,
    ///   and where ``CollectionOptions/cacheLimit`` is set.
    /// - Precondition: The position is in `indices` at this moment; the table answers before the deadline; the row decodes.
    @inlinable
    public subscript(position: Int) -> Element {
        noteReading()
        if let element = positions.element(at: position) { return element }
        return readRow(at: position)
    }

    @usableFromInline
    func readRow(at position: Int) -> Element {
        // `fatalError` and not `preconditionFailure`, whose message optimized builds leave out.
        switch softRow(at: position) {
        case .row(let element): return element
        case .outside:
            fatalError(
                "There is no row \(position); the collection has \(count) rows now. If it was there before, a change took it"
                    + " away: index on the delivery queue or a snapshot(), or use row(at:)."
            )
        case .undecodable(let error):
            fatalError("Row \(position) does not decode: \(error). Use row(at:) to handle this.")
        case .failed:
            let reason = iterationError.map { "\($0)" } ?? "the reason is gone"
            fatalError("Row \(position) could not be read: \(reason). Use row(at:) to handle this.")
        }
    }

    /// The rows at some positions; asks nothing yet.
    public subscript(bounds: Range<Int>) -> RemoteDataSlice<Element> {
        precondition(
            bounds.lowerBound >= 0 && bounds.upperBound <= count,
            "There are no rows \(bounds); the collection has \(count) rows."
        )
        return RemoteDataSlice(base: self, bounds: bounds)
    }

    /// The first row that decodes; nil when there is none.
    ///
    /// Blocks like an iteration, and like one ends early, with nil, where the table cannot be reached.
    public var first: Element? {
        var iterator = makeIterator()
        return iterator.next()
    }

    /// The last row that decodes; nil when there is none.
    ///
    /// Blocks like an iteration, and like one ends early, with nil, where the table cannot be reached.
    public var last: Element? {
        beginSoftRead()
        var omitted = OmittedRows()
        defer { endSoftRead(omitting: omitted) }
        var position = count - 1
        while position >= 0 {
            switch softRow(at: position) {
            case .row(let element): return element
            case .undecodable(let error):
                omitted.note(error)
                position -= 1
            case .outside: position = Swift.min(position, count) - 1
            case .failed: return nil
            }
        }
        return nil
    }

    /// The next position.
    public func index(after position: Int) -> Int { position + 1 }

    /// The previous position.
    public func index(before position: Int) -> Int { position - 1 }

    /// A position so far away.
    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    /// How far apart two positions are.
    public func distance(from start: Int, to end: Int) -> Int { end - start }
}
