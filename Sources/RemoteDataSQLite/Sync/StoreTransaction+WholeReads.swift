import RemoteData

// Everything is read, in pages: what a table has that none of them shows is gone.
extension StoreTransaction {
    /// Forgets what became known by other ways while a pull is under way, as it is of a former history.
    mutating func forgetOwn(of table: String) throws(RemoteDataError) {
        catalog.removed = catalog.removed.filter { $0.key.table != table }
        guard catalog.pulling.contains(table) else { return }
        try connection.execute("UPDATE \(try seen(table)) SET own = NULL")
    }

    /// How it is noted that a row was read, and left aside for an answer that may be older.
    private static var unclear: Int64 { 2 }

    // What a pull has seen is kept aside until it ends, and so is what became known meanwhile by other ways.
    private func seen(_ table: String) throws(RemoteDataError) -> String {
        "temp.seen\(catalog.tables[table]?.number ?? 0)"
    }

    /// Begins to read a table whole.
    mutating func beginPull(of table: String) throws(RemoteDataError) {
        _ = try self.table(table)
        let name = try seen(table)
        try connection.execute("DROP TABLE IF EXISTS \(name)")
        try connection.execute(
            "CREATE TABLE \(name) (id NOT NULL PRIMARY KEY, own INTEGER, isRead INTEGER) WITHOUT ROWID"
        )
        catalog.pulling.insert(table)
    }

    /// Takes a row that a page has, unless an answer to a write of it may be newer.
    mutating func pullSeen(
        _ row: Row,
        asOf revision: Revision?,
        in table: String
    ) throws(RemoteDataError) {
        let name = try seen(table)
        let own = try connection.first(
            "SELECT own FROM \(name) WHERE id = ? AND own NOT NULL",
            [Binding(row.id)]
        ) { $0.integer(0) }
        let last = revision ?? row.revision
        let isOlder = own.map { own in last.map { $0.rawValue < own } ?? true } ?? false
        if !isOlder { try pull(row, asOf: revision, in: table) }
        var isUnclear = false
        if isOlder, last == nil {
            // Without revisions it is unknown whether the page is older than the answer.
            let known = try settled(row.id, in: table)
            isUnclear = try !isSame(row.json, known)
        }
        try connection.run(
            "INSERT OR REPLACE INTO \(name) VALUES (?1,(SELECT own FROM \(name) WHERE id = ?1),?2)",
            [Binding(row.id), .integer(isUnclear ? Self.unclear : 1)]
        )
    }

    /// The row as the server is known to have it.
    private func settled(_ id: RowID, in table: String) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        let place = RowPlace(table: table, id: try currentID(of: id, in: table))
        if let base = try base(of: place) { return base.json }
        return try known(place.id, in: table)?.row.json
    }

    /// Whether it is unknown of a row which is older, what was read of it or an answer that came meanwhile.
    private func isUnclear(_ table: String, _ info: TableInfo) throws(RemoteDataError) -> Bool {
        try connection.first(
            """
            SELECT 1 FROM \(try seen(table)) AS s
            WHERE isRead = \(Self.unclear) OR (isRead = 0 AND own = 0 AND (
                EXISTS (SELECT 1 FROM t\(info.number) AS t WHERE t.id = s.id AND used IN (-1,-2))
                OR EXISTS (SELECT 1 FROM bases WHERE tableNumber = ? AND bases.id = s.id AND json NOT NULL)))
            LIMIT 1
            """,
            [.integer(info.number)]
        ) { _ in true } ?? false
    }

    /// Ends a pull: what the server has not shown is gone.
    ///
    /// Where the server has no revisions, the table is read again if that can show which of an answer and
    /// what was read is older.
    mutating func endPull(
        of table: String,
        asOf revision: Revision?,
        stamp: Value?
    ) throws(RemoteDataError) {
        let info = try self.table(table)
        let name = try seen(table)
        var gone: [RowID] = []
        // What the server had agreed to before the first page is in a page, or gone since.
        // What was sent and is in none may be answered later, and be older.
        let isSeen = "s.id = there.id AND (isRead OR own = 0 OR (own NOT NULL AND ifnull(own > ?2,1)))"
        try connection.query(
            """
            SELECT id FROM t\(info.number) AS there WHERE used IN (-1,-2)
                AND NOT EXISTS (SELECT 1 FROM \(name) AS s WHERE \(isSeen))
            UNION SELECT id FROM bases AS there WHERE tableNumber = ?1 AND json IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM \(name) AS s WHERE \(isSeen))
            UNION SELECT id FROM outbox AS there WHERE tableNumber = ?1 AND kind <= 2 AND state < 2
                AND attempts > 0 AND NOT EXISTS (SELECT 1 FROM \(name) AS s WHERE \(isSeen))
            """,
            [.integer(info.number), revision.map { Binding($0) } ?? .null]
        ) { gone.append($0.id(0)) }
        for id in gone { try pullRemoval(of: id, asOf: revision, in: table) }
        let isUnclear = try isUnclear(table, info)
        try connection.execute("DROP TABLE \(name)")
        catalog.pulling.remove(table)
        // An answer to a write has come of another history than the pages.
        let isMixed = try enter(revision, of: table)
        try notePull(of: table, revision: revision, stamp: stamp, isWhole: true)
        if isMixed || isUnclear { try doubt(table) }
    }

    /// Ends a pull that has failed: nothing is kept aside for it any more.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - wasWhole: Whether all of the table was known when it began: otherwise it is read again anyway.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func abandonPull(of table: String, wasWhole: Bool) throws(RemoteDataError) {
        guard let info = catalog.tables[table], catalog.pulling.remove(table) != nil else { return }
        try connection.execute("DROP TABLE IF EXISTS \(try seen(table))")
        guard wasWhole else { return }
        let isWhole = try connection.first(
            "SELECT isWhole FROM pulls WHERE tableNumber = ?",
            [.integer(info.number)]
        ) { $0.integer(0) != 0 }
        // The server may have begun anew meanwhile, which the pull was to notice.
        if isWhole == false { outboxNews.doubtful.insert(table) }
    }

    /// Has a table be read again, also after a restart: what is here may be older than what the server has.
    mutating func doubt(_ table: String) throws(RemoteDataError) {
        outboxNews.doubtful.insert(table)
        try noteIncomplete(table)
    }

    /// Notes that the next read of a table has to be of all its rows, also after a restart.
    mutating func noteIncomplete(_ table: String) throws(RemoteDataError) {
        guard let info = catalog.tables[table] else { return }
        try connection.run("UPDATE pulls SET isWhole = 0 WHERE tableNumber = ?", [.integer(info.number)])
    }

    /// Whether all that the server had at a revision is known.
    func isRead(upTo revision: Revision?, in table: String) throws(RemoteDataError) -> Bool {
        guard let revision, let info = catalog.tables[table] else { return false }
        let last = try connection.first(
            "SELECT revision FROM pulls WHERE tableNumber = ? AND isWhole AND revision NOT NULL",
            [.integer(info.number)]
        ) { Revision($0.integer(0), epoch: info.serverEpoch) }
        guard let last else { return false }
        return last.isOfSameHistory(as: revision) && revision <= last
    }

    /// How many removals are remembered until all that is older has come.
    private static var removalLimit: Int { 10_000 }

    /// The server has agreed to a removal, and what is read next may be older.
    mutating func noteRemoved(_ place: RowPlace, asOf revision: Revision?) {
        guard let revision, catalog.removed.count < Self.removalLimit else { return }
        catalog.removed[place] = revision
    }

    /// Whether a row that is not here comes from before its removal.
    func isRemoved(_ place: RowPlace, asOf revision: Revision?) -> Bool {
        guard let revision, let removed = catalog.removed[place] else { return false }
        return removed.isOfSameHistory(as: revision) && revision <= removed
    }

    /// A write of a row was agreed to while a pull may be reading an older state.
    func noteOwn(_ place: RowPlace, asOf revision: Revision?) throws(RemoteDataError) {
        guard catalog.pulling.contains(place.table) else { return }
        let name = try seen(place.table)
        let isRead = "ifnull((SELECT isRead FROM \(name) WHERE id = ?1),0)"
        try connection.run(
            "INSERT OR REPLACE INTO \(name) VALUES (?1,?2,\(isRead))",
            [Binding(place.id), .integer(revision?.rawValue ?? 0)]
        )
    }

    /// Notes how far a table has been read.
    mutating func notePull(
        of table: String,
        revision: Revision?,
        stamp: Value?,
        isWhole: Bool = false
    ) throws(RemoteDataError) {
        guard let info = catalog.tables[table] else { return }
        try enter(revision, of: table)
        if let revision, !catalog.removed.isEmpty {
            catalog.removed = catalog.removed
                .filter { $0.key.table != table || $0.value.isLater(than: revision) }
        }
        // Two statements, since SQLCipher's SQLite knows no "upsert".
        try connection.run(
            "INSERT OR IGNORE INTO pulls (tableNumber,isWhole) VALUES (?,0)",
            [.integer(info.number)]
        )
        try connection.run(
            """
            UPDATE pulls
            SET revision = ifnull(?2,revision), stamp = ifnull(?3,stamp), isWhole = max(isWhole,?4)
            WHERE tableNumber = ?1
            """,
            [
                .integer(info.number), revision.map { Binding($0) } ?? .null,
                stamp.map { .utf8($0.json[...]) } ?? .null, .integer(isWhole ? 1 : 0),
            ]
        )
    }
}
