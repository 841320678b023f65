import Synchronization

// Removing many rows at once.
extension RemoteDataCollection {
    /// Removes every row of the collection from the table in one request; does not block.
    ///
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError`` when the table refuses or cannot be asked.
    @discardableResult
    public func removeAll() async throws(RemoteDataError) -> Int { try await removeAll(query.filter) }

    /// Removes the rows of the collection that match a further clause, in one request; does not block.
    ///
    /// Where changes by others may be unknown, because the connection for them is lost or none are followed, the rows here that
    /// match are asked for as well, one request for each page of them: some may match no longer, and are still there.
    ///
    /// - Parameter clause: Which of the collection's rows, such as `age > 90`; a blank one is refused.
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError``: `invalidClause` when the clause is blank or cannot be read, or why the
    ///   table refuses or cannot be asked.
    @discardableResult
    public func removeAll(where clause: String) async throws(RemoteDataError) -> Int {
        guard let condition = try Where.parse(clause, for: Element.self, in: table) else {
            throw RemoteDataError(
                .invalidClause,
                "A blank clause does not say which rows are to be removed; removeAll() removes all of them."
            )
        }
        return try await removeAll(both(condition))
    }

    func removeAll(_ filter: Where?) async throws(RemoteDataError) -> Int {
        let outcome = try await commit(.deleteAll(filter)) { outcome in
            let count = outcome.count
            // Rows that match here may have changed there.
            guard count > 0 else { return [] }
            return [Change(revision: outcome.revision, kind: .bulkDeleted, predicate: filter, count: count)]
        }
        return outcome.count
    }

    /// What became of the rows here that an own removal by clause may have taken away; nil when what is here tells.
    ///
    /// Where changes have not come, rows may have changed unseen, so that the table has removed others than match here: it
    /// is asked for those that do, one request for each page of them. Those that it cannot be asked for stay.
    func fate(of changes: [Change]) async -> RowsFate? {
        guard let change = changes.first,
            let (ids, asked) = state.withLock({ state in
                state.core.unsureRows(of: change).map { ($0, state.core.number()) }
            })
        else { return nil }
        guard let pages = try? await pages(of: ids), pages.allSatisfy(\.failures.isEmpty) else {
            return RowsFate()
        }
        return RowsFate(ids: Set(ids), pages: pages, asked: asked)
    }

    /// The rows with some ids that match the clause: one request for each page of them.
    func pages(of ids: [RowID]) async throws(RemoteDataError) -> [Page] {
        let column = Where.Operand.column(ColumnPath(table.idColumn))
        var pages: [Page] = []
        for start in stride(from: 0, to: ids.count, by: options.pageSize) {
            let part = ids[start..<Swift.min(ids.count, start + options.pageSize)]
            let clause = both(.isIn(column, part.map { .literal($0.value) }))
            pages.append(try await page(PageRequest(Query(clause), start: .offset(0), limit: part.count)))
        }
        return pages
    }
}
