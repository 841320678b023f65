import RemoteDataExecution
import Synchronization

// Becoming right again after changes may have been missed.
extension RemoteDataCollection {
    /// Compares what is here with the table until it is the same, or reads everything anew where that cannot be done.
    ///
    /// The collection is let go between two attempts.
    static func resync(_ collection: @Sendable () -> RemoteDataCollection?) async {
        var attempt = 0
        while let failure = await collection()?.attemptResync() {
            guard let options = collection()?.options else { return }
            let wait = options.surroundings.delay(afterFailures: attempt + 1, atLeast: failure.retryAfter)
            attempt += 1
            guard (try? await options.clock.sleep(for: wait)) != nil else { return }
        }
    }

    /// - Returns: Why it has to be tried again; nil when it is done, or has to wait until changes come again.
    private func attemptResync() async -> RemoteDataError? {
        do throws(RemoteDataError) {
            var attempts = 0
            while state.withLock({ $0.core.needsResync }) {
                // A table whose answers are behind its changes is given time.
                if attempts > 0, await !pauses(afterFailures: attempts) { break }
                try await beginRepair()
                attempts += 1
            }
            if try await !compares() { try await restart(keepsHeld: true) }
        } catch {
            if state.withLock({ $0.core.needsResync || $0.core.isRepairing }) { return error }
        }
        let waiters = state.withLock { state in
            state.isResyncing = false
            return state.endCatchingUp()
        }
        for waiter in waiters { waiter.resume(.success(())) }
        scheduleDelivery()
        return nil
    }

    /// - Returns: Whether the pause came to its end, because nobody cancelled it.
    private func pauses(afterFailures count: Int) async -> Bool {
        (try? await options.clock.sleep(for: options.surroundings.delay(afterFailures: count))) != nil
    }

    /// Counts, and from then on takes what is here for something to be compared.
    private func beginRepair() async throws(RemoteDataError) {
        guard table.capabilities.binaryOrder else { return try await restart(keepsHeld: true) }
        if loadedCount == 0 {
            try await restart(keepsHeld: true, ifEmpty: true)
            // Those that have come meanwhile are compared like others.
            guard state.withLock({ $0.core.needsResync && $0.core.loadedCount > 0 }) else { return }
        }
        let watch = state.withLock { $0.core.beginWatch() }
        defer { state.withLock { $0.core.endWatch(watch) } }
        let count = try await count()
        let (stamp, dates) = (table.capabilities.stamp, table.dates)
        let waiters = await turn { state -> [OneShot<Void>]? in
            // Somebody may have had everything read anew meanwhile.
            guard state.core.needsResync else { return [] }
            let fetches = state.core.fetches.values.sorted { $0.id < $1.id }
            guard state.core.beginRepair(at: count, since: watch, stamp: stamp, dates: dates) else {
                return nil
            }
            return state.takeWaiters(fetches)
        }
        guard let waiters = waiters ?? nil else { return try await restart(keepsHeld: true) }
        for waiter in waiters { waiter.resume(.success(())) }
    }

    /// - Returns: Whether the rows could be compared; otherwise they have to be read anew.
    private func compares() async throws(RemoteDataError) -> Bool {
        do throws(RemoteDataError) { return try await repair() } catch {
            guard !error.isTransient, error.code != .unauthorized else { throw error }
            return false
        }
    }

    /// Does what a repair asks for, one thing after another.
    ///
    /// - Returns: Whether it could be done, as far as changes come.
    private func repair() async throws(RemoteDataError) -> Bool {
        var unused = 0
        while true {
            let limit = Swift.max(1, table.capabilities.maximumPageSize)
            let step = state.withLock { state in
                state.core.lookedAt = positions.lookedAt
                return state.core.isRepairing
                    ? state.core.nextRepair(limit: limit, idColumn: table.idColumn) : nil
            }
            switch step {
            case nil: return true
            case .impossible: return false
            case .drain: await drain()
            case .done:
                await inTurn { [idColumn = table.idColumn] state in
                    let (told, isOver) = state.core.endRepair(idColumn: idColumn)
                    state.notices += told.map { .changed($0) }
                    guard isOver else { return }
                    state.core.isRecounted = false
                    state.notices.append(.changed(Applied(type: .dataLoaded, revision: state.core.applied)))
                    state.noteLoading()
                    state.readySteps += state.endCatchingUp()
                }
                return true
            case .read(let read):
                if try await perform(read) {
                    unused = 0
                } else {
                    // Others write all the time: it is read again when the changes up to then have come.
                    unused += 1
                    if unused > 3, await !pauses(afterFailures: unused) { return true }
                }
            }
        }
    }

    /// - Returns: Whether the answer could be used.
    private func perform(_ read: RepairRead) async throws(RemoteDataError) -> Bool {
        do throws(RemoteDataError) {
            let request = read.fetch.request
            if read.isCount {
                let count = try await count(of: request.query)
                await reach(count.revision)
                return await turn { state in
                    let (told, isUsed) = state.core.take(count, for: read)
                    state.notices += told.map { .changed($0) }
                    // Positions that are told from here on are those behind gaps of the new size.
                    state.noteLoading()
                    return isUsed
                } ?? false
            }
            let page = try await page(request)
            await reach(page.revision)
            let taken = await turn { state -> Result<Bool, RemoteDataError> in
                do throws(RemoteDataError) {
                    let (told, isUsed) = try state.core.take(page, for: read)
                    state.notices += told.map { .changed($0) }
                    return .success(isUsed)
                } catch {
                    return .failure(error)
                }
            }
            return try taken?.get() ?? false
        } catch {
            state.withLock { $0.core.giveUp(read) }
            throw error
        }
    }

    /// Asks for a page, as part of what the collection does by itself.
    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await self.request { [options] () async throws(RemoteDataError) in
            try await within(options.deadline, options.surroundings) { () async throws(RemoteDataError) in
                try await self.source.page(request)
            }
        }
    }

    /// Asks for a count, as part of what the collection does by itself.
    func count(of query: Query) async throws(RemoteDataError) -> Count {
        try await request { [table, options] () async throws(RemoteDataError) in
            try await within(options.deadline, options.surroundings) { () async throws(RemoteDataError) in
                try await table.count(query)
            }
        }
    }

    /// Waits, no longer than the fence, until the changes up to a revision have been applied.
    func reach(_ revision: Revision?) async {
        guard let revision else { return }
        let waiter = OneShot<Void>()
        let isReached = state.withLock { state in
            if state.core.applied.map({ revision <= $0 }) ?? true { return true }
            state.revisionWaiters.append((revision, waiter))
            return false
        }
        if isReached { return }
        catchUpIfParked()
        await wait(waiter)
        state.withLock { state in state.revisionWaiters.removeAll { $0.waiter === waiter } }
    }

    /// Waits, no longer than the fence, until everything found has been applied and told.
    private func drain() async {
        let waiter = OneShot<Void>()
        state.withLock { $0.drainWaiters.append(waiter) }
        catchUpIfParked()
        await wait(waiter)
    }

    /// Waits until what is here has been compared with the table.
    ///
    /// - Throws: ``RemoteDataError`` with code `timedOut` at the deadline, `cancelled` when the task is.
    func waitForRepair() async throws(RemoteDataError) {
        let waiter = OneShot<Void>()
        let isUnderWay = state.withLock { state in
            guard state.core.awaitsRepair else { return false }
            state.repairWaiters.append(waiter)
            return true
        }
        guard isUnderWay else { return }
        defer { state.withLock { state in state.repairWaiters.removeAll { $0 === waiter } } }
        try await within(options.deadline, options.surroundings) { () async throws(RemoteDataError) in
            try await waiter.awaited()
        }
    }
}

extension RemoteDataCollection.State {
    /// Notes that everything here is right again, unless changes were missed anew.
    ///
    /// - Returns: Who waited for it.
    mutating func endCatchingUp() -> [OneShot<Void>] {
        if !core.needsResync, core.repair == nil { isCatchingUp = false }
        if !isCatchingUp, case .catchingUp = status {
            status = .live
            notices.append(.status(status))
        }
        return takeRepairWaiters()
    }

    /// Those who wait for the end of a comparison that is over, or goes on only when changes come again.
    mutating func takeRepairWaiters() -> [OneShot<Void>] {
        guard !core.awaitsRepair else { return [] }
        defer { repairWaiters = [] }
        return repairWaiters
    }
}
