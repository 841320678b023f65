import RemoteData
import RemoteDataTesting
import Testing

/// The checker itself: a table with a fault must not pass.
struct CheckTableTests {
    /// A memory table with one thing wrong.
    private struct FaultyTable: Table {
        enum Fault: String, CaseIterable {
            case losesWrites, repeatsRows, countsWrong, forgetsKeys, ignoresRevisions, hidesEvents,
                acceptsAnyColumn
            case acceptsAnyOrder, answersOldRows
            // Each takes a revision of another epoch for one of its own.
            case writesOnAnyEpoch, listsChangesOfAnyEpoch, resumesAnyEpoch
        }

        private static let epoch = Epoch(rawValue: 7)
        let base = MemoryTable("rows", epoch: epoch)
        let fault: Fault

        var name: String { base.name }
        var idColumn: String { base.idColumn }
        var dates: DateConvention { base.dates }
        var capabilities: Capabilities { base.capabilities }

        func count(_ query: Query) async throws(RemoteDataError) -> Count {
            var query = query
            if fault == .acceptsAnyColumn { query.filter = nil }
            if fault == .acceptsAnyOrder { query.sort = [] }
            let count = try await base.count(query)
            return fault == .countsWrong ? Count(count.value + 1, revision: count.revision) : count
        }

        func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
            var request = request
            if fault == .repeatsRows, case .after(let key) = request.start {
                request.start = .offset(key.id == "a" ? 0 : 1)
            }
            return try await base.page(request)
        }

        func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
            fault == .answersOldRows ? Row(id: id, json: Array("{}".utf8)[...]) : try await base.row(id)
        }

        func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
            switch (fault, mutation) {
            case (.losesWrites, .update(let id, _, _)): return Outcome(ids: [id], count: 1)
            case (.ignoresRevisions, .update(let id, let patch, _)):
                return try await base.commit(.update(id, patch: patch))
            case (.writesOnAnyEpoch, .update(let id, let patch, let revision)):
                return try await base.commit(.update(id, patch: patch, ifRevision: revision.map(own)))
            default:
                return try await base.commit(
                    mutation,
                    idempotencyKey: fault == .forgetsKeys ? nil : idempotencyKey
                )
            }
        }

        func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
            let start = fault == .listsChangesOfAnyEpoch ? own(revision) : revision
            return try await base.changes(since: start, limit: limit)
        }

        private func own(_ revision: Revision) -> Revision { Revision(revision.rawValue, epoch: Self.epoch) }

        func subscribe(to query: Query, since: Revision?) async throws(RemoteDataError) -> ChangeFeed {
            let start = fault == .resumesAnyEpoch ? since.map(own) : since
            guard fault == .hidesEvents else { return try await base.subscribe(to: query, since: start) }
            let feed = ChangeFeed()
            feed.send(.live(.zero))
            feed.finish()
            return feed
        }
    }

    @Test(arguments: FaultyTable.Fault.allCases) private func findsTheFault(_ fault: FaultyTable.Fault) async
    {
        await withKnownIssue { await checkTable { FaultyTable(fault: fault) } }
    }
}
