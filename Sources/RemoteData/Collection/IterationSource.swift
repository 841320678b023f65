import Synchronization

/// One iteration under way; it ends with its last holder.
///
/// The rows of up to a page are taken from the collection at a time, each chunk of them decoded when it is its turn, and
/// what they decode to is handed back with the next ones.
@usableFromInline
final class IterationSource<Element: Codable & Identifiable & Sendable>: Sendable {
    let collection: RemoteDataCollection<Element>
    private let id: Int
    private let batch = Mutex(IterationBatch())
    private let omitted = Mutex(OmittedRows())

    init(_ collection: RemoteDataCollection<Element>) {
        self.collection = collection
        id = collection.state.withLock { $0.core.beginIteration() }
    }

    deinit {
        let decoded = batch.withLock { $0.takeDecoded() }
        collection.state.withLock { state in
            state.core.keep(decoded)
            state.core.endIteration(id)
        }
    }

    /// The next rows.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for changes; nil for the collection's deadline.
    ///   - notifies: Whether the error handler is called for what ends the iteration although no request fails.
    /// - Returns: Nil at the end.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or rows may have been left out.
    func next(
        within limit: Duration? = nil,
        notifies: Bool = false
    ) async throws(RemoteDataError) -> ChunkPart? {
        let deadline = Deadline(
            limit ?? collection.options.deadline,
            clock: collection.options.surroundings.deadlineClock
        )
        while true {
            let (step, ahead) = step()
            switch step {
            case .rows(let part): return part
            case .wait(let fetch): try await collection.wait(for: fetch, starting: false, ahead: ahead)
            case .fetch(let fetch): try await collection.wait(for: fetch, starting: true, ahead: ahead)
            case .repair: try await collection.waitForRepair()
            case .changes, .lost:
                do throws(RemoteDataError) {
                    if case .lost = step { throw Self.lost }
                    try await collection.waitForChanges(of: id, within: deadline.remaining)
                } catch {
                    if notifies, error.code != .cancelled { _ = collection.note(.failed(error)) }
                    throw error
                }
            case .end: return nil
            }
        }
    }

    private static var lost: RemoteDataError {
        RemoteDataError(
            .gone,
            "Which rows the iteration has returned is no longer known, because they were removed from memory"
                + " and changed meanwhile. Start another iteration, or set no limit for rows in memory."
        )
    }

    /// The next elements, blocking while they come.
    ///
    /// - Returns: Nil at the end and when the table could not be reached in time.
    func nextBlocking() -> ElementRuns<Element>? {
        guard let part = nextPart() else {
            collection.endSoftRead(omitting: omitted.withLock(\.self), isWhole: true)
            return nil
        }
        return runs(from: decode(part), of: part)
    }

    private func nextPart() -> ChunkPart? {
        let (step, ahead) = step()
        return switch step {
        case .rows(let part): part
        case .end: nil
        case .wait(let fetch): block(on: fetch, starting: false, ahead)
        case .fetch(let fetch): block(on: fetch, starting: true, ahead)
        case .repair, .changes, .lost: goOn()
        }
    }

    /// The error of an iteration that has come to its end but left rows out; nil where it has left none out.
    var omissions: RemoteDataError? { collection.omissions(omitted.withLock(\.self)) }

    /// What the rows of a part decode to.
    func decode(_ part: ChunkPart) -> DecodedChunk<Element> {
        if let decoded = part.decoded as? DecodedChunk<Element> { return decoded }
        let decoded = collection.codec.decode(part.rows)
        if decoded.failures.isEmpty {
            batch.withLock { $0.note(decoded, of: part) }
        } else {
            collection.keep(decoded, of: part)
        }
        return decoded
    }

    /// The elements of a part, those that do not decode left out, and those of the decoded parts after it.
    func runs(from decoded: DecodedChunk<Element>, of part: ChunkPart) -> ElementRuns<Element> {
        guard decoded.failures.isEmpty else {
            omitted.withLock { $0.note(decoded, in: part.range) }
            let elements = part.range.compactMap { try? decoded.element(at: $0) }
            return ElementRuns([ElementRun(elements, elements.indices)])
        }
        var runs = [ElementRun(decoded.elements, part.range)]
        for part in batch.withLock({ $0.takeDecodedParts() }) {
            guard let chunk = part.decoded as? DecodedChunk<Element> else { continue }
            runs.append(ElementRun(chunk.elements, part.range))
        }
        return ElementRuns(runs)
    }

    /// What comes next, and which pages to ask for as well; in front of rows these are asked for already.
    private func step() -> (CollectionState.Step, ahead: [Fetch]) {
        if let part = batch.withLock({ $0.takePart() }) { return (.rows(part), []) }
        let (decoded, size) = batch.withLock { ($0.takeDecoded(), $0.size) }
        let readAhead = collection.options.readAhead
        let (step, more, ahead) = collection.state.withLock { state in
            state.core.keep(decoded)
            return state.core.step(id, rows: size, pagesAhead: readAhead)
        }
        guard case .rows = step else { return (step, ahead) }
        batch.withLock { $0.add(more, pageSize: collection.options.largestPageSize) }
        for fetch in ahead { collection.start(fetch) }
        return (step, [])
    }

    /// Parks the thread until a page has come that brings the next rows.
    private func block(on fetch: Fetch, starting: Bool, _ ahead: [Fetch]) -> ChunkPart? {
        // What holds up the delivery queue has changes applied meanwhile.
        guard !collection.options.delivery.isCurrent() else {
            return goOn { [collection] () async throws(RemoteDataError) in
                try await collection.wait(for: fetch, starting: starting, ahead: ahead)
            }
        }
        let deadline = Deadline(collection.options.deadline, clock: ContinuousClock())
        var (fetch, starting, ahead) = (fetch, starting, ahead)
        while true {
            let limit = deadline.remaining
            do throws(RemoteDataError) {
                try collection.block(on: fetch, starting: starting, ahead: ahead, atMost: limit)
            } catch {
                let left = deadline.remaining
                if error.isTransient, left > .zero {
                    return goOn(within: left) { () async throws(RemoteDataError) in throw error }
                }
                collection.state.withLock { $0.iterationError = error }
                return nil
            }
            let next = step()
            ahead = next.ahead
            switch next.0 {
            case .rows(let part): return part
            case .end: return nil
            case .wait(let other): (fetch, starting) = (other, false)
            case .fetch(let other): (fetch, starting) = (other, true)
            case .repair, .changes, .lost: return goOn(within: max(.zero, deadline.remaining))
            }
        }
    }

    /// Blocks until the next rows have come, on the library's own threads.
    ///
    /// - Parameters:
    ///   - limit: For how long; nil for the collection's deadline.
    ///   - first: What comes before, once; where it fails for a reason that may pass, it is gone on.
    /// - Returns: The rows; nil at the end and when they could not be read in time.
    private func goOn(
        within limit: Duration? = nil,
        after first: @escaping @Sendable () async throws(RemoteDataError) -> Void = {
            () async throws(RemoteDataError) in
        }
    ) -> ChunkPart? {
        let isFirst = Mutex(true)
        return collection.softly(within: limit) { [self] () async throws(RemoteDataError) in
            let comesFirst = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            if comesFirst { try await first() }
            return try await next(within: limit, notifies: true)
        } ?? nil
    }
}
