import RemoteData

/// As of which revision of a server a row is known.
///
/// Stored as one number in `serverRevision`: the row's own revision as it is; where only that of the page or the change is known
/// that it came with, the negative of that less one. Null for tables without revisions. The epoch is kept
/// once for each table: see ``StoreTransaction/enter(_:of:)``.
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
        self.asOf = Optional(revision).advanced(to: asOf)
    }

    /// Reads a column of a table whose revisions belong to an epoch.
    init(_ row: Statement, _ column: Int32, _ epoch: Epoch?) {
        guard !row.isNull(column) else {
            (revision, asOf) = (nil, nil)
            return
        }
        let number = row.integer(column)
        revision = number < 0 ? nil : Revision(number, epoch: epoch)
        asOf = Revision(number < 0 ? -(number + 1) : number, epoch: epoch)
    }

    var binding: Binding {
        if let revision { return Binding(revision) }
        return asOf.map { .integer(-$0.rawValue - 1) } ?? .null
    }

    /// Whether something as of a revision says less than what is known; without revisions the later word counts.
    func isNewer(than other: Revision?) -> Bool {
        guard let asOf, let other, asOf.isOfSameHistory(as: other) else { return false }
        return asOf > other
    }
}
