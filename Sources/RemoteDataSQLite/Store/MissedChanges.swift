import RemoteData

/// All that has changed in a table after a revision, for a subscription that goes on from there.
struct MissedChanges: Sendable {
    /// The changes, oldest first.
    var changes: [RowChange]
    /// The revision up to which they are all.
    var end: Revision

    /// Reads the log, in a transaction; nil where changes are no longer known, or are more than a feed
    /// holds.
    ///
    /// - Parameters:
    ///   - table: The number of the table.
    ///   - since: The revision after which they are wanted.
    ///   - current: The revision of the table.
    ///   - connection: The connection to read from.
    /// - Throws: `RemoteDataError` with code `storage`.
    init?(
        table: Int64,
        since: Revision,
        upTo current: Revision,
        from connection: Connection
    ) throws(RemoteDataError) {
        let stored = try StoredChanges(
            table: table,
            since: since,
            limit: 10_000,
            bytes: 16 << 20,
            isAll: true,
            from: connection
        )
        guard let stored, stored.isComplete else { return nil }
        (changes, end) = (stored.changes, max(since, current))
    }
}
