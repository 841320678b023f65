import Synchronization

// Clauses with sub-queries, of which only the table knows which rows match.
extension RemoteDataCollection {
    var hasSubQuery: Bool { query.filter?.hasSubQuery ?? false }

    /// Whether a row belongs to the collection, which may have to be asked for.
    func isMember(_ row: Row) async throws(RemoteDataError) -> Bool {
        guard hasSubQuery, state.withLock({ $0.core.row(row.id) }) == nil else { return query.mayHave(row) }
        return try await pages(of: [row.id]).contains { !$0.rows.isEmpty }
    }

    /// What own writes changed, as far as it concerns the collection; nil where that could not be found out.
    ///
    /// One request for each page of the rows written.
    func matching(_ changes: [Change]) async -> [Change]? {
        let ids = changes.compactMap { $0.row?.id }
        guard !ids.isEmpty else { return changes }
        guard let pages = try? await pages(of: ids), pages.allSatisfy(\.failures.isEmpty) else { return nil }
        let members = Set(pages.flatMap { $0.rows.map(\.id) })
        return changes.compactMap { change in
            guard let id = change.row?.id, !members.contains(id) else { return change }
            guard change.kind == .updated else { return nil }
            return Change(
                revision: change.revision,
                kind: .deleted,
                id: id,
                left: true,
                previousKey: change.previousKey
            )
        }
    }
}

extension Query {
    /// Whether a row belongs to the query, as far as a row by itself tells: sub-queries may be true.
    func mayHave(_ row: Row) -> Bool {
        guard let filter else { return true }
        return filter.hasSubQuery ? filter.truth(of: row) != .false : filter.matches(row)
    }
}
