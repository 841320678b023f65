extension ChangeBatch {
    /// A part of a change log.
    ///
    /// - Parameters:
    ///   - changes: What the log has after `since`, maybe the first part of it; nil when the log does not
    ///     reach back.
    ///   - isWhole: Whether `changes` are all there are.
    ///   - since: The revision asked for, in the table's history.
    ///   - limit: The most changes wanted.
    ///   - tableRevision: The revision of the table's last change.
    ///   - newestRevision: The revision of the last change of any table that shares revisions.
    ///   - access: The rights of who asks, who is told only of what these let be read.
    /// - Throws: ``RemoteDataError`` with code `gone`, also for a revision that has not been given yet.
    package init(
        _ changes: ArraySlice<RowChange>?,
        isWhole: Bool = true,
        since: Revision,
        limit: Int,
        tableRevision: Revision,
        newestRevision: Revision,
        access: RowAccess? = nil
    ) throws(RemoteDataError) {
        guard limit > 0 else {
            throw RemoteDataError(.invalidRequest, "At least one change has to be asked for, not \(limit).")
        }
        guard let changes, since <= newestRevision else { throw .logBeginsLater(since) }
        let part = changes.prefix(limit)
        let isComplete = isWhole && part.count == changes.count
        let query = PreparedQuery(Query())
        var seen: [Change] = []
        for change in part {
            let view = access?.seen(change, by: query)
            if case .unknown = view { throw .logBeginsLater(since) }
            let visible: Change? =
                if case .change(let visible)? = view { visible } else {
                    view == nil ? change.seen(by: query) : nil
                }
            if let visible { seen.append(visible) }
        }
        self.init(
            changes: seen,
            revision: isComplete ? Swift.max(since, tableRevision) : part.last?.revision ?? since,
            isComplete: isComplete
        )
    }
}

extension RemoteDataError {
    fileprivate static func logBeginsLater(_ since: Revision) -> RemoteDataError {
        RemoteDataError(
            .gone,
            "The change log does not reach back to revision \(since); read everything again."
        )
    }

    /// Changes are wanted since a revision that is not of the table's epoch.
    package static func otherHistory(_ since: Revision) -> RemoteDataError {
        let reason =
            since.epoch == nil
            ? "comes without an epoch, which the table has"
            : "is of another epoch than the table, or its caller's"
        return RemoteDataError(.gone, "Revision \(since.rawValue) \(reason); read everything again.")
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

extension Where {
    /// Refuses the clause of a removal that subscribers, or readers of a log, could not parse:
    /// with the values of sub-queries, or with what rights add to it, it is another one than was asked for.
    ///
    /// - Throws: ``RemoteDataError`` with code `tooLarge`.
    /// - Complexity: O(clause).
    package func checkTold() throws(RemoteDataError) {
        guard (try? Where.parse(description)) == nil else { return }
        throw RemoteDataError(
            .tooLarge,
            "With what rights and sub-queries add, the clause is longer than \(ClauseScanner.textLimit) bytes"
                + " or nested too deeply: remove fewer at once, or by a simpler clause."
        )
    }
}
