import Synchronization

// Reading that ends early instead of trapping.
extension RemoteDataCollection {
    /// What a position holds.
    enum SoftRow: Sendable {
        case row(Element)
        /// A row that does not decode, and why; the error handler is called.
        case undecodable(RemoteDataError)
        /// There is no such position, or no longer.
        case outside
        /// The table could not be asked; ``iterationError`` says why.
        case failed
    }

    /// The row at a position; blocks when it is not here.
    func softRow(at position: Int) -> SoftRow {
        if let element = decodedRow(at: position) { return .row(element) }
        let lookup = lookUp(position)
        switch lookup {
        case .here(let part, let offset): return softRow(part, offset)
        case .outside: return .outside
        case .elsewhere: break
        }
        // What was found missing counts as under way already.
        let first = Mutex<Lookup?>(lookup)
        return softly { [self] () async throws(RemoteDataError) in
            while true {
                switch first.withLock({ $0.take() }) ?? lookUp(position) {
                case .here(let part, let offset): return softRow(part, offset)
                case .elsewhere(let need): try await satisfy(need)
                case .outside: return .outside
                }
            }
        } ?? .failed
    }

    private func softRow(_ part: ChunkPart, _ offset: Int) -> SoftRow {
        do throws(RemoteDataError) {
            return .row(try decode(part).element(at: offset))
        } catch {
            return .undecodable(error)
        }
    }

    /// Blocks while work is done, again and again where it fails for a reason that may pass.
    ///
    /// - Parameters:
    ///   - limit: For how long; nil for the collection's deadline.
    ///   - body: The work.
    /// - Returns: Nil when the deadline has passed or the work has failed for good, which ``iterationError`` and the error
    ///   handler tell.
    func softly<Value: Sendable>(
        within limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
    ) -> Value? {
        do throws(RemoteDataError) {
            return try blocking(atMost: limit ?? options.deadline) {
                [self] () async throws(RemoteDataError) in
                try await persistently(within: limit, body)
            }
        } catch {
            state.withLock { $0.iterationError = error }
            return nil
        }
    }
}
