public import RemoteData

/// A table that can do less than the one behind it, to test what is built on tables of lesser servers.
///
/// What is not among its capabilities is refused or left out: keys, revisions, conditions, idempotency keys,
/// writes by clause, the change log, events, and rows that leave a clause.
public final class LimitedTable: WrappingTable {
    /// The name of the table behind.
    public var name: String { base.name }
    /// The id column of the table behind.
    public var idColumn: String { base.idColumn }
    /// The dates of the table behind.
    public var dates: DateConvention { base.dates }
    /// What is let through.
    public let capabilities: Capabilities

    /// The table behind.
    public var wrapped: any Table { base }

    private let base: any Table

    /// Limits a table to some capabilities, which it must have itself.
    public init(_ base: any Table, to capabilities: Capabilities) {
        self.base = base
        self.capabilities = capabilities
    }

    /// How many rows the query has.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let count = try await base.count(query)
        return Count(count.value, revision: kept(count.revision))
    }

    /// A page; at a key only with `keysetPages`.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        var request = request
        if case .offset = request.start {} else { try require(capabilities.keysetPages, "pages at a key") }
        if case .beyond = request.start { try require(capabilities.pagesBeyondKeys, "pages beyond a key") }
        if request.limit > capabilities.maximumPageSize { request.limit = capabilities.maximumPageSize }
        let page = try await base.page(request)
        return Page(
            rows: page.rows.map(kept),
            revision: kept(page.revision),
            failures: page.failures,
            endsEarly: page.endsEarly
        )
    }

    /// The row with an id.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id).map(kept) }

    /// Makes a change, without its condition or key where those are not among the capabilities.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        var mutation = mutation
        switch mutation {
        case .update(let id, let patch, _) where !capabilities.conditionalWrites:
            mutation = .update(id, patch: patch)
        case .delete(let id, _) where !capabilities.conditionalWrites: mutation = .delete(id)
        case .updateAll: try require(capabilities.filteredUpdates, "changes by clause")
        case .deleteAll: try require(capabilities.filteredDeletes, "removals by clause")
        case .create(let drafts), .upsert(let drafts):
            try require(
                drafts.count <= capabilities.maximumBulkSize,
                "writes of \(drafts.count) rows at once"
            )
        default: break
        }
        var hasKey = capabilities.idempotency
        if case .create = mutation, capabilities.idempotentCreation { hasKey = true }
        let key = hasKey ? idempotencyKey : nil
        let outcome = try await base.commit(mutation, idempotencyKey: key)
        return Outcome(
            rows: outcome.rows.map(kept),
            ids: outcome.ids,
            count: outcome.count,
            revision: kept(outcome.revision)
        )
    }

    /// The changes after a revision; only with `resume`.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try require(capabilities.resume, "a change log")
        return try await base.changes(since: revision, limit: limit)
    }

    /// Delivers changes; only with `liveChanges`.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        try require(capabilities.liveChanges, "live changes")
        if revision != nil { try require(capabilities.resume, "resuming") }
        // Whoever is not told what rows were before hears of all of them.
        let filter = capabilities.reportsEntering ? nil : ChangeFilter(query)
        let source = try await base.subscribe(to: filter == nil ? query : Query(), since: revision)
        let feed = ChangeFeed { source.cancel() }
        Task { [weak feed, self] in
            for await event in source {
                guard let seen = filter.map({ $0.seen(event) }) ?? event, let event = kept(seen) else {
                    continue
                }
                feed?.send(event)
            }
            feed?.finish()
        }
        return feed
    }

    private func require(_ isThere: Bool, _ what: String) throws(RemoteDataError) {
        guard !isThere else { return }
        throw RemoteDataError(.invalidRequest, "The table \(name) does not have \(what).")
    }

    private func kept(_ revision: Revision?) -> Revision? { capabilities.revisions ? revision : nil }

    private func kept(_ row: Row) -> Row { row.at(kept(row.revision)) }

    private func kept(_ event: ChangeEvent) -> ChangeEvent? {
        switch event {
        case .live(let revision): return .live(kept(revision))
        case .progress: return capabilities.revisions ? event : nil
        case .interrupted, .reset: return event
        case .change(let change):
            if change.left, !capabilities.reportsLeaving { return nil }
            let isLocated = change.kind != .deleted || capabilities.locatesDeleted
            return .change(
                Change(
                    revision: kept(change.revision),
                    kind: change.kind,
                    id: change.id,
                    row: change.row.map(kept),
                    left: change.left,
                    previousKey: isLocated ? change.previousKey : nil,
                    predicate: change.predicate,
                    count: change.count,
                    idempotencyKey: capabilities.idempotency ? change.idempotencyKey : nil,
                    formerID: change.formerID
                )
            )
        }
    }
}
