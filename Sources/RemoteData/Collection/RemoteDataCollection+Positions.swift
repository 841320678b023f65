import Synchronization

// Rows by position.
extension RemoteDataCollection {
    /// What a position holds, without asking the table.
    enum Lookup: Sendable {
        /// The row is in this part of a chunk, at this offset of it.
        case here(ChunkPart, Int)
        /// The row is not here.
        case elsewhere(CollectionState.Need)
        /// There is no such position.
        case outside(count: Int)
    }

    func lookUp(_ position: Int) -> Lookup {
        noteReading()
        return state.withLock { state in
            guard (0..<state.core.count).contains(position) else { return .outside(count: state.core.count) }
            positions.noteReading(position)
            switch state.core.held.location(of: position) {
            case .held(let index): return .here(ChunkPart(rows: [state.core.held.rows[index].row]), 0)
            case .base(let base):
                guard let (node, offset) = state.core.index.chunk(at: base) else {
                    return .elsewhere(state.core.need(base: base))
                }
                state.core.use(node)
                return .here(state.core.index.part(node), offset)
            }
        }
    }

    /// The row at a position where it is in a chunk that is decoded as a whole; nil otherwise, and where it is held.
    ///
    /// What ``lookUp(_:)`` and ``decode(_:)`` lead to as well, with as little as that takes.
    func decodedRow(at position: Int) -> Element? {
        noteReading()
        if let element = positions.element(at: position) { return element }
        return state.withLock { state in
            guard (0..<state.core.count).contains(position),
                case .base(let base) = state.core.held.location(of: position),
                let (node, offset) = state.core.index.chunk(at: base),
                let chunk = state.core.index.chunks[node].decoded as? DecodedChunk<Element>,
                chunk.failures.isEmpty
            else { return nil }
            state.core.use(node)
            state.noteSearch(chunk, at: position)
            return chunk.elements[offset]
        }
    }

    /// What the rows of a part decode to; kept for the next reader.
    func decode(_ part: ChunkPart) -> DecodedChunk<Element> {
        if let decoded = part.decoded as? DecodedChunk<Element> { return decoded }
        let decoded = codec.decode(part.rows)
        keep(decoded, of: part)
        return decoded
    }

    /// Keeps what the rows of a part decode to, and reports those that do not.
    func keep(_ decoded: DecodedChunk<Element>, of part: ChunkPart) {
        state.withLock { state in
            state.core.keep(decoded, of: part)
            for offset in decoded.failures.keys.sorted() where state.isNews(part.rows[offset]) {
                if let failure = decoded.failures[offset] { state.notices.append(.failed(failure)) }
            }
        }
        guard let first = decoded.failures.min(by: { $0.key < $1.key }) else { return }
        logOmission(first.value)
        scheduleDelivery()
    }

    /// The row at a position, fetched with the page around it when it is not here.
    ///
    /// Does not block. One request at most in the usual case.
    ///
    /// - Parameter position: Counted from zero.
    /// - Returns: The row.
    /// - Throws: ``RemoteDataError``: `outOfRange` for a position that is not, or no longer, there; `invalidRow` for a
    ///   row that does not decode; else why the table could not be asked.
    public func row(at position: Int) async throws(RemoteDataError) -> Element {
        if let element = decodedRow(at: position) { return element }
        while true {
            switch lookUp(position) {
            case .here(let part, let offset): return try decode(part).element(at: offset)
            case .elsewhere(.nothing): continue
            case .elsewhere(.wait(let fetch)): try await wait(for: fetch, starting: false)
            case .elsewhere(.fetch(let fetch)): try await wait(for: fetch, starting: true)
            case .elsewhere(.repair): try await waitForRepair()
            case .outside(let count):
                throw RemoteDataError(
                    .outOfRange,
                    "There is no row \(position); the collection has \(count) rows now."
                )
            }
        }
    }

    /// The row at a position if it is here; otherwise nil, and its page is asked for.
    ///
    /// Never blocks. For a table view's cells: show a placeholder for nil, and the row when ``changes`` or the
    /// request handlers tell that something came. Nil too for a position that is not there and for a row that does
    /// not decode.
    public func loadedRow(at position: Int) -> Element? {
        if let element = decodedRow(at: position) { return element }
        switch lookUp(position) {
        case .here(let part, let offset): return try? decode(part).element(at: offset)
        case .elsewhere(.fetch(let fetch)):
            start(fetch)
            return nil
        case .elsewhere, .outside: return nil
        }
    }

    /// Fetches the rows of a range that are not here, without blocking.
    ///
    /// - Parameter range: Positions; those that are not there are left out, and so are those behind as many as
    ///   ``CollectionOptions/cacheLimit`` lets stay.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked; the pages that came stay.
    public func prefetch(_ range: Range<Int>) async throws(RemoteDataError) {
        var position = range.lowerBound
        let limit = options.cache?.rows ?? .max
        let (end, isOver) = position.addingReportingOverflow(limit)
        let upper = isOver ? range.upperBound : Swift.min(end, range.upperBound)
        while let missing = firstMissing(in: position..<upper) {
            position = missing
            if case .elsewhere(let need) = lookUp(missing) { try await satisfy(need) }
        }
    }

    func satisfy(_ need: CollectionState.Need, ahead: [Fetch] = []) async throws(RemoteDataError) {
        switch need {
        case .nothing: break
        case .wait(let fetch): try await wait(for: fetch, starting: false, ahead: ahead)
        case .fetch(let fetch): try await wait(for: fetch, starting: true, ahead: ahead)
        case .repair: try await waitForRepair()
        }
    }

    private func firstMissing(in range: Range<Int>) -> Int? {
        state.withLock { state in
            var position = Swift.max(0, range.lowerBound)
            let end = Swift.min(range.upperBound, state.core.count)
            while position < end {
                guard case .base(let base) = state.core.held.location(of: position) else {
                    position += 1
                    continue
                }
                guard let gap = state.core.index.firstGap(from: base) else { return nil }
                let first = state.core.held.position(ofBase: Swift.max(base, gap.lowerBound))
                return first < end ? first : nil
            }
            return nil
        }
    }
}

extension RemoteDataCollection.State {
    /// Notes that a row has been searched for, and makes a directory where there were many.
    fileprivate mutating func noteSearch(_ chunk: DecodedChunk<Element>, at position: Int) {
        positions.noteReading(position)
        guard layout == nil else { return positions.add(chunk, at: position) }
        searches += 1
        // Where not all rows may stay, those that are read have to be found in the index, which notes it.
        guard searches > core.index.nodes.count / 4, core.cache == nil, core.held.isEmpty,
            core.index.fitsDirectory
        else { return }
        positions.begin(with: core.index)
        layout = core.layout
    }

    mutating func dropPositions() {
        positions.drop()
        (layout, searches) = (nil, 0)
    }
}
