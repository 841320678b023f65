package import RemoteData
import RemoteDataExecution
import Synchronization

/// A table with a defect in it.
package final class DefectiveTable: WrappingTable {
    private let base: any Table
    private let defect: Defect
    private let spoilsChanges: Bool

    /// The name of the table with nothing wrong.
    package var name: String { base.name }
    /// Its column of ids.
    package var idColumn: String { base.idColumn }
    /// How it writes dates.
    package var dates: DateConvention { base.dates }
    /// What it can do.
    package var capabilities: Capabilities { base.capabilities }
    /// The table with nothing wrong.
    package var wrapped: any Table { base }

    /// Breaks a table.
    ///
    /// - Parameters:
    ///   - base: A table with nothing wrong.
    ///   - defect: What is wrong with it from now on.
    ///   - spoilsChanges: Whether its changes have the defect too; not where the network below sees to that.
    package init(_ base: any Table, _ defect: Defect, spoilsChanges: Bool = false) {
        self.base = base
        self.defect = defect
        self.spoilsChanges = spoilsChanges
    }

    /// How many rows the query has.
    package func count(_ query: Query) async throws(RemoteDataError) -> Count { try await base.count(query) }

    /// The row with an id.
    package func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    /// The changes after a revision.
    package func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    /// Makes a change.
    package func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError)
        -> Outcome
    {
        try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    /// A page of a query.
    package func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        switch defect {
        case .pagesByOffset:
            var request = request
            if case .after(let key) = request.start {
                request.start = .offset(places.withLock { $0[key.id] ?? 0 })
            }
            let page = try await base.page(request)
            if case .offset(let offset) = request.start { note(page.rows, at: offset) }
            return page
        case .noFence:
            let page = try await base.page(request)
            return Page(rows: page.rows, revision: .zero, failures: page.failures)
        default: return try await base.page(request)
        }
    }

    /// Where the row behind each one was when it was read.
    private let places = Mutex<[RowID: Int]>([:])

    private func note(_ rows: [Row], at offset: Int) {
        places.withLock { places in
            for (index, row) in rows.enumerated() { places[row.id] = offset + index + 1 }
        }
    }

    /// Starts delivering changes of a query.
    package func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await base.subscribe(to: query, since: revision)
        return spoilsChanges ? spoiled(feed, since: revision ?? .zero) : feed
    }

    private func spoiled(_ feed: ChangeFeed, since revision: Revision) -> ChangeFeed {
        let spoiled = ChangeFeed { feed.cancel() }
        Task { [defect] in
            var last = revision
            for await event in feed {
                switch event {
                case .change(let change): last = change.revision ?? last
                case .progress(let revision): last = revision
                case .live(let revision): last = revision ?? last
                case .interrupted, .reset: break
                }
                if let event = defect.spoil(event, revision: last) { spoiled.send(event) }
            }
            spoiled.finish()
        }
        return spoiled
    }
}
