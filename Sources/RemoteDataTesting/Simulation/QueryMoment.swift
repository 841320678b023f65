package import RemoteData

/// The rows of a query at a revision, by the server's own account.
package struct QueryMoment: Sendable {
    /// The revision.
    package let revision: Revision
    /// Where each row stood.
    package let keys: [RowID: Key]

    /// Notes a moment.
    package init(revision: Revision, keys: [RowID: Key]) {
        self.revision = revision
        self.keys = keys
    }
}

extension [QueryMoment] {
    /// The rows that matched from one revision to another: those that an iteration in that time has to yield.
    ///
    /// - Parameters:
    ///   - begin: Where the time begins.
    ///   - end: Where it ends; nil for the last moment.
    ///   - withoutMoved: Whether rows that moved in the order meanwhile do not count.
    /// - Returns: Their ids.
    /// - Complexity: O(moments · rows).
    package func rowsThroughout(
        from begin: Revision,
        to end: Revision? = nil,
        withoutMoved: Bool
    ) -> Set<RowID> {
        let first = moment(of: begin)
        guard var rest = self[first...].first?.keys else { return [] }
        let last = Swift.max(first, end.map(moment) ?? count - 1)
        for moment in self[first...last].dropFirst() {
            rest = rest.filter { id, key in
                guard let now = moment.keys[id] else { return false }
                return !withoutMoved || now == key
            }
        }
        return Set(rest.keys)
    }

    /// The last moment that is no later than a revision; the first where there is none.
    private func moment(of revision: Revision) -> Int {
        lastIndex { $0.revision.isOfSameHistory(as: revision) && $0.revision <= revision } ?? 0
    }

    /// The rows that matched at any time since a revision: no others may an iteration yield.
    ///
    /// - Complexity: O(moments · rows).
    package func rowsEver(since begin: Revision) -> Set<RowID> {
        let first = moment(of: begin)
        return self[first...].reduce(into: []) { $0.formUnion($1.keys.keys) }
    }
}
