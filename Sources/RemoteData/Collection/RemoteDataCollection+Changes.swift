import RemoteDataExecution
import Synchronization

// Events from the table, and what is told of them.
extension RemoteDataCollection {
    /// How many undelivered changes a collection keeps; more become a gap, and the rows are read anew.
    static var pendingLimit: Int { 100_000 }

    /// Takes events as they come.
    ///
    /// They are applied on the delivery queue, or at once as far as a reader or writer waits for them: it may be parked
    /// on that very queue.
    func receive(_ events: [ChangeEvent]) {
        let waiters = state.withLock { state in
            state.core.pending += events
            for event in events { state.noteStatus(event) }
            if state.core.pending.count > Self.pendingLimit { state.core.losePending() }
            return state.catchUp()
        }
        for waiter in waiters { waiter.resume(.success(())) }
        scheduleDelivery()
    }

    /// Has the delivery queue apply what is pending and tell what is to be told.
    func scheduleDelivery() {
        let isNew = state.withLock { state in
            defer { state.isDeliveryScheduled = true }
            return !state.isDeliveryScheduled
        }
        if isNew { options.delivery.run { self.deliver() } }
    }

    private func deliver() {
        let (notices, waiters, needsResync, needsCount) = state.withLock { state in
            state.isDeliveryScheduled = false
            if !state.isResyncing { state.notices += state.core.applyPending().map { .changed($0) } }
            let waiters = state.takeReady()
            let needsResync = state.core.needsResync && !state.isResyncing
            if needsResync { state.isResyncing = true }
            let needsCount =
                state.core.isCountDoubtful && state.core.isLive && !needsResync && !state.isRecounting
            if needsCount { state.isRecounting = true }
            defer { state.notices = [] }
            return (state.notices, waiters, needsResync, needsCount)
        }
        for waiter in waiters { waiter.resume(.success(())) }
        for notice in notices { tell(notice) }
        if needsResync {
            Task(executorPreference: WorkerExecutor.shared) { [weak self] in await Self.resync { self } }
        }
        if needsCount {
            Task(executorPreference: WorkerExecutor.shared) { [weak self] in await Self.recount { self } }
        }
    }

    /// Counts until the count and the changes are of the same moment, then corrects the size of the gaps.
    private static func recount(_ collection: @Sendable () -> RemoteDataCollection?) async {
        for attempt in 0..<10 {
            guard await collection()?.attemptRecount() == false, let clock = collection()?.options.clock
            else { break }
            let wait = Backoff().delay(afterFailures: attempt + 1)
            guard (try? await clock.sleep(for: wait)) != nil else { break }
        }
        guard let collection = collection() else { return }
        collection.state.withLock { $0.isRecounting = false }
        collection.scheduleDelivery()
    }

    private func attemptRecount() async -> Bool {
        let count = try? await request { () async throws(RemoteDataError) in
            try await self.table.count(self.query.filter)
        }
        return state.withLock { state in
            state.notices += state.core.applyPending().map { .changed($0) }
            let isSettled = count.map { state.core.settle($0) } ?? false
            state.noteLoading()
            return isSettled
        }
    }

    /// Changes may have been missed: counts anew, forgets the rows, and goes on from there.
    ///
    /// The collection is let go between two attempts.
    private static func resync(_ collection: @Sendable () -> RemoteDataCollection?) async {
        var attempt = 0
        while let failure = await collection()?.attemptResync() {
            guard let clock = collection()?.options.clock else { return }
            let wait = Backoff().delay(afterFailures: attempt + 1, atLeast: failure.retryAfter)
            attempt += 1
            guard (try? await clock.sleep(for: wait)) != nil else { return }
        }
    }

    /// - Returns: Why it has to be tried again; nil when it is done.
    private func attemptResync() async -> RemoteDataError? {
        do throws(RemoteDataError) { try await restart() } catch { return error }
        state.withLock { $0.isResyncing = false }
        scheduleDelivery()
        return nil
    }

    /// Counts, and starts over.
    func restart() async throws(RemoteDataError) {
        let watch = state.withLock { $0.core.beginWatch() }
        defer { state.withLock { $0.core.endWatch(watch) } }
        let count = try await request { () async throws(RemoteDataError) in
            try await self.table.count(self.query.filter)
        }
        let waiters = state.withLock { state in
            let fetches = Array(state.core.fetches.values)
            state.core.reset(to: count, since: watch)
            state.notices.append(.changed(Applied(type: .dataLoaded, revision: count.revision)))
            return state.takeWaiters(fetches)
        }
        for waiter in waiters { waiter.resume(.success(())) }
        scheduleDelivery()
    }

    /// Notes something to be told, and sees to it that it is.
    func note(_ notice: CollectionNotice) {
        state.withLock { $0.notices.append(notice) }
        scheduleDelivery()
    }

    private func tell(_ notice: CollectionNotice) {
        let (handlers, listeners, statusListeners) = state.withLock { state in
            (state.handlers, state.listeners, state.statusListeners.values)
        }
        switch notice {
        case .requestStarted: handlers.requestStarted?()
        case .requestCompleted: handlers.requestCompleted?()
        case .failed(let error): handlers.error?(error)
        case .changed(let applied):
            if !listeners.isEmpty {
                let change = change(applied)
                for listener in listeners.values { listener.send(change) }
            }
            handlers.dataChanged?(applied.type)
        case .status(let status): for listener in statusListeners { listener.send(status) }
        }
    }

    private func change(_ applied: Applied) -> CollectionChange<Element> {
        CollectionChange(
            type: applied.type,
            rows: applied.rows.compactMap { try? codec.decode($0) },
            ids: applied.ids,
            inserted: applied.inserted,
            removed: applied.removed,
            updated: applied.updated,
            moved: applied.moved,
            isOwn: applied.isOwn,
            revision: applied.revision
        )
    }
}

extension RemoteDataCollection.State {
    /// Notes what an event tells of the delivery of events.
    mutating func noteStatus(_ event: ChangeEvent) {
        switch event {
        case .live: status = .live
        case .interrupted(let error):
            status = .interrupted(error)
            notices.append(.failed(error))
        case .change, .progress, .reset: return
        }
        notices.append(.status(status))
    }

    /// The waiters of fetches that are done.
    mutating func takeWaiters(_ fetches: [Fetch]) -> [OneShot<Void>] {
        fetches.flatMap { fetchWaiters.removeValue(forKey: $0.id) ?? [] }
    }

    /// The waiters for what has been reached: pages put in place, and revisions.
    mutating func takeReady(force: Bool = false) -> [OneShot<Void>] {
        let merged = core.mergeWaiting(force: force)
        var ready = takeWaiters(merged)
        noteLoading(byPage: !merged.isEmpty)
        let applied = core.expectsChanges ? core.applied : nil
        let isReady = { (revision: Revision) in applied.map { revision <= $0 } ?? true }
        ready += revisionWaiters.filter { isReady($0.revision) }.map(\.waiter)
        revisionWaiters.removeAll { isReady($0.revision) }
        return ready
    }

    /// Notes that a page brought the last rows that were not here, or that there are more or fewer than was thought.
    mutating func noteLoading(byPage: Bool = false) {
        let isLoaded = core.isLoaded
        if core.isRecounted || (byPage && isLoaded && !wasLoaded) {
            notices.append(.changed(Applied(type: .dataLoaded)))
        }
        core.isRecounted = false
        wasLoaded = isLoaded
    }

    /// Applies changes as far as somebody waits for them.
    mutating func catchUp() -> [OneShot<Void>] {
        let wanted = core.waiting.compactMap(\.page.revision) + revisionWaiters.map(\.revision)
        guard let last = wanted.max(), !isResyncing else { return [] }
        notices += core.applyPending(through: last).map { .changed($0) }
        return takeReady()
    }
}
