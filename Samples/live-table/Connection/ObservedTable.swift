import RemoteData

/// A table that passes everything on to another one, and tells what goes through: the columns, and whether changes come.
///
/// Tables nest, so looking into the traffic of one takes nothing but another.
final class ObservedTable: Table {
    private let base: any Table
    /// The columns of the rows read.
    let columns = ColumnOrder()
    /// Whether changes are being delivered.
    let link = Link()

    init(_ base: any Table) { self.base = base }

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }

    func count(_ filter: Where?) async throws(RemoteDataError) -> Count { try await base.count(filter) }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let page = try await base.page(request)
        columns.note(page)
        return page
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        let source: ChangeFeed
        do throws(RemoteDataError) { source = try await base.subscribe(to: query, since: revision) } catch {
            link.note(.interrupted(error))
            throw error
        }
        let feed = ChangeFeed { source.cancel() }
        Task.detached { [weak feed, link] in
            while case let events = await source.nextBatch(), !events.isEmpty, let feed {
                for event in events {
                    link.note(event)
                    feed.send(event)
                }
            }
            feed?.finish()
        }
        return feed
    }
}
