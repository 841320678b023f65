import RemoteData

/// A server's table as one process sees it: once the process has ended, nothing is asked any more.
struct MortalTable: ForwardingTable {
    let base: SimulatedTable
    let isAlive: @Sendable () -> Bool
    /// Notified of every request.
    let note: @Sendable (String) -> Void

    var wrapped: any Table { base }

    func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {
        guard isAlive() else { throw RemoteDataError(.cancelled, "The process has ended.") }
        note("\(call)")
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try willAsk(.commit, mutation)
        return try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }
}
