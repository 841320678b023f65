import RemoteData

/// A server's table as a device asks it: what it is asked is noted, and some defects are answered here.
struct DeviceTable: ForwardingTable {
    let base: SimulatedTable
    let defect: SyncDefect?
    /// Notified of every request.
    let note: @Sendable (String) -> Void
    /// Notified of every row that may not be looked at.
    let noteForbidden: @Sendable (RowID) -> Void

    var wrapped: any Table { base }

    func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {
        note("\(call)")
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try willAsk(.row, nil)
        do throws(RemoteDataError) { return try await base.row(id) } catch {
            if error.code == .forbidden { noteForbidden(id) }
            throw error
        }
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try willAsk(.commit, mutation)
        if let outcome = defect?.outcome(insteadOf: mutation) { return outcome }
        do throws(RemoteDataError) {
            return try await base.commit(mutation, idempotencyKey: idempotencyKey)
        } catch {
            guard let outcome = defect?.outcome(of: mutation, refusedWith: error) else { throw error }
            return outcome
        }
    }
}
