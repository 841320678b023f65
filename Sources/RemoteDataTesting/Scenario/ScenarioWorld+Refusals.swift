import RemoteData
import Synchronization

// Queries that the server refuses, as one that names a column which a store begun anew does not have.
extension ScenarioWorld {
    /// Why the server refuses a query; nil where it does not.
    func refusal(of query: Query) -> RemoteDataError? {
        let result = immediately { [server] () async throws(RemoteDataError) in
            try await server.rows(of: query)
        }
        guard case .failure(let error) = result, !error.isTransient else { return nil }
        return error
    }

    /// Checks a collection whose query is refused: it asks again, and its calls end with the refusal.
    func checkRefused(_ collection: RemoteDataCollection<Element>, with refusal: RemoteDataError) {
        // A silent outage is noticed, and the waits between the requests grow.
        guard scheduler.run(for: .seconds(90)) else {
            return fail("no hang", "What is refused is asked for over and over.")
        }
        let (inspection, status) = (collection.inspect(), collection.liveStatus)
        let rows = inspection.rows
        // What came before the rows could no longer be compared waits for that; only an interruption is added to it.
        let kept = inspection.buffers.first { $0.name == "changes to be applied" }?.count ?? 0
        for _ in 0..<10 where !isAskedForWithinAMinute(collection, status) { return }
        if collection.inspect().rows != rows {
            fail("rows stay", "Rows are others though the query is refused.")
        }
        checkIterationRefused(collection, with: refusal)
        let answer = Mutex<RemoteDataError?>(nil)
        start("refresh") { () async throws(RemoteDataError) in
            do throws(RemoteDataError) { try await collection.refresh() } catch {
                answer.withLock { $0 = error }
                throw error
            }
        }
        let isDone = scheduler.run(atMost: .seconds(600)) { [self] in
            isIdle && scheduler.messages == 0 && !scheduler.isBusy
        }
        guard isDone else { return fail("no hang", "Reading anew does not end.") }
        let code = answer.withLock { $0 }?.code
        if code != refusal.code {
            let word = code?.description ?? "no error"
            fail("calls", "Reading anew ended with \(word), not with \(refusal.code).")
        }
        checkWrites()
        checkUpdates()
        checkBuffers(collection, waiting: max(1, kept))
    }

    /// Has the server take the query again, and waits for as long as it may take until that is noticed.
    func bringColumnsBack() {
        let id: ScenarioValue = scenario.table.integerIDs ?? false ? 999 : "last"
        let result = immediately { [server] () async throws(RemoteDataError) in
            let row: ScenarioValue = ["a": 1, "s": "x", "objectId": id]
            _ = try await server.table.commit(
                .create([try Draft(row.json[...], idColumn: server.table.idColumn)])
            )
            await server.noteHistory()
        }
        if case .failure(let error) = result { fail("step", error.description) }
        let now = scheduler.now
        state.withLock { ($0.healed, $0.overlongInterruption) = (now, .zero) }
        if !scheduler.run(for: .seconds(61)) { fail("no hang", "Something is done over and over.") }
    }

    /// Lets a minute pass, in which what is refused is asked for again, and not all the time.
    private func isAskedForWithinAMinute(
        _ collection: RemoteDataCollection<Element>,
        _ status: LiveStatus
    ) -> Bool {
        _ = network.takeSent()
        // A request and its answer are under way for as long.
        guard scheduler.run(for: .seconds(61)) else {
            fail("no hang", "What is refused is asked for over and over.")
            return false
        }
        let sent = network.takeSent()
        // Each of a feed, a comparison and a count waits for a random part of a minute.
        if sent.count > 20 * (1 + state.withLock { $0.narrowed.count }) {
            fail("no hang", "What is refused was asked for \(sent.count) times in a minute.")
        }
        // With a feed that goes on and rows that are compared nothing has been refused yet.
        if status.isLive, collection.isAtRest { return true }
        // Only a feed that goes on may leave nothing but the comparison to be asked for.
        let isExpected = { (request: ScenarioValue) in
            guard case .interrupted = status, case .object(let words) = request else { return true }
            return words["call"] == "subscribe"
        }
        guard status.isFollowed, !sent.contains(where: isExpected) else { return true }
        fail("status", "What is refused is not asked for again within a minute.")
        return false
    }

    /// An iteration ends with the refusal, where no changes come that it could wait for.
    private func checkIterationRefused(
        _ collection: RemoteDataCollection<Element>,
        with refusal: RemoteDataError
    ) {
        guard case .interrupted = collection.liveStatus else { return }
        state.withLock { $0.lastError = nil }
        perform(ScenarioStep(.iterate, name: "(the last)"))
        scheduler.run(atMost: .seconds(60)) { isIdle }
        let error = state.withLock { $0.lastError }
        if error != refusal.code.description {
            fail("iteration", "It ended with \(error ?? "no error"), not with \(refusal.code).")
        }
    }
}
