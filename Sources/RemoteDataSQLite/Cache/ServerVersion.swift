import RemoteData

/// As of which revision of a server a row is known.
///
/// Stored as one number in `serverRevision`: the row's own revision as it is; where only that of the page or the change is known
/// that it came with, the negative of that less one. Null for tables without revisions.
struct ServerVersion: Sendable, Hashable {
    /// The row's own revision, where it is known.
    let revision: Revision?
    /// The latest revision at which the row is known to have been like this.
    let asOf: Revision?

    init(_ revision: Revision?, asOf: Revision?) {
        self.revision = revision
        guard let revision, let asOf else {
            self.asOf = revision ?? asOf
            return
        }
        self.asOf = max(revision, asOf)
    }

    /// Reads a column.
    init(_ row: Statement, _ column: Int32) {
        guard !row.isNull(column) else {
            (revision, asOf) = (nil, nil)
            return
        }
        let number = row.integer(column)
        revision = number < 0 ? nil : Revision(number)
        asOf = Revision(number < 0 ? -(number + 1) : number)
    }

    var binding: Binding {
        if let revision { return Binding(revision) }
        return asOf.map { .integer(-$0.rawValue - 1) } ?? .null
    }

    /// Whether something as of a revision says less than what is known; without revisions the later word counts.
    func isNewer(than other: Revision?) -> Bool {
        guard let asOf, let other else { return false }
        return asOf > other
    }
}
