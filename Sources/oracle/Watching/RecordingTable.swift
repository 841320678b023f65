import RemoteData
import Synchronization

/// A table that remembers what is written through it.
final class RecordingTable: WrappingTable {
    let wrapped: any Table
    private let writes = Mutex<[SentWrite]>([])

    var name: String { wrapped.name }
    var idColumn: String { wrapped.idColumn }
    var dates: DateConvention { wrapped.dates }
    var capabilities: Capabilities { wrapped.capabilities }

    /// Remembers the writes of a table from now on.
    init(_ table: any Table) { wrapped = table }

    /// The writes since the last time, which are then forgotten; all of them have ended.
    func takeWrites() -> [SentWrite] {
        writes.withLock { writes in
            defer { writes = [] }
            return writes
        }
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        guard let key = idempotencyKey else {
            throw RemoteDataError(
                .invalidRequest,
                "A write without a key cannot be found in the server's log."
            )
        }
        var write = SentWrite(mutation: mutation, key: key)
        defer {
            write.endTime = .now
            writes.withLock { [write] in $0.append(write) }
        }
        do throws(RemoteDataError) {
            let outcome = try await wrapped.commit(mutation, idempotencyKey: key)
            write.end = .acknowledged(outcome)
            return outcome
        } catch {
            if error.isRefusal { write.end = .refused(error) }
            throw error
        }
    }
}

// MARK: - Passed on

extension RecordingTable {
    func canFilterList(_ clause: Where) -> Bool { wrapped.canFilterList(clause) }

    func canFilterLive(_ clause: Where) -> Bool { wrapped.canFilterLive(clause) }

    func count(_ query: Query) async throws(RemoteDataError) -> Count { try await wrapped.count(query) }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await wrapped.page(request)
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await wrapped.row(id) }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await wrapped.changes(since: revision, limit: limit)
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        try await wrapped.subscribe(to: query, since: revision)
    }
}
