import RemoteData

// Rows as a server has them come into a table that is held whole.
extension StoreTransaction {
    /// Takes a row of the server.
    ///
    /// What is known to be newer stays. Of a row that was changed here, it becomes what the changes lie over.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - revision: The revision at which it was like this, where that is known.
    ///   - table: The table.
    ///   - change: What it comes with; nil for one that was read.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func pull(
        _ row: Row,
        asOf revision: Revision?,
        in table: String,
        by change: Change? = nil
    ) throws(RemoteDataError) {
        try enter(row.revision ?? revision, of: table)
        let place = RowPlace(table: table, id: try currentID(of: row.id, in: table))
        let version = ServerVersion(row.revision, asOf: revision)
        let known = try known(place.id, in: table)
        // Also one that was created and removed here, which lies over nothing that the server is known to
        // have.
        let isRemovedHere = known == nil ? try !shownEntries(of: place).isEmpty : false
        guard try !isPending(known, place), !isRemovedHere else {
            return try rebase(place, onto: row, version, by: change)
        }
        if let known, known.version.isNewer(than: version.asOf) { return }
        if known == nil, isRemoved(place, asOf: version.asOf) { return }
        // An event from before what was read whole, in which the row was not any more.
        if known == nil, change != nil, try isRead(upTo: version.asOf, in: table) { return }
        if known == nil, let hider = try hider(of: row, in: table) {
            // What it belongs to was removed here, and it with that, as soon as the server agrees.
            catalog.hiding[hider.number] = true
            return try setBase(
                Base(json: row.json, version: version, mark: .synced, hiddenBy: hider.number),
                of: place
            )
        }
        try show(row.json, at: place, mark: .synced, version)
    }

    /// A row is not, or no longer, on the server.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - revision: The revision at which it was not there, where that is known.
    ///   - table: The table.
    ///   - absence: How that is known.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func pullRemoval(
        of id: RowID,
        asOf revision: Revision?,
        in table: String,
        absence: Absence = .missing
    ) throws(RemoteDataError) {
        try enter(revision, of: table)
        let place = RowPlace(table: table, id: try currentID(of: id, in: table))
        let version = ServerVersion(nil, asOf: revision)
        let known = try known(place.id, in: table)
        if try isPending(known, place) {
            try rebase(place, onto: nil, version)
            if revision == nil { try outdateAdditions(of: place) }
            let entries = try entries(of: place)
            // A creation that is still to be answered may be made after this, and be what is to be removed.
            let isOpen = entries.contains { $0.isAddition && ($0.state == .queued || $0.state == .sending) }
            for entry in entries where !isOpen && entry.change.kind == .delete && entry.state == .queued {
                // What comes after the event of a removal is newer, also the event of an earlier write.
                try acknowledge(
                    entry.number,
                    nil,
                    asOf: revision,
                    absence: absence,
                    outdatesEvents: absence == .missing
                )
            }
            if try row(place) == nil { try loseChildren(of: place) }
            return
        }
        // What was only ever here, the server cannot have removed.
        guard let known, known.mark != .own, !known.version.isNewer(than: revision) else { return }
        try show(nil, at: place, mark: .synced, version)
        try loseChildren(of: place)
    }

    /// Whether a row was changed here, or removed.
    private func isPending(
        _ known: SQLiteRows.Known?,
        _ place: RowPlace
    ) throws(RemoteDataError) -> Bool {
        guard known == nil else { return known?.mark == .pending }
        return try base(of: place) != nil
    }

    /// The server has something else of a row that was changed here: the changes lie over that from now on, and know that they
    /// were made over something else, unless it is what the server has made of what they were made over.
    private mutating func rebase(
        _ place: RowPlace,
        onto row: Row?,
        _ version: ServerVersion,
        by change: Change? = nil
    ) throws(RemoteDataError) {
        let base = try base(of: place)
        if let base, base.version.isNewer(than: version.asOf) { return }
        let isNews = row?.json != base?.json || version.revision != base?.version.revision
        if isNews, row != nil, let number = base?.hiddenBy { catalog.hiding[number] = true }
        guard row?.json != base?.json else {
            // Where it was created here and nothing was sent, it is no news that the server does not have it.
            guard try hasBeenSent(place) || base != nil else { return }
            var same = base ?? Base(version: version, mark: settledMark(of: place.table))
            same.version = version
            return try setBase(same, of: place)
        }
        if let row, try acknowledgeUnread(at: place, shownBy: row, asOf: version.asOf) { return }
        let isOwn = try base?.isMade(into: row, by: change) ?? false
        if !isOwn {
            try connection.run(
                """
                UPDATE outbox SET isOutdated = 1, before = ?, beforeRevision = ?
                WHERE tableNumber = ? AND id = ? AND isOutdated = 0 AND state < 2
                """,
                [
                    base?.json.map { .utf8($0) } ?? .null,
                    base?.version.revision.map { Binding($0) } ?? .null,
                    .integer(try table(place.table).number), Binding(place.id),
                ]
            )
        }
        try setBase(
            Base(
                json: row?.json,
                version: version,
                mark: base?.mark ?? settledMark(of: place.table),
                hiddenBy: base?.hiddenBy
            ),
            of: place
        )
        try overlay(place)
    }

    /// Marks creations under way as outdated, since their row is not there: a later answer may be older.
    private mutating func outdateAdditions(of place: RowPlace) throws(RemoteDataError) {
        for entry in try entries(of: place) where entry.isAddition && entry.state == .sending {
            try connection.run("UPDATE outbox SET isOutdated = 1 WHERE number = ?", [.integer(entry.number)])
        }
    }

    /// Whether the server may know of something that was written here to a row.
    private mutating func hasBeenSent(_ place: RowPlace) throws(RemoteDataError) -> Bool {
        try connection.first(
            "SELECT 1 FROM outbox WHERE tableNumber = ? AND id = ? AND attempts > 0 AND state < 2",
            [.integer(try table(place.table).number), Binding(place.id)]
        ) { _ in true } ?? false
    }

    /// The number of a write that is under way, by the key it was sent with.
    ///
    /// The server may know its row by another id.
    func sending(_ id: RowID, by key: String, in table: String) throws(RemoteDataError) -> Int64? {
        guard let info = catalog.tables[table] else { return nil }
        return try connection.first(
            """
            SELECT number FROM outbox WHERE tableNumber = ?1 AND id = ?2 AND (key = ?3 OR batch = ?3)
                AND attempts > 0 AND state < 2
            UNION ALL SELECT number FROM outbox WHERE state = 1 AND key = ?3 LIMIT 1
            """,
            [.integer(info.number), Binding(id), .text(key)]
        ) { $0.integer(0) }
    }

    /// The numbers of the writes that are under way and were sent by one key, of rows that nobody has seen on the server.
    private func sending(together key: String) throws(RemoteDataError) -> [Int64] {
        var numbers: [Int64] = []
        try connection.query(
            """
            SELECT number FROM outbox AS o WHERE batch = ? AND attempts > 0 AND state < 2 AND NOT EXISTS (SELECT 1 FROM bases AS b
                WHERE b.tableNumber = o.tableNumber AND b.id = o.id AND json IS NOT NULL) ORDER BY number
            """,
            [.text(key)]
        ) { numbers.append($0.integer(0)) }
        return numbers
    }
}

extension Base {
    /// Whether a row is what the server has made of this one, by what was written here: then nobody else has changed it.
    ///
    /// What the server agreed to without telling it is known as it was sent, mostly by no revision of its own, and the server may
    /// have added to it.
    fileprivate func isMade(into row: Row?, by change: Change?) throws(RemoteDataError) -> Bool {
        guard let json, let row else { return false }
        // No two changes share a revision.
        if let revision = row.revision, revision == version.asOf { return true }
        guard version.revision == nil else { return false }
        switch change?.kind {
        // What was there cannot have been created since, but by the write that it is known by.
        case .created: return change?.idempotencyKey != nil
        case nil: return row.revision == nil ? false : try row.holds(json)
        default: return false
        }
    }
}

// MARK: - A pull

extension StoreTransaction {
    /// Applies a change of the server's table.
    mutating func pull(_ change: Change, in table: String) throws(RemoteDataError) {
        if let id = change.id, let key = change.idempotencyKey {
            let id = try currentID(of: id, in: table)
            if let number = try sending(id, by: key, in: table) {
                // It tells of a write from here, whose answer may never come.
                try acknowledge(number, change.row, asOf: change.revision)
                // What was sent together was made together; the rows as they were made come with events of their own, and only
                // those tell of a row that was seen whether that was it.
                for other in try sending(together: key) {
                    try acknowledge(other, nil, asOf: change.revision)
                }
                return
            }
            // The row as it was before a later write from here.
            let place = RowPlace(table: table, id: id)
            if change.revision == nil, catalog.recentWrites.isPassed(key, at: place) { return }
        }
        if let former = change.formerID, let row = change.row {
            let place = RowPlace(table: table, id: former)
            let isRemovedHere = try base(of: place) != nil
            if try isRemovedHere ? true : known(former, in: table) != nil {
                try rename(place, to: row.id, corrects: false)
            }
        }
        switch change.kind {
        case .created, .updated:
            if let row = change.row { try pull(row, asOf: change.revision, in: table, by: change) }
        case .deleted:
            if let id = change.id {
                try pullRemoval(of: id, asOf: change.revision, in: table, absence: .removed)
            }
        case .bulkDeleted:
            for id in try serverRows(matching: change.predicate, in: table) {
                try pullRemoval(of: id, asOf: change.revision, in: table, absence: .removed)
            }
        default: break
        }
    }

    /// The rows that match as the server has them.
    private func serverRows(matching filter: Where?, in table: String) throws(RemoteDataError) -> [RowID] {
        guard let info = catalog.tables[table] else { return [] }
        let synced = SQLFragment("used = ?", [RowMark.synced.binding])
        var ids = try SQLiteRows(info, name: table, idColumn: idColumn, connection)
            .rows(matching: filter, and: synced)
            .map(\.id)
        let matcher = filter.map { Where.Matcher($0) }
        try connection.query(
            "SELECT id, json FROM bases WHERE tableNumber = ? AND json IS NOT NULL",
            [.integer(info.number)]
        ) { row in
            let base = Row(id: row.id(0), json: row.bytes(1)[...])
            if matcher?.matches(base) ?? true { ids.append(base.id) }
        }
        return ids
    }
}
