/// One committed change of a table with what was there before it: what a subscription needs to tell its part.
package struct RowChange: Sendable {
    /// What happened to which rows.
    package enum Effect: Sendable {
        /// A row was added.
        case created(Row)
        /// A row was replaced; by one with another id, where it has got that.
        case updated(before: Row, after: Row)
        /// A row was removed.
        case deleted(Row)
        /// A row still exists and is no longer one of these.
        case left(Row)
        /// Every row that matches was removed (all for nil): how many in all, and how many of each filter in
        /// ``ChangeHub/filters``, as far as that was counted.
        case bulkDeleted(Where?, count: Int, counts: [Where: Int])
    }

    /// The revision of the write; no two changes share one.
    package let revision: Revision
    /// What it did.
    package let effect: Effect
    /// The idempotency key of the write, if it had one.
    package let key: String?
    /// What has to be known of a removal by clause to tell it to those who see only a part, where that was asked for.
    package let removed: BulkRemoval?
    /// The bytes that the clause of a bulk deletion takes, about sixteen for each of its text.
    package let clauseSize: Int

    package init(revision: Revision, effect: Effect, key: String? = nil, removed: BulkRemoval? = nil) {
        self.revision = revision
        self.effect = effect
        self.key = key
        self.removed = removed
        clauseSize =
            if case .bulkDeleted(let clause?, _, _) = effect { 16 * clause.description.utf8.count } else { 0 }
    }
}

extension RowChange {
    /// The id of the row; nil for a bulk deletion.
    package var id: RowID? {
        switch effect {
        case .created(let row), .updated(_, let row), .deleted(let row), .left(let row): row.id
        case .bulkDeleted: nil
        }
    }

    /// The change as a subscription to a query sees it; nil when it does not concern the query.
    ///
    /// Entering a clause is `created`, leaving it is `deleted` with ``Change/left``.
    /// - Complexity: O(bytes of the row) for each condition of the clause and each sort term.
    package func seen(by query: PreparedQuery) -> Change? {
        switch effect {
        case .created(let row): query.matches(row) ? entered(row) : nil
        case .updated(let before, let after):
            switch (query.matches(before), query.matches(after)) {
            case (true, true): updated(before, after, query)
            case (false, true): entered(after)
            case (true, false): removed(before, query, left: true)
            case (false, false): nil
            }
        case .deleted(let row): query.matches(row) ? removed(row, query, left: false) : nil
        case .left(let row): query.matches(row) ? removed(row, query, left: true) : nil
        case .bulkDeleted(let predicate, let count, let counts):
            bulkDeleted(predicate, count: query.filter.map { counts[$0] } ?? count)
        }
    }

    private func entered(_ row: Row) -> Change {
        Change(revision: revision, kind: .created, row: row, idempotencyKey: key)
    }

    private func updated(_ before: Row, _ after: Row, _ query: PreparedQuery) -> Change {
        Change(
            revision: revision,
            kind: .updated,
            row: after,
            previousKey: Key(before, sort: query.sort),
            idempotencyKey: key,
            formerID: before.hasSameID(as: after) ? nil : before.id
        )
    }

    private func removed(_ row: Row, _ query: PreparedQuery, left: Bool) -> Change {
        Change(
            revision: revision,
            kind: .deleted,
            id: row.id,
            left: left,
            previousKey: Key(row, sort: query.sort),
            idempotencyKey: key
        )
    }

    private func bulkDeleted(_ predicate: Where?, count: Int?) -> Change? {
        guard count != 0 else { return nil }
        return Change(
            revision: revision,
            kind: .bulkDeleted,
            predicate: predicate,
            count: count,
            idempotencyKey: key
        )
    }
}
