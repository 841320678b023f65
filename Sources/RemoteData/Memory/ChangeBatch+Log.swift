extension ChangeBatch {
    /// A part of a change log.
    ///
    /// - Parameters:
    ///   - changes: What the log has after `since`, at least one more than `limit` if there is; nil when the
    ///     log does not reach back.
    ///   - since: The revision asked for.
    ///   - limit: The most changes wanted.
    ///   - tableRevision: The revision of the table's last change.
    ///   - newestRevision: The revision of the last change of any table that shares revisions.
    /// - Throws: ``RemoteDataError`` with code `gone`, also for a revision that has not been given yet.
    package init(
        _ changes: ArraySlice<RowChange>?,
        since: Revision,
        limit: Int,
        tableRevision: Revision,
        newestRevision: Revision
    ) throws(RemoteDataError) {
        guard limit > 0 else {
            throw RemoteDataError(.invalidRequest, "At least one change has to be asked for, not \(limit).")
        }
        guard let changes, since <= newestRevision else {
            throw RemoteDataError(
                .gone,
                "The change log does not reach back to revision \(since); read everything again."
            )
        }
        let part = changes.prefix(limit)
        let isComplete = part.count == changes.count
        let query = PreparedQuery(Query())
        self.init(
            changes: part.compactMap { $0.seen(by: query) },
            revision: isComplete ? Swift.max(since, tableRevision) : part.last?.revision ?? since,
            isComplete: isComplete
        )
    }
}

extension Mutation {
    /// Whether rows are removed without being looked at one by one.
    package var isBulkDeletion: Bool {
        if case .deleteAll = self { true } else { false }
    }

    /// The clause of a write by clause.
    package var filter: Where? {
        switch self {
        case .updateAll(let filter, _), .deleteAll(let filter): filter
        case .create, .upsert, .update, .delete: nil
        }
    }
}
