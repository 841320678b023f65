/// A ``MemoryTable`` as somebody may see and change it.
private struct GuardedMemoryTable: Table {
    let base: MemoryTable
    let access: RowAccess

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try refuseSubQueries(query.filter)
        return try await base.count(of: access.narrowed(query))
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try refuseSubQueries(request.query.filter)
        return try await base.page(of: access.narrowed(request))
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try await base.row(id).flatMap { access.mayRead($0) ? $0 : nil }
    }

    func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try checkIdempotencyKey(idempotencyKey)
        return try base.commit(
            access.prepared(mutation),
            key: access.key(idempotencyKey, for: mutation),
            access: access.making(mutation)
        )
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try base.changes(since: revision, limit: limit, access: access)
    }

    func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        try base.subscribe(to: query, since: revision, access: access)
    }
}

extension MemoryTable: GuardedTable {
    /// The table as somebody with these rights may see and change it.
    package func guarded(by access: RowAccess) -> any Table { GuardedMemoryTable(base: self, access: access) }
}
