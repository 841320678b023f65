import RemoteDataExecution
import Synchronization

// What an iteration waits for while changes do not come.
extension RemoteDataCollection {
    /// Waits until an iteration can go on without leaving rows out or returning them twice.
    ///
    /// - Parameters:
    ///   - iteration: The iteration.
    ///   - limit: How long to wait.
    /// - Throws: ``RemoteDataError`` when changes are refused or do not come in time.
    func waitForChanges(of iteration: Int, within limit: Duration) async throws(RemoteDataError) {
        let waiter = OneShot<Void>()
        let (isWaiting, refusal) = state.withLock { state -> (Bool, RemoteDataError?) in
            guard !state.core.mayGoOn(iteration) else { return (false, nil) }
            if let refusal = state.refusal, !state.core.needsProof(iteration) { return (false, refusal) }
            state.changeWaiters.append((iteration, waiter))
            return (true, nil)
        }
        if let refusal { throw Self.incomplete("The table refuses to send its changes", refusal) }
        guard isWaiting else { return }
        catchUpIfParked()
        let (clock, wait) = (options.clock, fenceDeadline)
        let fence = Task(executorPreference: options.surroundings.executor) { [weak self] in
            // Where the delivery queue does not run, nothing else applies what is waited for.
            while (try? await clock.sleep(for: wait)) != nil, let self { self.catchUp() }
        }
        defer { fence.cancel() }
        defer { state.withLock { state in state.changeWaiters.removeAll { $0.waiter === waiter } } }
        do throws(RemoteDataError) {
            try await RemoteData.within(limit, options.surroundings) { () async throws(RemoteDataError) in
                try await waiter.awaited()
            }
        } catch {
            guard error.code == .timedOut else { throw error }
            let interruption = state.withLock { $0.interruption }
            throw Self.incomplete("The table's changes did not come within \(options.deadline)", interruption)
        }
    }

    /// Asks the table how recent the rows here are, for as long as an iteration waits for that.
    static func prove(_ collection: @Sendable () -> RemoteDataCollection?) async {
        var failures = 0
        while let options = collection()?.options, let attempt = await collection()?.attemptProof() {
            guard attempt.goesOn else { return }
            failures = attempt.isMade ? 0 : failures + 1
            if failures > 0, await !options.pause(afterFailures: failures, because: attempt.failure) {
                return
            }
        }
    }

    /// What came of asking how recent the rows here are.
    private struct ProofAttempt {
        /// Whether the answer proves anything.
        var isMade = false
        /// Why there was no answer.
        var failure: RemoteDataError?
        /// Whether another attempt is due.
        var goesOn = false
    }

    /// - Returns: What came of it; nil when nothing waits for it any more.
    private func attemptProof() async -> ProofAttempt? {
        let (number, reached) = state.withLock { state in
            let number = state.needsProof ? state.core.number() : nil
            state.proofs.ask(at: number)
            return (number, state.core.newestKnown)
        }
        guard let number else { return nil }
        var attempt = ProofAttempt()
        var count: Count?
        do throws(RemoteDataError) {
            count = try await self.count(of: query)
        } catch {
            attempt.failure = error
        }
        defer { scheduleDelivery() }
        let refused = state.withLock { state -> [OneShot<Void>] in
            if let count {
                // The rows here have to be compared then.
                if state.core.showsNewHistory(count.revision, askedAt: reached) { state.core.loseTrack() }
                attempt.isMade = state.core.prove(count.revision, asked: number, at: reached)
            }
            if attempt.failure?.isTransient == true { state.noteUnreachable() }
            state.proofs.end(number)
            let refused = attempt.failure.map { state.isRefused($0) } == true ? state.takeUnproved() : []
            attempt.goesOn = state.scheduleProof()
            return refused
        }
        if let failure = attempt.failure {
            let error = Self.incomplete("The table refuses to count its rows", failure)
            for waiter in refused { waiter.resume(.failure(error)) }
        }
        return attempt
    }

    /// The error of an iteration that may have left rows out.
    private static func incomplete(_ reason: String, _ cause: RemoteDataError?) -> RemoteDataError {
        RemoteDataError(
            cause.map { $0.isTransient ? .timedOut : $0.code } ?? .timedOut,
            "\(reason), so the iteration may have left out rows that moved meanwhile. Read `snapshot()` for the rows"
                + " in memory, or set `options.isLive` to false to do without changes.",
            cause: cause
        )
    }
}

extension RemoteDataError {
    /// Whether an iteration ends with this refusal; credentials may be renewed, which is waited for.
    fileprivate var endsIterations: Bool { isRefusal && code != .unauthorized }
}

extension RemoteDataCollection.State {
    /// Why changes do not come; nil where they do.
    fileprivate var interruption: RemoteDataError? {
        guard case .interrupted(let error) = status else { return nil }
        return error
    }

    /// Why the table refuses to send changes, for other reasons than credentials; nil where it does not.
    fileprivate var refusal: RemoteDataError? { interruption.flatMap { $0.endsIterations ? $0 : nil } }

    /// Whether the table refuses an answer, and no change is to come that leads to it.
    fileprivate func isRefused(_ error: RemoteDataError) -> Bool {
        error.endsIterations && (core.following == .off || refusal != nil)
    }

    /// Whether an iteration waits for an answer that proves how recent the rows here are.
    fileprivate var needsProof: Bool {
        !changeWaiters.isEmpty && changeWaiters.contains { core.needsProof($0.iteration) }
    }

    private func isUnproved(_ iteration: Int) -> Bool {
        core.needsProof(iteration) && !proofs.serves(iteration)
    }

    /// The waiters of iterations that need such an answer, and none is to come.
    fileprivate mutating func takeUnproved() -> [OneShot<Void>] {
        let unproved = changeWaiters.filter { isUnproved($0.iteration) }
        changeWaiters.removeAll { item in unproved.contains { $0.waiter === item.waiter } }
        return unproved.map(\.waiter)
    }

    /// Schedules a request for such an answer where none under way proves anything to an iteration that
    /// waits.
    ///
    /// - Returns: Whether it did.
    mutating func scheduleProof() -> Bool {
        let isDue = changeWaiters.contains { isUnproved($0.iteration) }
        if isDue { proofs.schedule() }
        return isDue
    }

    /// The waiters of iterations that can go on, or do not wait for it.
    mutating func takeChangeWaiters() -> [OneShot<Void>] {
        guard !changeWaiters.isEmpty else { return [] }
        let isOver = refusal != nil
        let ready = changeWaiters.filter { item in
            core.mayGoOn(item.iteration) || (isOver && !core.needsProof(item.iteration))
        }
        guard !ready.isEmpty else { return [] }
        changeWaiters.removeAll { item in ready.contains { $0.waiter === item.waiter } }
        return ready.map(\.waiter)
    }
}
