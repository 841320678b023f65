import RemoteDataExecution
import Synchronization

// Becoming right again after changes may have been missed.
extension RemoteDataCollection {
    /// Compares what is here with the table until it is the same, or reads everything anew where that cannot be done.
    ///
    /// The collection is let go between two attempts.
    static func resync(_ collection: @Sendable () -> RemoteDataCollection?) async {
        var (attempt, isRefused) = (0, false)
        while let failure = await collection()?.attemptResync() {
            guard let options = collection()?.options else { return }
            attempt = failure.isRefusal == isRefused ? attempt + 1 : 1
            isRefused = failure.isRefusal
            guard await options.pause(afterFailures: attempt, because: failure) else { return }
        }
    }

    /// - Returns: Why it has to be tried again; nil when it is done, or has to wait until changes come again.
    private func attemptResync() async -> RemoteDataError? {
        do throws(RemoteDataError) {
            var attempts = 0
            while state.withLock({ $0.core.needsResync }) {
                // A table whose answers are behind its changes is given time.
                if attempts > 1, await !options.pause(afterFailures: attempts - 1) { break }
                try await beginRepair()
                attempts += 1
            }
            if try await !compares() { try await restart(keepsHeld: true) }
        } catch {
            let (goesOn, refused) = state.withLock { $0.noteUncompared(because: error) }
            for waiter in refused { waiter.resume(.failure(error)) }
            if goesOn { return error }
        }
        let waiters = state.withLock { state in
            state.isResyncing = false
            return state.takeRepairWaiters()
        }
        for waiter in waiters { waiter.resume(.success(())) }
        scheduleDelivery()
        return nil
    }

    /// Counts, and from then on takes what is here for something to be compared.
    private func beginRepair() async throws(RemoteDataError) {
        guard knowsOrder else { return try await restart(keepsHeld: true) }
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
            // Nor is a count of use from before more was missed: another one is asked for.
            guard watch > state.core.outset else { return [] }
            let fetches = state.core.fetches.values.sorted { $0.id < $1.id }
            guard state.core.beginRepair(at: count, since: watch, stamp: stamp, dates: dates) else {
                return nil
            }
            return state.takeWaiters(fetches)
        }
        guard let waiters = waiters ?? nil else { return try await restart(keepsHeld: true) }
        for waiter in waiters { waiter.resume(.success(())) }
    }

    /// Whether it can be made out where the rows of a page belong: the order can be reproduced, or asked for.
    ///
    /// Not where a gap comes of changes whose places took too many questions, as those of the rows would.
    private var knowsOrder: Bool {
        if table.capabilities.binaryOrder { return true }
        return placing.map { !$0.isOutnumbered.exchange(false, ordering: .relaxed) } ?? false
    }

    /// - Returns: Whether the rows could be compared; otherwise they have to be read anew.
    private func compares() async throws(RemoteDataError) -> Bool {
        var invalid = 0
        while true {
            do throws(RemoteDataError) { return try await repair() } catch {
                let concernsQuery = error.code == .unauthorized || error.code == .forbidden
                guard !error.isTransient, !concernsQuery else { throw error }
                // An answer may have been cut off on its way.
                invalid += 1
                guard error.code == .invalidAnswer, invalid < 3 else { return false }
            }
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
                    state.noteLoaded(at: state.core.applied)
                    state.noteLoading()
                    state.readySteps += state.takeRepairWaiters()
                }
                return true
            case .read(let read):
                if try await perform(read) {
                    unused = 0
                } else {
                    // Others write all the time: it is read again when the changes up to then have come.
                    unused += 1
                    if unused > 3, await !options.pause(afterFailures: unused) { return true }
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
            guard let page = try await page(for: read) else {
                state.withLock { $0.core.abandonRepair(read) }
                return true
            }
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

    /// The page that a repair asks for; nil where it takes too many questions to find out where its rows
    /// belong.
    private func page(for read: RepairRead) async throws(RemoteDataError) -> Page? {
        guard let placing else { return try await page(read.fetch.request) }
        return try await request { [options] () async throws(RemoteDataError) in
            try await within(options.deadline, options.surroundings) { () async throws(RemoteDataError) in
                try await placing.pageToCompare(read.fetch.request)
            }
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
            if !state.core.isToCome(revision) { return true }
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
        let late = { @Sendable [weak self] in
            self?.lateRepair ?? RemoteDataError(.cancelled, "The collection is gone.")
        }
        try await within(options.deadline, options.surroundings, whenLate: late) {
            () async throws(RemoteDataError) in
            try await waiter.awaited()
        }
    }

    /// Why reads that wait for a comparison have to give up.
    private var lateRepair: RemoteDataError {
        let reason =
            state.withLock { $0.overrun != .none }
            ? "Changes came faster than the delivery queue took them, which a handler or other work holds up"
            : "Changes were missed"
        return RemoteDataError(
            .timedOut,
            "\(reason): the rows could not be compared with the table within \(options.deadline)."
        )
    }
}

extension RemoteDataCollection.State {
    /// Notes that the rows could not be compared with the table.
    ///
    /// - Returns: Whether they are still to be compared, and who waited for it, where the table refuses it.
    fileprivate mutating func noteUncompared(
        because error: RemoteDataError
    ) -> (goesOn: Bool, refused: [OneShot<Void>]) {
        let goesOn = core.needsResync || core.isRepairing
        guard goesOn, error.isRefusal else { return (goesOn, []) }
        // That the feed was interrupted would wait for the comparison, and reads with it.
        if case .lost = connection, core.needsResync { core.losePending() }
        defer { repairWaiters = [] }
        return (true, repairWaiters)
    }

    /// Those who wait for the end of a comparison that is over, or goes on only when changes come again.
    mutating func takeRepairWaiters() -> [OneShot<Void>] {
        guard !core.awaitsRepair else { return [] }
        defer { repairWaiters = [] }
        return repairWaiters
    }
}
