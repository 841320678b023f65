/// What an audit has found so far.
struct AuditRecord: Sendable {
    private(set) var compared: Set<RowID> = []
    private var missing: Set<RowID> = []
    private var extra: Set<RowID> = []
    private var differing: Set<RowID> = []
    var isSettled = true

    /// Takes the same stretch from both sides.
    ///
    /// - Parameters:
    ///   - ours: The rows that are here.
    ///   - theirs: The rows of the table.
    ///   - known: The row with an id that is here, there or elsewhere.
    mutating func take(ours: [Row], theirs: [Row], known: (RowID) -> Row?) {
        let here = Set(ours.map(\.id))
        var there: [RowID: Row] = [:]
        for row in theirs { there[row.id] = row }
        for row in ours {
            compared.insert(row.id)
            if let other = there[row.id] {
                if !other.hasSameColumns(as: row) { differing.insert(row.id) }
            } else {
                extra.insert(row.id)
            }
        }
        for row in theirs where !here.contains(row.id) {
            compared.insert(row.id)
            // One that sorts elsewhere here is another version of it.
            if known(row.id) == nil { missing.insert(row.id) } else { differing.insert(row.id) }
        }
    }

    /// The findings; a row counts once, however many stretches it was found in.
    var audit: Audit {
        let moved = missing.intersection(extra).union(differing)
        return Audit(
            compared: compared.count,
            missing: missing.subtracting(moved),
            extra: extra.subtracting(moved),
            differing: moved,
            isSettled: isSettled
        )
    }
}
