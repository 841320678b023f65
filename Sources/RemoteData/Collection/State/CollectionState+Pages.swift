// Putting pages in place.
extension CollectionState {
    /// What became of a page.
    enum Reception: Sendable {
        /// It is in place; these changes, applied on the way, are to be told.
        case merged([Applied])
        /// It was read after a revision whose changes have not all come yet; those that have are applied and to be told.
        case waits([Applied])
        /// The collection started over meanwhile, or the table has.
        case outdated
    }

    /// Takes the answer to a fetch.
    ///
    /// Rows that cannot be read, and those that come twice, are left out and wait in ``failures``.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - fetch: The fetch.
    ///   - mayMove: Whether positions of rows may change now; a page that could move some waits otherwise.
    ///   - cameSoon: Whether it came so soon that a larger one may be asked for.
    /// - Returns: What became of the page.
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when the rows are not in the order asked for.
    mutating func receive(
        _ answer: Answer,
        for fetch: Fetch,
        mayMove: Bool = true,
        cameSoon: Bool = true
    ) throws(RemoteDataError) -> Reception {
        guard let asked = fetches[fetch.id]?.request.limit else { return .outdated }
        let page = answer.page
        guard isOfThisHistory(page.revision) || fetch.isKept else {
            // The rows are compared with the table first, and then it is read again.
            loseTrack()
            fetches[fetch.id] = nil
            return .outdated
        }
        do throws(RemoteDataError) {
            try checkPlaces(fetch)
            try check(answer, fetch)
            try checkProgress(page, fetch)
        } catch {
            // In place of what was kept the table is asked.
            if !fetch.isKept { fetches[fetch.id] = nil }
            throw error
        }
        // What is kept may come in larger pages than were asked for.
        if fetch.request.limit > asked {
            lastLimit = fetch.request.limit
        } else if !fetch.isKept {
            lastLimit = 0
        }
        notePage(of: asked, cameSoon: cameSoon)
        noteUnreadable(page.failures)
        guard mayMove || fits(page) else {
            waiting.append((fetch, page))
            return .waits([])
        }
        var told: [Applied] = []
        if let read = page.revision, isToCome(read) {
            told = applyPending(through: read)
            if isToCome(read), expectsChanges {
                waiting.append((fetch, page))
                return .waits(told)
            }
        }
        merge(page, fetch)
        evict(keeping: [page])
        return .merged(told)
    }

    /// Whether a page goes where rows are known to be missing, and moves nothing.
    private func fits(_ page: Page) -> Bool {
        guard isExact, let read = page.revision else { return false }
        return applied.map { read <= $0 } ?? (read == counted)
    }

    /// A fetch came to nothing.
    mutating func fail(_ fetch: Fetch) {
        if fetches[fetch.id] != nil { notePage(of: fetch.request.limit, cameSoon: false) }
        fetches[fetch.id] = nil
        trimLog()
    }

    /// Puts in place the pages whose revision has been reached, or every one when `force` is set.
    ///
    /// - Returns: The fetches that are done.
    mutating func mergeWaiting(force: Bool = false) -> [Fetch] {
        let ready = waiting.filter { item in
            guard !force, expectsChanges, let applied, let read = item.page.revision else { return true }
            return read <= applied
        }
        guard !ready.isEmpty else { return [] }
        waiting.removeAll { item in ready.contains { $0.fetch.id == item.fetch.id } }
        for item in ready { merge(item.page, item.fetch) }
        evict(keeping: ready.map(\.page))
        return ready.map(\.fetch)
    }

    /// - Throws: ``RemoteDataError`` with code `unavailable` for rows of a cache whose places have been
    ///   forgotten since.
    private func checkPlaces(_ fetch: Fetch) throws(RemoteDataError) {
        guard let asked = fetch.keptAsOf, asked < placedAt else { return }
        throw RemoteDataError(.unavailable, "The places of kept rows were forgotten.")
    }

    mutating func check(_ answer: Answer, _ fetch: Fetch) throws(RemoteDataError) {
        let page = answer.page
        let size = page.rows.count + page.failures.count
        guard size <= fetch.request.limit else {
            throw RemoteDataError(
                .invalidAnswer,
                "The table sent \(size) rows where at most \(fetch.request.limit) were asked for."
            )
        }
        guard isOfThisHistory(page.revision) else {
            if !fetch.isKept { loseTrack() }
            throw RemoteDataError(
                .unavailable,
                "The table has begun anew: its answer is of another epoch than the loaded rows, which are"
                    + " compared with the table first."
            )
        }
        if let read = page.revision, let floor = fetch.floor, floor.isLater(than: read) {
            throw RemoteDataError(
                .unavailable,
                "The table answered as of revision \(read), but has already told of revision \(floor)."
            )
        }
        guard let position = answer.firstOutOfOrder else { return }
        throw RemoteDataError(.invalidAnswer, "Row \(position) of the page is not in the order asked for.")
    }
}
