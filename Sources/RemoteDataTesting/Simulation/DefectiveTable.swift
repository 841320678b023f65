import RemoteData
import RemoteDataExecution
import Synchronization

/// A table with a defect in it.
final class DefectiveTable: Table {
    private let base: SimulatedTable
    private let defect: Defect

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }

    init(_ base: SimulatedTable, _ defect: Defect) {
        self.base = base
        self.defect = defect
    }

    func count(_ query: Query) async throws(RemoteDataError) -> Count { try await base.count(query) }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
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

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        try await base.subscribe(to: query, since: revision)
    }
}
