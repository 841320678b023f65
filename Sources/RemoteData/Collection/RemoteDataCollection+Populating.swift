import Synchronization

// Loading everything, and starting over.
extension RemoteDataCollection {
    /// Loads every row that is not here, page by page, without blocking.
    ///
    /// - Parameter progress: Called after each page, on no particular thread.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked; the pages that came stay, and a later call goes on. With
    ///   code `tooLarge` when there are more rows than ``CollectionOptions/cacheLimit`` lets stay.
    public func populate(progress: (@Sendable (LoadProgress) -> Void)? = nil) async throws(RemoteDataError) {
        while let need = try nextNeed() {
            try await satisfy(need)
            progress?(state.withLock { LoadProgress(loaded: $0.core.loadedCount, total: $0.core.count) })
        }
    }

    /// Loads every row that is not here; blocks until all are.
    ///
    /// - Parameter progress: Called after each page, on no particular thread.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or a page does not come within the deadline. With
    ///   code `tooLarge` when there are more rows than ``CollectionOptions/cacheLimit`` lets stay.
    public func populate(progress: (@Sendable (LoadProgress) -> Void)? = nil) throws(RemoteDataError) {
        while let need = try nextNeed() {
            try blocking { () async throws(RemoteDataError) in
                try await self.satisfy(need)
            }
            progress?(state.withLock { LoadProgress(loaded: $0.core.loadedCount, total: $0.core.count) })
        }
    }

    private func nextNeed() throws(RemoteDataError) -> CollectionState.Need? {
        try state.withLock { state throws(RemoteDataError) in
            guard state.core.fitsInCache else {
                throw RemoteDataError(
                    .tooLarge,
                    "There are \(state.core.count) rows, more than the cache limit lets stay."
                )
            }
            if let gap = state.core.index.firstGap() { return state.core.need(base: gap.lowerBound) }
            let need = state.core.tailNeed()
            if case .nothing = need { return nil }
            return need
        }
    }

    /// Counts anew and forgets every row, so that reading asks the table again; does not block.
    ///
    /// Rows inserted at a position lose it. Handlers are told `dataLoaded`.
    ///
    /// - Throws: ``RemoteDataError`` when the table cannot be asked; nothing is then forgotten.
    public func refresh() async throws(RemoteDataError) { try await restart() }

    /// Counts anew and forgets every row, so that reading asks the table again; blocks for one request.
    ///
    /// - Throws: ``RemoteDataError`` when the table cannot be asked; nothing is then forgotten.
    public func refresh() throws(RemoteDataError) {
        try blocking { () async throws(RemoteDataError) in
            try await self.restart()
        }
    }
}
