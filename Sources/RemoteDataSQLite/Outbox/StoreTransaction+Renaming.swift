import RemoteData

// A server may give a row another id than it was given here.
extension StoreTransaction {
    /// The id that a row has now, which may once have had another one.
    func currentID(of id: RowID, in table: String) throws(RemoteDataError) -> RowID {
        guard let info = catalog.tables[table] else { return id }
        return try connection.first(
            "SELECT now FROM aliases WHERE tableNumber = ? AND id = ?",
            [.integer(info.number), Binding(id)]
        ) { $0.id(0) } ?? id
    }

    /// Gives a row another id, here and wherever it is named: in columns that are declared to hold ids, and in writes that wait.
    ///
    /// What asks for the old id finds the row still.
    ///
    /// - Parameters:
    ///   - place: Where the row is.
    ///   - id: The id it gets.
    ///   - corrects: Whether the server is to be told what rows that it has name from now on; not where it says so itself.
    /// - Returns: Where the row is now.
    /// - Throws: `RemoteDataError` with code `storage`.
    @discardableResult
    mutating func rename(
        _ place: RowPlace,
        to id: RowID,
        corrects: Bool = true
    ) throws(RemoteDataError) -> RowPlace {
        let info = try table(place.table)
        let new = RowPlace(table: place.table, id: id)
        let (old, now): (Binding, Binding) = (Binding(place.id), Binding(id))
        try connection.run(
            "UPDATE aliases SET now = ? WHERE tableNumber = ? AND now = ?",
            [now, .integer(info.number), old]
        )
        try connection.run(
            "INSERT OR REPLACE INTO aliases (tableNumber,id,now) VALUES (?,?,?)",
            [.integer(info.number), old, now]
        )
        try connection.run(
            "DELETE FROM aliases WHERE tableNumber = ? AND id = ?",
            [.integer(info.number), now]
        )
        for statement in [
            "UPDATE outbox SET id = ?1 WHERE tableNumber = ?2 AND id = ?3",
            "UPDATE outbox SET parent = ?1 WHERE parentTable = ?2 AND parent = ?3",
            "UPDATE OR REPLACE bases SET id = ?1 WHERE tableNumber = ?2 AND id = ?3",
            "UPDATE OR REPLACE pins SET id = ?1 WHERE tableNumber = ?2 AND id = ?3",
            "UPDATE OR REPLACE links SET id = ?1 WHERE tableNumber = ?2 AND id = ?3",
            "UPDATE OR REPLACE links SET toID = ?1 WHERE toTable = ?2 AND toID = ?3",
        ] {
            try connection.run(statement, [now, .integer(info.number), old])
        }
        for entry in try entries(of: new) { try rewrite(entry) { $0 == idColumn ? (place.id, id) : nil } }
        try moveRow(place, to: new)
        for (table, column) in rules.references(to: place.table) {
            try rename(place.id, to: id, in: column, of: table, naming: info.number, corrects)
        }
        outboxNews.renamed[place] = id
        return new
    }

    private mutating func moveRow(_ place: RowPlace, to new: RowPlace) throws(RemoteDataError) {
        guard let known = try known(place.id, in: place.table) else { return }
        let json = try JSONObject.merging(
            JSONObject.object(of: [JSONObject.Member(name: idColumn, value: new.id.value)]),
            into: known.row.json
        )
        var rows = SQLiteRows(try table(place.table), name: place.table, idColumn: idColumn, connection)
        let there = try rows.known(new.id)
        try rows.remove(known.row)
        var changes: [RowChange] = []
        if there != nil { changes.append(RowChange(revision: nextRevision(), effect: .deleted(known.row))) }
        let revision = nextRevision()
        let row = Row(id: new.id, revision: revision, json: json)
        try rows.put(row, replacing: there?.row, mark: known.mark, known.version)
        let before = there?.row ?? known.row
        changes.append(RowChange(revision: revision, effect: .updated(before: before, after: row)))
        try finish(changes, rows.info, place.table)
    }

    /// Puts an id in the place of another one in a column, in rows and in writes that wait.
    private mutating func rename(
        _ old: RowID,
        to new: RowID,
        in column: ColumnPath,
        of table: String,
        naming parents: Int64,
        _ corrects: Bool
    ) throws(RemoteDataError) {
        guard let info = catalog.tables[table], column.names.count == 1 else { return }
        let name = column.names[0]
        let filter = Where.comparison(.column(column), .equal, .literal(old.value))
        let lists = Where.contains(column, any: [old.value])
        let found = try SQLiteRows(info, name: table, idColumn: idColumn, connection)
            .rows(matching: .or([filter, lists]), and: nil)
        // Who waits for a parent has its id written down; the others are looked through for it.
        let isParent = rules[table].parent?.column == column
        let waiting =
            isParent
            ? try entries("parentTable = ? AND parent = ? AND state < 3", [.integer(parents), Binding(new)])
            : try entries(
                "tableNumber = ? AND state < 3 AND instr(body, ?)",
                [.integer(info.number), old.needle]
            )
        for entry in waiting { try rewrite(entry) { $0 == name ? (old, new) : nil } }
        for row in found {
            guard let known = try known(row.id, in: table),
                let json = try row.json.replacing(old, by: new, in: name)
            else { continue }
            let place = RowPlace(table: table, id: row.id)
            try show(json, at: place, mark: known.mark, known.version)
            if corrects, try isSent(place, known, old, in: name) { try correct(place, known, json, name) }
        }
    }

    /// Whether the server has a row with an id that it has given another one since.
    private func isSent(
        _ place: RowPlace,
        _ known: SQLiteRows.Known,
        _ old: RowID,
        in name: String
    ) throws(RemoteDataError) -> Bool {
        switch known.mark {
        case .own: false
        case .synced, .held, .read: true
        case .pending: try base(of: place)?.json?.replacing(old, by: old, in: name) != nil
        }
    }

    /// Has the server put the new id into a row that it was sent with the old one.
    private mutating func correct(
        _ place: RowPlace,
        _ known: SQLiteRows.Known,
        _ json: ArraySlice<UInt8>,
        _ name: String
    ) throws(RemoteDataError) {
        let members = try JSONObject.members(of: json).filter { $0.name == name }
        let change = QueuedChange(.update, JSONObject.object(of: members))
        _ = try enqueue(change, place.table, before: known, after: Row(id: place.id, json: json))
        try overlay(place)
    }

    private func rewrite(
        _ entry: OutboxEntry,
        _ ids: (String) -> (old: RowID, new: RowID)?
    ) throws(RemoteDataError) {
        guard entry.change.kind != .delete else { return }
        var body = entry.change.body
        var hasChanged = false
        for member in try JSONObject.members(of: body) {
            guard let (old, new) = ids(member.name),
                let json = try body.replacing(old, by: new, in: member.name)
            else { continue }
            (body, hasChanged) = (json, true)
        }
        guard hasChanged else { return }
        try connection.run(
            "UPDATE outbox SET body = ? WHERE number = ?",
            [.utf8(body), .integer(entry.number)]
        )
    }
}

extension RowID {
    /// What text that holds the id as JSON has in it.
    fileprivate var needle: Binding {
        switch self {
        case .integer(let number): .text(String(number))
        // What may be written in several ways is looked for by nothing.
        case .text(let text): .text(text.utf8.allSatisfy { $0.isPlain } ? text : "")
        }
    }
}

extension UInt8 {
    /// Whether it is a letter, a digit or a sign that JSON never writes in another way.
    fileprivate var isPlain: Bool { self > 0x20 && self < 0x7F && !#""\/<>&'"#.utf8.contains(self) }
}

extension ArraySlice<UInt8> {
    /// The object with an id in the place of another one in a member that holds it, or a list with it; nil when it does not.
    fileprivate func replacing(
        _ old: RowID,
        by new: RowID,
        in name: String
    ) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        try renamed(in: name) { $0 == old ? new : nil }
    }

    /// The object with other ids in a member that holds one, or a list of them.
    func renaming(
        in name: String,
        _ id: (RowID) -> RowID?
    ) throws(RemoteDataError) -> ArraySlice<UInt8> { try renamed(in: name, id) ?? self }

    /// The same; nil when there is nothing to be changed.
    private func renamed(
        in name: String,
        _ id: (RowID) -> RowID?
    ) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        guard var member = try JSONObject.members(of: self).first(where: { $0.name == name }) else {
            return nil
        }
        if let new = RowID(JSONObject.value(of: member.json)).flatMap(id) {
            member.json = new.value.json[...]
        } else if member.json.first == UInt8(ascii: "[") {
            let elements = try JSONObject.elements(of: member.json)
            let ids = elements.map { RowID(JSONObject.value(of: $0)).flatMap(id) }
            guard ids.contains(where: { $0 != nil }) else { return nil }
            let list = zip(elements, ids).map { element, new in new.map { $0.value.json[...] } ?? element }
            let brackets = [UInt8(ascii: "["), UInt8(ascii: "]")]
            member.json = ([brackets[0]] + list.joined(separator: [UInt8(ascii: ",")]) + [brackets[1]])[...]
        } else {
            return nil
        }
        return try JSONObject.merging(JSONObject.object(of: [member]), into: self)
    }
}
