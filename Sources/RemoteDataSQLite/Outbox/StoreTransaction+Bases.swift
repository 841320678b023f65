import RemoteData

/// A row as the server has it, that was changed here since.
struct Base: Sendable {
    /// The row; nil when the server has none.
    var json: ArraySlice<UInt8>?
    var version: ServerVersion
    /// Why the row was here.
    var mark: RowMark
    /// The removal of the row it belongs to, as long as that is not done.
    var hiddenBy: Int64?

    /// Whether the row, known as of a later moment than that of an answer to a write, is still as the write
    /// has made it.
    func isMade(
        by change: QueuedChange,
        answeredWith row: Row?,
        _ answer: ServerVersion
    ) throws(RemoteDataError) -> Bool {
        guard let json, change.kind != .delete else { return false }
        if let last = version.revision, let revision = answer.asOf { return last <= revision }
        // Pages do not tell how old a row is, and a server that answers without it may have added to it.
        guard let row else { return try Row(id: "", json: json).holds(change.body) }
        return try JSONObject.changes(from: row.json, to: json).isEmpty
    }
}

// What was changed here lies over what the server has, so whatever becomes of either is shown right.
extension StoreTransaction {
    func base(of place: RowPlace) throws(RemoteDataError) -> Base? {
        guard let table = catalog.tables[place.table] else { return nil }
        return try connection.first(
            "SELECT json,serverRevision,used,hiddenBy FROM bases WHERE tableNumber = ? AND id = ?",
            [.integer(table.number), Binding(place.id)]
        ) { row in
            Base(
                json: row.isNull(0) ? nil : row.bytes(0)[...],
                version: ServerVersion(row, 1, table.serverEpoch),
                mark: RowMark(row, 2),
                hiddenBy: row.isNull(3) ? nil : row.integer(3)
            )
        }
    }

    func setBase(_ base: Base, of place: RowPlace) throws(RemoteDataError) {
        guard let table = catalog.tables[place.table] else { return }
        try connection.run(
            "INSERT OR REPLACE INTO bases (tableNumber,id,json,serverRevision,used,hiddenBy) VALUES (?,?,?,?,?,?)",
            [
                .integer(table.number), Binding(place.id), base.json.map { .utf8($0) } ?? .null,
                base.version.binding, base.mark.binding, base.hiddenBy.map { .integer($0) } ?? .null,
            ]
        )
    }

    func removeBase(of place: RowPlace) throws(RemoteDataError) {
        guard let table = catalog.tables[place.table] else { return }
        try connection.run(
            "DELETE FROM bases WHERE tableNumber = ? AND id = ?",
            [.integer(table.number), Binding(place.id)]
        )
    }

    /// Why rows of a table are here that the server has and nobody changed.
    func settledMark(of table: String) -> RowMark { rules[table].isHeldWhole ? .synced : .held }

    /// The writes of a row that are to be seen.
    func shownEntries(of place: RowPlace) throws(RemoteDataError) -> [OutboxEntry] {
        let showsRefused = rules[place.table].showsRefused
        return try entries(of: place).filter { $0.state != .dead || showsRefused }
    }

    /// Shows of a row what the server has with what was written here done to it.
    mutating func overlay(_ place: RowPlace) throws(RemoteDataError) {
        let base = try base(of: place)
        let entries = try shownEntries(of: place)
        var json = base?.json
        for entry in entries { json = try entry.change.applied(to: json) }
        if base?.hiddenBy != nil { json = nil }
        let isPending = !entries.isEmpty || base?.hiddenBy != nil
        // Nothing lies over the row: what a write that is given up was made over is there already.
        if !isPending, base == nil, try known(place.id, in: place.table)?.mark != .pending { return }
        if !isPending, base != nil { try removeBase(of: place) }
        try show(
            json,
            at: place,
            mark: isPending ? .pending : base?.mark ?? settledMark(of: place.table),
            base?.version ?? ServerVersion(nil, asOf: nil)
        )
    }

    /// Stores what is to be seen of a row, and has everybody know if it is something else.
    mutating func show(
        _ json: ArraySlice<UInt8>?,
        at place: RowPlace,
        mark: RowMark,
        _ version: ServerVersion
    ) throws(RemoteDataError) {
        let info = try table(place.table)
        var rows = SQLiteRows(info, name: place.table, idColumn: idColumn, connection)
        let known = try rows.known(place.id)
        switch (known, json) {
        case (nil, nil): return
        case (let known?, let json?) where known.row.json == json: try rows.confirm(known.row, version, mark)
        case (let known?, nil):
            try rows.remove(known.row)
            try finish(
                [RowChange(revision: nextRevision(), effect: .deleted(known.row))],
                rows.info,
                place.table
            )
        case (_, let json?):
            let revision = nextRevision()
            let row = Row(id: place.id, revision: revision, json: json)
            try rows.put(row, replacing: known?.row, mark: mark, version)
            let effect: RowChange.Effect =
                known.map { .updated(before: $0.row, after: row) } ?? .created(row)
            try finish([RowChange(revision: revision, effect: effect)], rows.info, place.table)
        }
    }
}
