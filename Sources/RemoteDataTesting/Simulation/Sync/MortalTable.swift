import RemoteData

/// A server's table as one process sees it: once the process has ended, nothing is asked any more.
struct MortalTable: Table {
    let base: SimulatedTable
    let isAlive: @Sendable () -> Bool

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }

    private func check() throws(RemoteDataError) {
        guard isAlive() else { throw RemoteDataError(.cancelled, "The process has ended.") }
    }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try check()
        return try await base.count(query)
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try check()
        return try await base.page(request)
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try check()
        return try await base.row(id)
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try check()
        // A server that does not know keys is sent none.
        return try await base.commit(
            mutation,
            idempotencyKey: capabilities.idempotency ? idempotencyKey : nil
        )
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try check()
        return try await base.changes(since: revision, limit: limit)
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        try check()
        return try await base.subscribe(to: query, since: revision)
    }
}
