import RemoteData
import Synchronization

// Queries that the server refuses for good, as one that names a column which a store begun anew does not
// have.
extension ScenarioWorld {
    /// Whether the server refuses the query of a collection, or has refused it for good.
    func hasGivenUp(_ collection: RemoteDataCollection<Element>) -> Bool {
        if case .interrupted(let error) = collection.liveStatus, error.code == .unknownColumn { return true }
        return refusal() != nil
    }

    /// Why the server refuses the query of the collection; nil where it does not.
    private func refusal() -> RemoteDataError? {
        let result = immediately { [server, query] () async throws(RemoteDataError) in
            try await server.rows(of: query)
        }
        guard case .failure(let error) = result, !error.isTransient else { return nil }
        return error
    }

    /// Checks a collection whose query was refused: its status says so, and its calls where that is still so.
    func checkGivenUp(_ collection: RemoteDataCollection<Element>) {
        let refusal = refusal()
        switch collection.liveStatus {
        case .off: break
        case .interrupted(let error) where error.code == refusal?.code ?? .unknownColumn: break
        default:
            let word = collection.liveStatus.word
            fail("status", "It is \(word) although the server refuses the query.")
        }
        let answer = Mutex<RemoteDataError?>(nil)
        start("refresh") { () async throws(RemoteDataError) in
            do throws(RemoteDataError) { try await collection.refresh() } catch {
                answer.withLock { $0 = error }
                throw error
            }
        }
        let isDone = scheduler.run(atMost: .seconds(600)) { [self] in isIdle && collection.isAtRest }
        guard isDone else { return fail("no hang", "Reading anew does not end.") }
        let (code, expected) = (answer.withLock { $0 }?.code, refusal?.code)
        if code != expected {
            let words = [code, expected].map { $0?.description ?? "no error" }
            fail("calls", "Reading anew ended with \(words[0]), not with \(words[1]).")
        }
        checkWrites()
        checkUpdates()
        checkBuffers(collection)
        if refusal == nil, let difference = difference(collection) {
            fail("convergence", "Read anew: " + difference)
        }
    }
}
