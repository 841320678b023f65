import RemoteData

// Rows that belong to other rows go with them.
extension StoreTransaction {
    /// The rows that belong to a row.
    private mutating func children(of place: RowPlace) throws(RemoteDataError) -> [RowPlace] {
        var found: [RowPlace] = []
        for (table, column) in rules.children(of: place.table) {
            guard let info = catalog.tables[table] else { continue }
            try indexNames(in: column, of: info)
            try connection.query(
                "SELECT id FROM t\(info.number) WHERE \(ColumnSQL(idColumn: idColumn).value(column)) = ?",
                [Binding(place.id)]
            ) { found.append(RowPlace(table: table, id: $0.id(0))) }
        }
        return found
    }

    /// A row was removed here: what belongs to it is no longer seen, and the server removes its own with it.
    ///
    /// - Parameters:
    ///   - place: The row.
    ///   - number: The write that removes it, or the refused one that was to make it; nil when the server never had it.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func removeChildren(of place: RowPlace, with number: Int64?) throws(RemoteDataError) {
        for child in try children(of: place) {
            guard let known = try known(child.id, in: child.table) else { continue }
            let base = known.mark == .pending ? try base(of: child) : nil
            let isElsewhere =
                base?.json.map { rules.parent(of: Row(id: child.id, json: $0), in: child.table) != place }
            if isElsewhere ?? false || (number == nil && known.mark != .own && known.mark != .pending) {
                try removeByItself(child, known)
            } else if let number {
                try hide(child, known, base, by: number)
            } else {
                for entry in try entries(of: child) { try end(entry, .acknowledged) }
                try vanish(child)
            }
            try removeChildren(of: child, with: number)
        }
    }

    /// The write that hides a row with the one that it belongs to: a removal, or a creation that was refused;
    /// nil when none does.
    ///
    /// A removal that was sent may have been made before the row was, which the server then does not remove.
    func hider(of row: Row, in table: String) throws(RemoteDataError) -> OutboxEntry? {
        guard let parent = rules.parent(of: row, in: table), try known(parent.id, in: parent.table) == nil
        else {
            return nil
        }
        let own = try entries(of: parent)
            .last { $0.change.kind == .delete || ($0.isAddition && $0.state == .dead) }?.number
        guard let number = try base(of: parent)?.hiddenBy ?? own, let entry = try entry(number) else {
            return nil
        }
        return entry.state == .dead || (entry.state == .queued && entry.attempts == 0) ? entry : nil
    }

    /// Hides a row that was written here with the one that it belongs to, whose creation was refused.
    mutating func hideBelowRefused(_ row: Row, at place: RowPlace) throws(RemoteDataError) {
        guard let hider = try hider(of: row, in: place.table), hider.isAddition,
            let known = try known(place.id, in: place.table)
        else { return }
        try hide(place, known, try base(of: place), by: hider.number)
    }

    /// The server has a row under another one, so that it does not go with this one.
    private mutating func removeByItself(
        _ place: RowPlace,
        _ known: SQLiteRows.Known
    ) throws(RemoteDataError) {
        try cascading { (transaction) throws(RemoteDataError) in
            try transaction.removeRow(known.row, in: place.table)
            _ = try transaction.enqueue(QueuedChange(.delete), place.table, before: known, after: nil)
        }
    }

    private mutating func hide(
        _ place: RowPlace,
        _ known: SQLiteRows.Known,
        _ base: Base?,
        by number: Int64
    ) throws(RemoteDataError) {
        var hidden = base
        if hidden == nil {
            let isOurs = known.mark == .pending
            hidden = Base(
                json: isOurs ? nil : known.row.json,
                version: isOurs ? ServerVersion(nil, asOf: nil) : known.version,
                mark: isOurs ? settledMark(of: place.table) : known.mark
            )
        }
        hidden?.hiddenBy = number
        if catalog.hiding[number] == nil { catalog.hiding[number] = false }
        if let hidden { try setBase(hidden, of: place) }
        for entry in try entries(of: place) where entry.state == .queued {
            try findBlocker(of: entry.number)
        }
        try vanish(place)
    }

    /// Takes a row away that goes with another one.
    private mutating func vanish(_ place: RowPlace) throws(RemoteDataError) {
        guard let known = try known(place.id, in: place.table) else { return }
        try cascading { (transaction) throws(RemoteDataError) in
            try transaction.removeRow(known.row, in: place.table)
        }
    }

    private mutating func removeRow(_ row: Row, in table: String) throws(RemoteDataError) {
        var rows = SQLiteRows(try self.table(table), name: table, idColumn: idColumn, connection)
        try rows.remove(row)
        try finish([RowChange(revision: nextRevision(), effect: .deleted(row))], rows.info, table)
    }

    private mutating func cascading(
        _ body: (inout StoreTransaction) throws(RemoteDataError) -> Void
    ) throws(RemoteDataError) {
        let before = isCascading
        isCascading = true
        defer { isCascading = before }
        try body(&self)
    }

    /// A row that was removed here is back: so is what went with it.
    mutating func showChildren(hiddenBy number: Int64) throws(RemoteDataError) {
        catalog.hiding[number] = nil
        for place in try hidden(by: number) {
            guard var base = try base(of: place) else { continue }
            base.hiddenBy = nil
            try setBase(base, of: place)
            try overlay(place)
            for entry in try entries(of: place) where entry.state == .queued {
                try findBlocker(of: entry.number)
                outboxNews.hasWork = true
            }
        }
    }

    /// A row is gone for good, and what went with it.
    ///
    /// - Parameters:
    ///   - number: The write that removed it.
    ///   - state: What is said of writes that went with it.
    ///   - absence: How it is known that the row is gone.
    ///   - isDoubtful: Whether it may have come back since, and what went with it.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func dropChildren(
        hiddenBy number: Int64,
        _ state: WriteState = .acknowledged,
        absence: Absence = .removed,
        isDoubtful: Bool = false
    ) throws(RemoteDataError) {
        // What has come since it was hidden may be there again, after the removal.
        let mayBeBack = catalog.hiding.removeValue(forKey: number) ?? true
        for place in try hidden(by: number) {
            if isDoubtful { try doubt(place.table) }
            let entries = try entries(of: place)
            for entry in entries { try close(entry, state) }
            // What was under way may have been made after the removal, by which the server did not remove it.
            let mayStay = absence == .missing || entries.contains { $0.attempts > 0 }
            let isRemovedHere = rules[place.table].parent?.cascade == .client
            guard var base = try base(of: place), base.json != nil, case .acknowledged = state,
                isRemovedHere || mayStay
            else {
                if mayBeBack, try base(of: place)?.json != nil { try doubt(place.table) }
                try removeBase(of: place)
                continue
            }
            base.hiddenBy = nil
            try setBase(base, of: place)
            guard isRemovedHere else {
                try overlay(place)
                continue
            }
            _ = try insert(QueuedChange(.delete), of: place, parent: nil)
            outboxNews.hasWork = true
        }
    }

    /// The server has no such row, or none any more: what was written of those that belong to it is refused.
    ///
    /// Rows that the server has stay until it reports that they are gone: it may have made some of them
    /// since.
    ///
    /// - Parameters:
    ///   - place: The row.
    ///   - refusal: Why the server has not made it; nil where it has removed it.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func loseChildren(
        of place: RowPlace,
        because refusal: RemoteDataError? = nil
    ) throws(RemoteDataError) {
        let error =
            refusal
            ?? RemoteDataError(
                .conflict,
                "The row \(place.id) of \(place.table) that this belongs to was removed on the server."
            )
        for child in try children(of: place) {
            // What was sent may have been made before the row was removed: the server's answer decides.
            for entry in try entries(of: child) where entry.state == .queued && entry.attempts == 0 {
                try close(entry, .rejected(error))
            }
            guard try entries(of: child).isEmpty else { continue }
            if let known = try known(child.id, in: child.table), known.mark != .own { continue }
            try removeBase(of: child)
            try vanish(child)
            try loseChildren(of: child, because: refusal)
        }
    }

    private func hidden(by number: Int64) throws(RemoteDataError) -> [RowPlace] {
        var places: [RowPlace] = []
        try connection.query(
            "SELECT tables.name, id FROM bases JOIN tables ON number = tableNumber WHERE hiddenBy = ?",
            [.integer(number)]
        ) { places.append(RowPlace(table: $0.text(0), id: $0.id(1))) }
        return places
    }
}
