import RemoteData
import Synchronization

/// A table that passes everything on to another one, and notes what it sees of it.
///
/// Tables nest, so looking into the traffic of one takes nothing but another.
final class ObservedTable: WrappingTable {
    private let base: any Table
    /// The columns of the rows read.
    let columns = ColumnOrder()
    private let failure = Mutex<RemoteDataError?>(nil)
    private let revision = Mutex<Revision?>(nil)

    /// Whether the table is known never to have had a row, which is what a mistyped name looks like.
    var isUnwritten: Bool { revision.withLock { $0?.rawValue == 0 } }

    /// What was wrong with the first row that could not be read.
    var firstFailure: RemoteDataError? { failure.withLock { $0 } }

    init(_ base: any Table) { self.base = base }

    /// Notes what was wrong with a row.
    func note(_ error: RemoteDataError) { failure.withLock { $0 = $0 ?? error } }

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }
    var wrapped: any Table { base }

    func canFilterList(_ clause: Where) -> Bool { base.canFilterList(clause) }

    func canFilterLive(_ clause: Where) -> Bool { base.canFilterLive(clause) }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let count = try await base.count(query)
        revision.withLock { $0 = count.revision }
        return count
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let page = try await base.page(request)
        columns.note(page)
        if let first = page.failures.first { note(first.error) }
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
        try await base.subscribe(to: query, since: revision)
    }
}
