/// Tells what a subscription to a query sees of a whole table's changes, where nobody knows what rows were before them.
///
/// For tables of servers that cannot be asked for less without hiding rows that leave a clause: see
/// ``Capabilities/reportsEntering``.
package struct ChangeFilter: Sendable {
    private let matcher: Where.Matcher?
    private let sort: [SortTerm]

    /// Prepares a query.
    package init(_ query: Query) {
        matcher = query.filter.map { Where.Matcher($0) }
        sort = query.sort
    }

    /// A change as the subscription sees it; nil when it does not concern the query.
    ///
    /// - Parameters:
    ///   - change: A change of the whole table.
    ///   - before: What the row was, where that is known.
    /// - Returns: The change.
    /// - Complexity: O(bytes of the row) for each condition of the clause.
    package func seen(_ change: Change, before: Row? = nil) -> Change? {
        switch change.kind {
        case .created, .updated:
            guard let row = change.row else { return nil }
            if matcher?.matches(row) ?? true { return whole(change, change.kind, row: row, before: before) }
            // Nobody knows whether it matched before, but one that is new did not.
            return change.kind == .created ? nil : whole(change, .deleted, left: true, before: before)
        case .deleted:
            if let before, let matcher, !matcher.matches(before) { return nil }
            return whole(change, .deleted, before: before)
        case .bulkDeleted: return whole(change, .bulkDeleted, before: nil)
        default: return nil
        }
    }

    /// An event of a feed of the whole table as the subscription sees it; nil for nothing.
    ///
    /// Keys tell where rows stood in another order, so they are left out.
    package func seen(_ event: ChangeEvent) -> ChangeEvent? {
        guard case .change(let change) = event else { return event }
        return seen(change).map { .change($0) } ?? change.revision.map { .progress($0) }
    }

    private func whole(
        _ change: Change,
        _ kind: ChangeKind,
        row: Row? = nil,
        left: Bool = false,
        before: Row?
    )
        -> Change
    {
        Change(
            revision: change.revision,
            kind: kind,
            id: kind == .deleted ? change.formerID ?? change.id : change.id,
            row: row,
            left: left,
            previousKey: before.map { Key($0, sort: sort) },
            predicate: change.predicate,
            // How many of them were rows of the query, nobody knows.
            count: matcher == nil ? change.count : nil,
            idempotencyKey: change.idempotencyKey,
            formerID: kind == .updated ? change.formerID : nil
        )
    }
}
