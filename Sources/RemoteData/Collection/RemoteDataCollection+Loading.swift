import RemoteDataExecution
import Synchronization

// Fetching pages.
extension RemoteDataCollection {
    /// Makes a request that is told to the handlers, and so is its failure, if it is news.
    func request<Value: Sendable>(
        tellingErrors isNews: (RemoteDataError) -> Bool = { _ in true },
        _ body: () async throws(RemoteDataError) -> Value
    ) async throws(RemoteDataError) -> Value {
        let isTold = note(.requestStarted)
        defer { if isTold { note(.requestCompleted) } }
        do throws(RemoteDataError) { return try await body() } catch {
            if isNews(error) { note(.failed(error)) }
            throw error
        }
    }

    /// Makes a fetch, on the library's own threads.
    func start(_ fetch: Fetch) {
        // What other pages bring from now on is not what this one is for.
        let isAwaited = link?.mayBring(fetch.request) ?? false
        let task = Task(executorPreference: options.surroundings.executor) {
            await self.perform(fetch, awaitingNotes: isAwaited)
        }
        let needsWatch = state.withLock { state in
            // Its page may have come by now, and wait for changes.
            guard state.core.fetches[fetch.id] != nil,
                !state.core.waiting.contains(where: { $0.fetch.id == fetch.id })
            else { return false }
            state.fetchTasks[fetch.id] = (
                task, Deadline(options.deadline, clock: options.surroundings.deadlineClock)
            )
            defer { state.isWatchingFetches = true }
            return !state.isWatchingFetches
        }
        if needsWatch { watchFetches() }
    }

    /// - Parameters:
    ///   - fetch: The fetch.
    ///   - isAwaited: Whether what was noted when it was asked for may have it be kept.
    private func perform(_ fetch: Fetch, awaitingNotes isAwaited: Bool) async {
        if let link, let (page, fetch) = await kept(fetch, link, awaiting: isAwaited) {
            do throws(RemoteDataError) {
                return try take(page, for: fetch)
            } catch {
                // What is kept is of no use; the table is asked.
            }
        }
        if awaitsTable, await takeStalePage(for: fetch) {
            return state.withLock { $0.fetchTasks[fetch.id] = nil }
        }
        do throws(RemoteDataError) {
            // The end of one that was given up is not told a second time.
            let isNews = { (error: RemoteDataError) in
                if fetch.isRefused(error) { return false }
                return error.code != .cancelled || self.state.withLock { $0.core.fetches[fetch.id] != nil }
            }
            let askedAt = share?.now
            let watch = Stopwatch(options.clock)
            try await request(tellingErrors: isNews) { () async throws(RemoteDataError) in
                let page = try await self.source.page(fetch.request)
                let cameSoon = watch.elapsed <= self.options.deadline / 16
                try self.take(page, for: fetch, askedAt: askedAt, cameSoon: cameSoon)
            }
            return
        } catch {
            // Better than nothing is what has been noted by now, and what was kept before changes were missed.
            var isTaken = false
            if error.isTransient, !isAwaited { isTaken = await takeKeptPage(for: fetch) }
            if error.isTransient, !isTaken { isTaken = await takeStalePage(for: fetch) }
            if !isTaken { fail(fetch, error) }
        }
        state.withLock { $0.fetchTasks[fetch.id] = nil }
    }

    private func fail(_ fetch: Fetch, _ error: RemoteDataError) {
        let isRefused = fetch.isRefused(error)
        let waiters = state.withLock { state in
            state.core.fail(fetch)
            if isRefused { state.core.readsBeyond = false }
            return state.takeWaiters([fetch])
        }
        // Then it is asked for in another way.
        for waiter in waiters { waiter.resume(isRefused ? .success(()) : .failure(error)) }
    }

    /// Gives up on fetches that the table does not answer in time; one timer for all of them.
    private func watchFetches() {
        Task(executorPreference: options.surroundings.executor) { [weak self] in
            while let (clock, wait) = self?.giveUpLateFetches() {
                guard (try? await clock.sleep(for: wait)) != nil else { return }
            }
        }
    }

    /// - Returns: After how long to look again; nil when nothing is under way.
    private func giveUpLateFetches() -> (any Clock<Duration>, Duration)? {
        let (late, next) = state.withLock { state in
            let late = state.fetchTasks.filter { $0.value.deadline.remaining <= .zero }
                .sorted { $0.key < $1.key }
            for (id, _) in late { state.fetchTasks[id] = nil }
            let next = state.fetchTasks.values.map(\.deadline.remaining).min()
            if next == nil { state.isWatchingFetches = false }
            return (late.map { id, value in (state.core.fetches[id], value.task) }, next)
        }
        for (fetch, task) in late {
            // Nobody waits for one from before everything was read anew.
            if let fetch {
                let message = "The table did not answer within \(options.deadline)."
                let error = RemoteDataError(.timedOut, message)
                note(.failed(error))
                fail(fetch, error)
            }
            task.cancel()
        }
        return next.map { (options.surroundings.deadlineClock, Swift.max($0, .milliseconds(1))) }
    }

    /// - Parameters:
    ///   - page: A page.
    ///   - fetch: The fetch that brought it.
    ///   - askedAt: When the table was asked for it, in the order of the space; nil for what was kept.
    ///   - cameSoon: Whether it came so soon that a larger one may be asked for.
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` for one that cannot be of this fetch.
    func take(
        _ page: Page,
        for fetch: Fetch,
        askedAt: UInt64? = nil,
        cameSoon: Bool = true
    ) throws(RemoteDataError) {
        let answer = Answer(page, to: fetch.request)
        // One hold of the lock: others wait for it, of which the iteration is one.
        let (isWaiting, waiters, work) = try state.withLock { state throws(RemoteDataError) in
            if let askedAt {
                share?.publishRead(page.rows, askedAt: askedAt)
                state.pageAskedAt = Swift.max(state.pageAskedAt, askedAt)
            }
            let mayMove = state.parkedCalls > 0
            let reception = try state.core.receive(answer, for: fetch, mayMove: mayMove, cameSoon: cameSoon)
            state.fetchTasks[fetch.id] = nil
            let (isWaiting, waiters) = state.take(reception, of: fetch)
            return (isWaiting, waiters, state.schedule())
        }
        logOmission(page.failures.first?.error)
        for waiter in waiters { waiter.resume(.success(())) }
        start(work)
        if isWaiting { openFence(for: fetch) }
    }

    /// Uses a page whose changes have not come in time.
    private func openFence(for fetch: Fetch) {
        let (clock, deadline) = (options.clock, fenceDeadline)
        Task(executorPreference: options.surroundings.executor) { [weak self] in
            guard (try? await clock.sleep(for: deadline)) != nil, let self else { return }
            let waiters = self.state.withLock { state in
                guard state.core.waiting.contains(where: { $0.fetch.id == fetch.id }) else {
                    return [OneShot<Void>]()
                }
                return state.catchUp() + state.takeReady(force: true)
            }
            for waiter in waiters { waiter.resume(.success(())) }
            self.scheduleDelivery()
        }
    }

    /// Waits until a fetch is done, however it ended for others.
    ///
    /// - Parameters:
    ///   - fetch: The fetch.
    ///   - starting: Whether to make it.
    ///   - ahead: Others to make as well, of which nobody waits for the end here.
    /// - Throws: ``RemoteDataError`` when it failed, or `cancelled` when the task was.
    func wait(for fetch: Fetch, starting: Bool, ahead: [Fetch] = []) async throws(RemoteDataError) {
        try await waiter(for: fetch, starting: starting, ahead: ahead)?.awaited()
    }

    /// Parks the calling thread until a fetch is done; not for the delivery queue, which would be held up.
    ///
    /// - Parameters:
    ///   - fetch: The fetch.
    ///   - starting: Whether to make it.
    ///   - ahead: Others to make as well, of which nobody waits for the end here.
    ///   - limit: How long to wait.
    /// - Throws: ``RemoteDataError`` when it failed; `timedOut` when it was not done in time.
    func block(
        on fetch: Fetch,
        starting: Bool,
        ahead: [Fetch],
        atMost limit: Duration
    ) throws(RemoteDataError) {
        guard let waiter = waiter(for: fetch, starting: starting, ahead: ahead) else { return }
        // A little longer than a fetch may take, so that its own error is the one to be seen.
        switch waiter.wait(atMost: limit + .seconds(1)) {
        case .success?: return
        case .failure(let error)?:
            throw error as? RemoteDataError ?? RemoteDataError(.cancelled, "The table is no longer asked.")
        case nil:
            let error = RemoteDataError(.timedOut, "No answer within \(options.deadline).")
            note(.failed(error))
            throw error
        }
    }

    /// Makes fetches.
    ///
    /// - Returns: Who is told that the first is done; nil when it is already.
    private func waiter(for fetch: Fetch, starting: Bool, ahead: [Fetch]) -> OneShot<Void>? {
        let waiter = OneShot<Void>()
        let isUnderWay = state.withLock { state in
            guard state.core.fetches[fetch.id] != nil else { return false }
            state.fetchWaiters[fetch.id, default: []].append(waiter)
            return true
        }
        if isUnderWay, starting { start(fetch) }
        for other in ahead { start(other) }
        return isUnderWay ? waiter : nil
    }

    /// Repeats what fails for a reason that may pass, until a deadline.
    func persistently<Value: Sendable>(
        within limit: Duration? = nil,
        _ body: () async throws(RemoteDataError) -> Value
    ) async throws(RemoteDataError) -> Value {
        let deadline = Deadline(limit ?? options.deadline, clock: options.clock)
        var attempt = 0
        while true {
            do throws(RemoteDataError) { return try await body() } catch {
                attempt += 1
                let (surroundings, remaining) = (options.surroundings, deadline.remaining)
                guard error.isTransient,
                    let wait = surroundings.delay(afterFailures: attempt, because: error, within: remaining),
                    await options.pause(for: wait, because: error)
                else { throw error }
            }
        }
    }
}

/// A moment by which something has to be done.
struct Deadline: Sendable {
    private let measure: @Sendable () -> Duration

    init(_ duration: Duration, clock: any Clock<Duration>) {
        func measuring<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
            let end = clock.now.advanced(by: duration)
            return { clock.now.duration(to: end) }
        }
        measure = measuring(clock)
    }

    /// How long there is still; negative when it is past.
    var remaining: Duration { measure() }
}
