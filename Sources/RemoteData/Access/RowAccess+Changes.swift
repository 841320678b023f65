// Changes, as they look to somebody who may not read every row: one that may no longer be read is deleted, one that
// may be read from now on is created.
extension RowAccess {
    /// What somebody is told of a change.
    package enum View: Sendable {
        case nothing
        case change(Change)
        /// It is not known what of it may be told: something may have been missed.
        case unknown
    }

    /// A change as a subscription to a query sees it.
    ///
    /// - Complexity: O(bytes of the row) for each condition and sort term.
    package func seen(_ change: RowChange, by query: PreparedQuery) -> View {
        let key = keys.own(change.key)
        let effect: RowChange.Effect
        switch change.effect {
        case .created(let row), .deleted(let row), .left(let row):
            guard mayRead(row) else { return .nothing }
            effect = change.effect
        case .updated(let before, let after):
            switch (mayRead(before), mayRead(after)) {
            case (true, true): effect = change.effect
            case (false, true): effect = .created(after)
            // Whether it still exists is nobody's business any more.
            case (true, false): effect = .deleted(before)
            case (false, false): return .nothing
            }
        case .bulkDeleted(let predicate, _, _):
            return seen(change.removed, predicate, at: change.revision, key: key, by: query)
        }
        let seen = RowChange(revision: change.revision, effect: effect, key: key).seen(by: query)
        return seen.map { .change($0) } ?? .nothing
    }

    /// A removal by clause: whose clause it was, and what it speaks of, only those may know who asked for it.
    private func seen(
        _ removed: BulkRemoval?,
        _ predicate: Where?,
        at revision: Revision,
        key: String?,
        by query: PreparedQuery
    ) -> View {
        func bulk(_ predicate: Where?, count: Int?) -> View {
            .change(
                Change(
                    revision: revision,
                    kind: .bulkDeleted,
                    predicate: predicate,
                    count: count,
                    idempotencyKey: key
                )
            )
        }
        let request = removed?.request.flatMap { !isNobody && $0.readable == readable ? $0 : nil }
        guard let rows = removed?.rows else {
            return request.map { bulk($0.filter, count: nil) } ?? .unknown
        }
        let visible = rows.filter { mayRead($0) && query.matches($0) }
        if visible.isEmpty { return .nothing }
        if let request { return bulk(request.filter, count: visible.count) }
        if predicate == nil { return bulk(nil, count: visible.count) }
        let ids = visible.map { Where.Operand.literal($0.id.value) }
        return bulk(.isIn(.column(ColumnPath(idColumn)), ids), count: visible.count)
    }
}
