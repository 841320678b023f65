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
        state.withLock { $0.link = link }
        link.attach(
            { [weak self] waits in
                waits
                    ? self?.state.withLock { $0.takeNumber() }
                    : self?.state.withLockIfAvailable { $0.takeNumber() }
            },
            whenFailed: { [weak self] error in self?.note(.failed(error)) }
        )
    }

    /// Leaves the number of rows as it is for what the cache has not written yet.
    func detachLink() {
        guard let link else { return }
        let number = state.withLock { $0.takeNumber() }
        link.attach({ _ in number }, whenFailed: { _ in })
        link.settle()
    }

    /// The page of a fetch that is kept, and the fetch of it: more at once, where all rows stay, the more are
    /// here already.
    ///
    /// - Parameters:
    ///   - fetch: The fetch.
    ///   - link: The way to what is kept.
    ///   - isAwaited: Whether what was noted when it was asked for may bring it.
    /// - Returns: The page, and the fetch as it was answered.
    func kept(
        _ fetch: Fetch,
        _ link: CacheLink,
        awaiting isAwaited: Bool
    ) async -> (Page, Fetch)? {
        var larger = fetch.request
        if options.cacheLimit == nil, case .after = larger.start {
            larger.limit = Swift.max(larger.limit, Swift.min(loadedCount, 1_000))
        }
        // What has come by now is shown, as it is by a page of the table.
        await reach(state.withLock { $0.core.lastPending })
        let (underWay, number) = state.withLock { state in
            state.enterNotes()
            return (state.core.fetches.values.reduce(0) { $0 + $1.request.limit }, state.core.number())
        }
        link.flush()
        // Rows are not to come faster for long than they are kept.
        await link.waitForRoom(for: underWay)
        let page = await link.page(larger, awaiting: isAwaited)
        return page.map { ($0, Fetch(fetch, keptFor: larger, asOf: number)) }
    }

    /// Whether what was kept before changes were missed is all that is known: the table has not said anything yet.
    var awaitsTable: Bool {
        link != nil && state.withLock { !$0.hasHeard && $0.core.following != .off }
    }

    /// Uses what has come to be kept since a fetch was made, because the table cannot be reached.
    ///
    /// - Returns: Whether there was something.
    func takeKeptPage(for fetch: Fetch) async -> Bool {
        guard let link else { return false }
        let number = state.withLock { state in
            state.enterNotes()
            return state.core.number()
        }
        link.flush()
        guard let page = await link.page(fetch.request, awaiting: true),
            state.withLock({ $0.core.fetches[fetch.id] != nil })
        else { return false }
        do throws(RemoteDataError) {
            try take(page, for: Fetch(fetch, keptFor: fetch.request, asOf: number))
            return true
        } catch {
            return false
        }
    }

    /// Uses what was kept before changes were missed, because the table cannot be reached, or has not said anything yet.
    ///
    /// - Returns: Whether there was something.
    func takeStalePage(for fetch: Fetch) async -> Bool {
        let number = state.withLock { $0.core.number() }
        guard let link, let page = await link.page(fetch.request, stale: true) else { return false }
        // Once the table can be reached again, everything is compared with it; that is so before anybody sees the rows.
        let isWanted = state.withLock { state in
            // Whoever waits for one whose answer was of no use, or that has been given up, is to hear of that.
            guard state.core.fetches[fetch.id] != nil else { return false }
            if state.core.following != .off { state.core.needsResync = true }
            return true
        }
        guard isWanted else { return false }
        defer { scheduleDelivery() }
        do throws(RemoteDataError) {
            try take(page, for: Fetch(fetch, keptFor: fetch.request, asOf: number))
            return true
        } catch {
            return false
        }
    }
}

extension RemoteDataCollection.State {
    /// Has the cache know what is here now; whoever does calls ``CacheLink/flush()`` when the lock has been let go of.
    mutating func enterNotes() {
        guard !core.notes.isEmpty else { return }
        link?.enter(core.notes)
        core.notes = []
    }

    /// Has the cache know what is here now.
    ///
    /// - Returns: How many rows there are.
    fileprivate mutating func takeNumber() -> CacheLink.Number {
        enterNotes()
        return core.kept
    }
}

extension CollectionState {
    /// What is to be kept of the number of rows.
    fileprivate var kept: CacheLink.Number {
        CacheLink.Number(
            count: Count(count, revision: following == .off ? counted : applied),
            isExact: isExact && repair == nil && !needsResync
        )
    }
}
