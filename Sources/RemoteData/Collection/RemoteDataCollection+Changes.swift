import RemoteDataExecution
import Synchronization

// Events from the table, and what is told of them.
extension RemoteDataCollection {
    /// Takes events as they come.
    func receive(_ events: [ChangeEvent]) {
        let (waiters, work) = state.withLock { state in
            note(events, in: &state)
            let waiters = state.parkedCalls > 0 ? state.catchUp() : []
            return (waiters, state.schedule())
        }
        for waiter in waiters { waiter.resume(.success(())) }
        start(work)
    }

    /// Takes events on the thread that brings them.
    ///
    /// - Returns: False where all that waits would have to be applied there, which takes its time; then nothing is taken.
    func receiveAtOnce(_ events: [ChangeEvent]) -> Bool {
        let work = state.withLock { state -> State.Work? in
            guard state.parkedCalls == 0 else { return nil }
            note(events, in: &state)
            return state.schedule()
        }
        guard let work else { return false }
        start(work)
        return true
    }

    private func note(_ events: [ChangeEvent], in state: inout State) {
        // Whoever is told of it elsewhere, what is told of models from now on is newer.
        share?.publish(events)
        state.core.receive(events)
        state.receivedCount += events.count
        for event in events { state.noteConnection(event) }
        state.hasHeard = state.hasHeard || events.contains(where: \.isWord)
        let limit = options.surroundings.backlogLimit
        if state.core.pendingCount > limit { state.overrun(limit: limit) }
    }

    /// Begins to count anew, or to read everything anew, where that is needed.
    func startRepairs(_ work: State.Work) {
        if work.compares {
            Task(executorPreference: options.surroundings.executor) { [weak self] in
                await Self.resync { self }
            }
        }
        if work.counts {
            Task(executorPreference: options.surroundings.executor) { [weak self] in
                await Self.recount { self }
            }
        }
        if work.proves {
            Task(executorPreference: options.surroundings.executor) { [weak self] in
                await Self.prove { self }
            }
        }
    }

    /// Counts until the count and the changes are of the same moment, then corrects the size of the gaps.
    private static func recount(_ collection: @Sendable () -> RemoteDataCollection?) async {
        for attempt in 1...10 {
            guard let (isSettled, failure) = await collection()?.attemptRecount(), !isSettled,
                let options = collection()?.options,
                await options.pause(afterFailures: attempt, because: failure)
            else { break }
        }
        guard let collection = collection() else { return }
        collection.state.withLock { $0.isRecounting = false }
        collection.scheduleDelivery()
    }

    /// - Returns: Whether the count is settled, and why the table could not be counted.
    private func attemptRecount() async -> (isSettled: Bool, failure: RemoteDataError?) {
        let count: Count
        do throws(RemoteDataError) { count = try await self.count() } catch { return (false, error) }
        let isSettled = Mutex(false)
        await inTurn { state in
            // Only at the very revision of the count it can be compared.
            if let revision = count.revision {
                state.notices += state.core.applyPending(through: revision).map { .changed($0) }
            }
            let settled = state.core.settle(count)
            isSettled.withLock { $0 = settled }
            state.noteLoading()
        }
        return (isSettled.withLock { $0 }, nil)
    }

    /// Counts, and starts over.
    ///
    /// - Parameters:
    ///   - keepsHeld: Whether rows at a place of the caller's choice stay there.
    ///   - isMeantForNone: Whether nothing is done when there are rows in the end.
    /// - Throws: ``RemoteDataError`` when the table cannot be counted.
    func restart(keepsHeld: Bool = false, ifEmpty isMeantForNone: Bool = false) async throws(RemoteDataError)
    {
        // A count from before a gap in the changes is of no use after it.
        while try await !attemptRestart(keepsHeld, isMeantForNone) {}
    }

    private func attemptRestart(_ keepsHeld: Bool, _ isMeantForNone: Bool) async throws(RemoteDataError)
        -> Bool
    {
        let watch = state.withLock { $0.core.beginWatch() }
        defer { state.withLock { $0.core.endWatch(watch) } }
        let count = try await count()
        if state.withLock({ $0.core.expectsChanges && $0.core.hasForgottenRows }) {
            await reach(count.revision)
        }
        let kept = keepsHeld ? try await heldRows(as: count) : nil
        if isMeantForNone, loadedCount > 0 { return true }
        return await turn { state in
            if isMeantForNone, state.core.loadedCount > 0 { return true }
            let fetches = state.core.fetches.values.sorted { $0.id < $1.id }
            guard state.core.reset(to: count, since: watch, keeping: kept) else { return false }
            state.noteLoaded(at: count.revision)
            state.readySteps += state.takeWaiters(fetches) + state.takeRepairWaiters()
            return true
        } ?? true
    }

    /// The rows that are held at a position, as the table has them now: one request for each page of them.
    private func heldRows(as count: Count) async throws(RemoteDataError) -> HeldReading {
        let ids = state.withLock { state in state.core.held.rows.map(\.row.id) }
        var reading = HeldReading()
        for page in try await pages(of: ids) {
            for row in page.rows { reading.rows[row.id] = row }
            if page.revision == nil || page.revision != count.revision { reading.isOfTheCount = false }
        }
        return reading
    }

    func count() async throws(RemoteDataError) -> Count { try await count(of: query) }

    /// Notes something to be told, and sees to it that it is.
    ///
    /// - Returns: Whether somebody is told.
    @discardableResult
    func note(_ notice: CollectionNotice) -> Bool {
        let isNoted = state.withLock { state in
            // Where nobody listens to requests, none of them wakes the delivery queue.
            guard !notice.isOfRequests || state.handlers.areOfRequests else { return false }
            state.notices.append(notice)
            return true
        }
        if isNoted { scheduleDelivery() }
        return isNoted
    }

    func tell(_ notice: CollectionNotice) {
        switch notice {
        case .requestStarted: state.withLock { $0.handlers.requestStarted }?()
        case .requestCompleted: state.withLock { $0.handlers.requestCompleted }?()
        case .failed(let error): state.withLock { $0.handlers.error }?(error)
        case .changed(let applied):
            let (handler, listeners) = state.withLock { state in
                (state.handlers.dataChanged, state.listeners.isEmpty ? [] : state.listeners.inOrder)
            }
            if !listeners.isEmpty {
                let change = change(applied)
                for listener in listeners { listener.send(change) }
            }
            handler?(applied.type)
        }
    }

    private func change(_ applied: Applied) -> CollectionChange<Element> {
        var change = CollectionChange(
            type: applied.type,
            rows: applied.rows.compactMap { try? codec.decode($0) },
            ids: applied.ids,
            inserted: applied.inserted,
            removedRanges: applied.removedRanges,
            updated: applied.updated,
            moved: applied.moved,
            isOwn: applied.isOwn,
            revision: applied.revision
        )
        if let formerID = applied.formerID, let row = applied.row { change.formerIDs = [row.id: formerID] }
        change.hasMissed = applied.hasMissed
        return change
    }
}

extension RemoteDataCollection.State {
    /// Takes up the repairs that are needed and not under way.
    mutating func repairs() -> Work {
        var work = Work()
        work.compares = (core.needsResync || core.isRepairing) && !isResyncing
        if work.compares { isResyncing = true }
        work.counts = core.isCountDoubtful && core.isLive && !isResyncing && !isRecounting
        if work.counts { isRecounting = true }
        work.proves = scheduleProof()
        return work
    }
}

extension ChangeEvent {
    /// Whether it says that changes are delivered from now on, or that some were missed.
    fileprivate var isWord: Bool {
        switch self {
        case .live, .reset: true
        case .change, .progress, .interrupted: false
        }
    }
}
