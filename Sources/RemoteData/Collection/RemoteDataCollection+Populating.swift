import Synchronization

// Loading everything, and starting over.
extension RemoteDataCollection {
    /// Loads every row that is not here, without blocking.
    ///
    /// After the first page several are under way at a time where the table can do that.
    ///
    /// - Parameter progress: Called after each page, on no particular thread.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked; the pages that came stay, and a later call goes on. With
    ///   code `tooLarge` when there are more rows than ``CollectionOptions/cacheLimit`` lets stay. When all
    ///   others are loaded, and the table has rows that cannot be read, the error of the first of these.
    public func populate(progress: (@Sendable (LoadProgress) -> Void)? = nil) async throws(RemoteDataError) {
        let id = beginLoad()
        defer { endLoad(id) }
        var isBegun = false
        while let (need, ahead) = try nextNeed(readsAhead: isBegun) {
            isBegun = true
            try await satisfy(need, ahead: ahead)
            for step in takeLoadSteps(id) { progress?(step) }
        }
        for step in takeLoadSteps(id) { progress?(step) }
        if let error = omissions() { throw error }
    }

    /// Loads every row that is not here; blocks until all are.
    ///
    /// After the first page several are under way at a time where the table can do that.
    ///
    /// - Parameter progress: Called after each page, on no particular thread.
    /// - Throws: ``RemoteDataError`` when the table cannot be asked, or a page does not come within the deadline. With
    ///   code `tooLarge` when there are more rows than ``CollectionOptions/cacheLimit`` lets stay. When all
    ///   others are loaded, and the table has rows that cannot be read, the error of the first of these.
    public func populate(progress: (@Sendable (LoadProgress) -> Void)? = nil) throws(RemoteDataError) {
        let id = beginLoad()
        defer { endLoad(id) }
        var isBegun = false
        while let (need, ahead) = try nextNeed(readsAhead: isBegun) {
            isBegun = true
            try blocking { () async throws(RemoteDataError) in
                try await self.satisfy(need, ahead: ahead)
            }
            for step in takeLoadSteps(id) { progress?(step) }
        }
        for step in takeLoadSteps(id) { progress?(step) }
        if let error = omissions() { throw error }
    }

    private func beginLoad() -> Int {
        state.withLock { state in
            let id = state.core.number()
            state.loadSteps[id] = []
            return id
        }
    }

    private func endLoad(_ id: Int) { state.withLock { $0.loadSteps[id] = nil } }

    /// How far each page has brought it since this was asked last; several may have come at a time.
    private func takeLoadSteps(_ id: Int) -> [LoadProgress] {
        state.withLock { $0.loadSteps.updateValue([], forKey: id) ?? [] }
    }

    /// What it takes to have the first page that is missing, and others to ask for at the same time; nil when none is.
    private func nextNeed(
        readsAhead: Bool
    ) throws(RemoteDataError) -> (CollectionState.Need, ahead: [Fetch])? {
        try state.withLock { state throws(RemoteDataError) in
            guard state.core.fitsInCache else {
                throw RemoteDataError(
                    .tooLarge,
                    "There are \(state.core.count) rows, more than the cache limit lets stay."
                )
            }
            if let gap = state.core.index.firstGap() {
                let need = state.core.need(base: gap.lowerBound, size: state.core.nextPage)
                return (need, readsAhead ? state.core.readEverythingAhead() : [])
            }
            let need = state.core.tailNeed()
            if case .nothing = need { return nil }
            return (need, [])
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

extension RemoteDataCollection.State {
    /// How many steps are kept for whoever has not told them yet.
    private static var stepLimit: Int { 64 }

    fileprivate var loadProgress: LoadProgress { LoadProgress(loaded: core.loadedCount, total: core.count) }

    /// A page was put in place.
    mutating func noteLoadStep() {
        let step = loadProgress
        for id in loadSteps.keys {
            if loadSteps[id]?.count == Self.stepLimit { loadSteps[id]?.removeFirst() }
            loadSteps[id]?.append(step)
        }
    }
}
