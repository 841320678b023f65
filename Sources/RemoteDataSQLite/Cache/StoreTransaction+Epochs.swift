import RemoteData

// What is kept of a server's table belongs to one history of it: the revisions are stored without their
// epoch, and that once.
extension StoreTransaction {
    /// Prepares a table for something of a server's revision; what is kept by revisions of another history
    /// loses them.
    ///
    /// Rows stay, to be shown until the server is asked, and count for as much as rows without a revision.
    ///
    /// - Parameters:
    ///   - revision: The revision; nil for none, which changes nothing.
    ///   - table: The table.
    /// - Returns: Whether the history is another one than before.
    /// - Throws: `RemoteDataError` with code `storage`.
    /// - Complexity: O(rows) where it is another one, otherwise O(1).
    @discardableResult
    mutating func enter(_ revision: Revision?, of table: String) throws(RemoteDataError) -> Bool {
        // The beginning of every history.
        guard let revision, revision != .zero else { return false }
        guard try self.table(table).serverEpoch != revision.epoch else { return false }
        try leaveHistory(of: table)
        var info = try self.table(table)
        info.serverEpoch = revision.epoch
        catalog.tables[table] = info
        try connection.run(
            "UPDATE tables SET epoch = ? WHERE number = ?",
            [Binding(info.serverEpoch), .integer(info.number)]
        )
        return true
    }

    /// Whether a table is prepared for the history of a revision already, which began since an earlier one.
    func hasEntered(
        _ revision: Revision?,
        of table: String,
        since earlier: Revision?
    ) -> Bool {
        guard let epoch = revision?.epoch, epoch != earlier?.epoch else { return false }
        return catalog.tables[table]?.serverEpoch == epoch
    }

    /// Removes what is kept of a table by revisions, as its server has begun anew.
    ///
    /// Rows that are held whole keep a revision that no row of the server has: a write over one is
    /// conditional, and is decided by the rows themselves. The table is to be read anew.
    ///
    /// - Parameter table: The table.
    /// - Throws: `RemoteDataError` with code `storage`.
    /// - Complexity: O(rows).
    mutating func leaveHistory(of table: String) throws(RemoteDataError) {
        try forgetOwn(of: table)
        let info = try self.table(table)
        let number = Binding.integer(info.number)
        for (record, query) in try records(of: info) {
            var record = record
            record.lose(sort: query.sort)
            try record.write(to: connection)
        }
        try connection.run(
            """
            UPDATE t\(info.number) SET serverRevision = CASE WHEN used IN (-1,-2) THEN 0 END
            WHERE serverRevision NOT NULL
            """
        )
        for sql in [
            "UPDATE bases SET serverRevision = 0 WHERE tableNumber = ? AND serverRevision NOT NULL",
            "UPDATE outbox SET beforeRevision = 0 WHERE tableNumber = ? AND beforeRevision NOT NULL",
            "UPDATE tables SET newest = NULL WHERE number = ?",
            "UPDATE pulls SET revision = NULL, stamp = NULL WHERE tableNumber = ?",
            "UPDATE pulls SET isWhole = 0 WHERE tableNumber = ? AND isWhole = 1",
        ] { try connection.run(sql, [number]) }
        // A read under way notices by itself.
        let wasWhole = connection.changeCount > 0
        if wasWhole, !catalog.pulling.contains(table) { outboxNews.doubtful.insert(table) }
    }

    /// What is kept of the queries of a table, by query; what cannot be read is dropped.
    func records(of info: TableInfo) throws(RemoteDataError) -> [(record: KeptRecord, query: Query)] {
        var texts: [String] = []
        try connection.query(
            "SELECT text FROM queries WHERE tableNumber = ?",
            [.integer(info.number)]
        ) { texts.append($0.text(0)) }
        var records: [(record: KeptRecord, query: Query)] = []
        for text in texts {
            if let query = Query(kept: text),
                let record = try KeptRecord.read(
                    query,
                    table: info.number,
                    epoch: info.serverEpoch,
                    from: connection
                )
            {
                records.append((record, query))
            } else {
                try connection.run(
                    "DELETE FROM queries WHERE tableNumber = ? AND text = ?",
                    [.integer(info.number), .text(text)]
                )
            }
        }
        return records
    }
}

extension Query {
    /// Reads what ``KeptRecord/text(_:)`` wrote.
    fileprivate init?(kept text: String) {
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count > 1 else { return nil }
        // Text in a clause may hold line breaks; a sort order has none but in names, which are then not read.
        let clause = parts.dropLast().joined(separator: "\n")
        guard let sort = try? SortTerm.parse(String(last)) else { return nil }
        do throws(RemoteDataError) { self.init(try Where.parse(clause), sort: sort) } catch { return nil }
    }
}
