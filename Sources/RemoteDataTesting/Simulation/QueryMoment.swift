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
    /// The rows that matched from one moment to another: those that an iteration in that time has to yield.
    ///
    /// - Parameters:
    ///   - begin: Where the time begins.
    ///   - end: Where it ends; nil for the last moment.
    ///   - withoutMoved: Whether rows that moved in the order meanwhile do not count.
    /// - Returns: Their ids.
    /// - Complexity: O(moments · rows).
    package func rowsThroughout(
        from begin: Int,
        to end: Int? = nil,
        withoutMoved: Bool
    ) -> Set<RowID> {
        guard begin < count else { return [] }
        let moments = self[begin...Swift.max(begin, end ?? count - 1)]
        var rest = moments.first?.keys ?? [:]
        for moment in moments.dropFirst() {
            rest = rest.filter { id, key in
                guard let now = moment.keys[id] else { return false }
                return !withoutMoved || now == key
            }
        }
        return Set(rest.keys)
    }

    /// The last moment of a revision, or of those before it; the first where there is none.
    ///
    /// A store that began anew in the same epoch may have come to the revision twice.
    package func moment(of revision: Revision) -> Int {
        lastIndex { $0.revision == revision }
            ?? lastIndex { $0.revision.isOfSameHistory(as: revision) && $0.revision <= revision } ?? 0
    }

    /// The rows that matched at any time since a moment: no others may an iteration yield.
    ///
    /// - Complexity: O(moments · rows).
    package func rowsEver(since begin: Int) -> Set<RowID> {
        self[begin...].reduce(into: []) { $0.formUnion($1.keys.keys) }
    }
}
