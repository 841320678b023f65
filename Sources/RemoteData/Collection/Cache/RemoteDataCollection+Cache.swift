import RemoteDataExecution
import Synchronization

/// What a collection begins with.
struct Opening: Sendable {
    /// How many rows there are.
    let count: Count
    /// What goes to the cache; nil without one.
    var link: CacheLink?
    /// Whether that is what was kept, rather than what the table says now.
    var isRestored = false
    /// Whether all that is kept is right at the revision of the count.
    var isOfOneMoment = true
    /// What places the kept rows have, see ``KeptQuery/placedKeys``.
    var placedKeys: [Key] = []

    init(count: Count) { self.count = count }

    /// Takes what is kept of a query, without asking the table; or else counts.
    ///
    /// Where changes are not followed the table is asked first, and what is kept counts only when it has not changed since, or
    /// when the table cannot be reached.
    init(
        _ table: any Table,
        _ query: Query,
        _ options: CollectionOptions,
        _ cache: (any CollectionCache)?
    ) async throws(RemoteDataError) {
        let link = (cache as? any QueryCache).map {
            CacheLink($0, table: table, query: query, options: options)
        }
        self.link = link
        let kept = await link?.restore()
        placedKeys = kept?.placedKeys ?? []
        if let kept, options.isLive, table.capabilities.liveChanges {
            count = kept.count
            (isRestored, isOfOneMoment) = (true, kept.isOfOneMoment)
            link?.begin(at: count.revision, with: kept)
            return
        }
        do throws(RemoteDataError) {
            count = try await table.count(query)
            let isSame = kept.map { $0.isOfOneMoment && count.revision != nil && $0.count == count } ?? false
            link?.begin(at: count.revision, with: isSame ? kept : nil)
        } catch {
            guard let kept, error.isTransient else { throw error }
            count = kept.count
            (isRestored, isOfOneMoment) = (true, kept.isOfOneMoment)
            link?.begin(at: count.revision, with: kept)
        }
    }
}

// What goes to the cache, and what comes from it.
extension RemoteDataCollection {
    func attachLink() {
        guard let link else { return }
        state.withLock { state in
            state.core.keepsFound = true
            state.link = link
        }
        link.attach(
            number: { [weak self] waits in
                waits
                    ? self?.state.withLock { $0.core.kept } : self?.state.withLockIfAvailable { $0.core.kept }
            },
            whenFailed: { [weak self] error in self?.note(.failed(error)) }
        )
    }

    /// Leaves the number of rows as it is for what the cache has not written yet.
    func detachLink() {
        guard let link else { return }
        let kept = state.withLock { $0.core.kept }
        link.attach(number: { _ in kept }, whenFailed: { _ in })
        link.settle()
    }

    /// Asks the table for a page, uses it, and has the cache keep it.
    func noting<Result>(
        _ request: PageRequest,
        _ use: (Page) throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        guard let link else { return try use(try await source.page(request)) }
        let number = link.beginRequest()
        defer { link.endRequest(number) }
        let page = try await source.page(request)
        // Before anybody sees the rows, so that they are written when whoever has seen them closes the cache.
        link.note(page, for: request, number)
        do throws(RemoteDataError) { return try use(page) } catch {
            link.note(.lost)
            throw error
        }
    }

    /// The page of a request that is kept, and what was asked for in its place: more at once, where all rows stay, the more are
    /// here already.
    func kept(_ request: PageRequest, _ link: CacheLink) async -> (Page, PageRequest)? {
        var larger = request
        if options.cacheLimit == nil, case .after = request.start {
            larger.limit = Swift.max(request.limit, Swift.min(loadedCount, 1_000))
        }
        return await link.page(larger).map { ($0, larger) }
    }

    /// Whether what was kept before changes were missed is all that is known: the table has not said anything yet.
    var awaitsTable: Bool {
        guard let link, link.isUnheard else { return false }
        return state.withLock { $0.core.following != .off }
    }

    /// Uses what was kept before changes were missed, because the table cannot be reached, or has not said anything yet.
    ///
    /// - Returns: Whether there was something.
    func takeStalePage(for fetch: Fetch) async -> Bool {
        guard let link, let page = await link.page(fetch.request, stale: true) else { return false }
        // Once the table can be reached again, everything is compared with it; that is so before anybody sees the rows.
        state.withLock { state in
            guard state.core.following != .off else { return }
            state.core.needsResync = true
            state.noteStatus(.reset)
        }
        defer { scheduleDelivery() }
        do throws(RemoteDataError) {
            try take(page, for: fetch)
            return true
        } catch {
            return false
        }
    }

    /// Has the cache know that what is here is right again, and nothing else known to be.
    func noteVerified() {
        guard let link else { return }
        // Together, so that it is of the moment of what the cache has heard.
        state.withLock { state in
            link.enter(state.core.found.map { .ownChange($0) })
            state.core.found = []
            let coverage = state.core.coverage(idColumn: table.idColumn, isTold: true)
            let stretches = coverage.intervals.map { interval in
                KeyInterval(
                    lower: interval.reachesStart ? nil : .init(key: interval.first, isIncluded: true),
                    upper: interval.reachesEnd ? nil : .init(key: interval.last, isIncluded: true)
                )
            }
            link.enter([.verified(stretches, state.core.applied)])
            guard state.core.shown != nil else { return }
            state.core.shown = KeyIntervals()
            for stretch in stretches { state.core.shown?.insert(stretch, sort: query.sort) }
        }
        link.flush()
    }
}

extension CollectionState {
    /// What is to be kept of the number of rows.
    fileprivate var kept: CacheLink.Number {
        CacheLink.Number(
            count: Count(count, revision: following == .off ? counted : applied),
            isExact: isExact && repair == nil && !needsResync,
            isLoaded: isLoaded && held.isEmpty
        )
    }
}
