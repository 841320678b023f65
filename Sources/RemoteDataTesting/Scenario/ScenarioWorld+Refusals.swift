import RemoteData
import Synchronization

// Queries that the server refuses, as one that names a column which a store begun anew does not have.
extension ScenarioWorld {
    /// Why the server refuses the query of a collection; nil where it does not.
    func refusal(of collection: RemoteDataCollection<Element>) -> RemoteDataError? {
        let query = collection.query
        let result = immediately { [server] () async throws(RemoteDataError) in
            try await server.rows(of: query)
        }
        guard case .failure(let error) = result, !error.isTransient else { return nil }
        return error
    }

    /// Checks a collection whose query is refused: it asks again, and its calls end with the refusal.
    func checkRefused(_ collection: RemoteDataCollection<Element>, with refusal: RemoteDataError) {
        let (rows, status) = (collection.inspect().rows, collection.liveStatus)
        _ = network.takeSent()
        guard scheduler.run(for: .seconds(600)) else {
            return fail("no hang", "What is refused is asked for over and over.")
        }
        let sent = network.takeSent()
        // Each of a feed, a comparison and a count waits for a random part of a minute.
        let limit = 200 * (1 + state.withLock { $0.narrowed.count })
        if sent.count > limit {
            fail("no hang", "What is refused was asked for \(sent.count) times in ten minutes.")
        }
        // Only a feed that goes on may leave nothing but the comparison to be asked for.
        let isExpected = { (request: ScenarioValue) in
            guard case .interrupted = status, case .object(let words) = request else { return true }
            return words["call"] == "subscribe"
        }
        if status.isFollowed, !sent.contains(where: isExpected) {
            fail("status", "What is refused is not asked for again.")
        }
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
        checkBuffers(collection, interruptions: 1)
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
