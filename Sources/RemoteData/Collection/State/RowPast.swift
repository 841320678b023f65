/// What is known of earlier versions of a row.
struct RowPast: Sendable {
    /// Those that are kept, the latest first.
    var versions: [Row] = []
    /// The digests of others.
    var digests: ColumnDigests?
    /// Whether there may be versions of which nothing is known.
    var isUnknown = false
    /// What own updates wrote.
    var written = WrittenValues.OfRow()
    private let newest: Row

    init(_ newest: Row) { self.newest = newest }

    /// Adds what is known elsewhere of versions of the row.
    mutating func formUnion(_ other: RowPast) {
        versions += other.versions
        digests.formUnion(other.digests)
        isUnknown = isUnknown || other.isUnknown
    }

    /// Adds a version, unless it is the newest one, or comes after that.
    mutating func noteVersion(_ version: Row) {
        guard version.json != newest.json else { return }
        if let revision = version.revision, let known = newest.revision, revision.isLater(than: known) {
            return
        }
        versions.insert(version, at: 0)
    }

    /// Whether a column may have had another value in a version that is not kept.
    ///
    /// - Parameter column: Its name.
    /// - Returns: Whether it may.
    /// - Complexity: O(bytes of the row).
    func mayHaveChanged(_ column: String) -> Bool {
        isUnknown || digests?.mayDiffer(from: ColumnDigests(newest), in: column) ?? false
    }
}
