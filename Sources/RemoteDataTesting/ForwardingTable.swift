package import RemoteData

/// A table for tests that does what another one does, but for the calls that it implements itself.
package protocol ForwardingTable: WrappingTable {
    /// Called before each call; what it throws is the answer.
    ///
    /// - Parameters:
    ///   - call: The kind of call.
    ///   - mutation: What is to be written, where it writes.
    /// - Throws: Why the call fails.
    func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError)
}

extension ForwardingTable {
    package var name: String { wrapped.name }
    package var idColumn: String { wrapped.idColumn }
    package var dates: DateConvention { wrapped.dates }
    package var capabilities: Capabilities { wrapped.capabilities }

    package func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {}

    package func canFilterList(_ clause: Where) -> Bool { wrapped.canFilterList(clause) }

    package func canFilterLive(_ clause: Where) -> Bool { wrapped.canFilterLive(clause) }

    package func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try willAsk(.count, nil)
        return try await wrapped.count(query)
    }

    package func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try willAsk(.page, nil)
        return try await wrapped.page(request)
    }

    package func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try willAsk(.row, nil)
        return try await wrapped.row(id)
    }

    package func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try willAsk(.commit, mutation)
        return try await wrapped.commit(mutation, idempotencyKey: idempotencyKey)
    }

    package func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try willAsk(.changes, nil)
        return try await wrapped.changes(since: revision, limit: limit)
    }

    package func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        try willAsk(.subscribe, nil)
        return try await wrapped.subscribe(to: query, since: revision)
    }
}
