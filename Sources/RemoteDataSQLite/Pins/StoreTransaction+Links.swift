import RemoteData

// What held rows lead to, and what is let go when nothing leads to it any more.
extension StoreTransaction {
    mutating func addLink(_ from: RowPlace, _ target: RowPlace) throws(RemoteDataError) {
        try connection.run(
            "INSERT OR IGNORE INTO links (tableNumber,id,toTable,toID) VALUES (?,?,?,?)",
            try values(from) + values(target)
        )
    }

    mutating func removeLink(_ from: RowPlace, _ target: RowPlace) throws(RemoteDataError) {
        try connection.run(
            "DELETE FROM links WHERE tableNumber = ? AND id = ? AND toTable = ? AND toID = ?",
            try values(from) + values(target)
        )
    }

    /// What a held row leads to.
    mutating func links(of place: RowPlace) throws(RemoteDataError) -> [RowPlace] {
        try places("SELECT toTable, toID FROM links WHERE tableNumber = ? AND id = ?", values(place))
    }

    /// The rows that lead to one.
    private mutating func sources(of place: RowPlace) throws(RemoteDataError) -> [RowPlace] {
        try places("SELECT tableNumber, id FROM links WHERE toTable = ? AND toID = ?", values(place))
    }

    private mutating func values(_ place: RowPlace) throws(RemoteDataError) -> [Binding] {
        [.integer(try table(place.table).number), Binding(place.id)]
    }

    /// The places that a statement finds: the number of a table and an id each.
    func places(_ sql: String, _ bindings: [Binding]) throws(RemoteDataError) -> [RowPlace] {
        var found: [(Int64, RowID)] = []
        try connection.query(sql, bindings) { found.append(($0.integer(0), $0.id(1))) }
        guard !found.isEmpty else { return [] }
        let names = Dictionary(catalog.tables.map { ($1.number, $0) }) { first, _ in first }
        return found.compactMap { number, id in names[number].map { RowPlace(table: $0, id: id) } }
    }
}

// MARK: - Letting go

extension StoreTransaction {
    /// Lets go of rows that may have been held under a label only because something led to them, and of what only they led to.
    ///
    /// Rows may lead to one another in circles, so that counting what leads to a row does not tell: everything that the rows lead
    /// to is taken for lost, and what a root or a row outside leads to is found again ("trial deletion": Christopher, "Reference
    /// Count Garbage Collection", 1984).
    mutating func release(_ starts: [RowPlace], _ label: Label) throws(RemoteDataError) {
        var candidates: Set<RowPlace> = []
        var open = starts
        while let place = open.popLast() {
            guard !candidates.contains(place), try isHeldByLinksAlone(place, label) else { continue }
            candidates.insert(place)
            open += try links(of: place)
        }
        for place in candidates.sorted(by: { $0.isInFront(of: $1) }) {
            for source in try sources(of: place) where !candidates.contains(source) {
                guard try isHeld(source, label) else { continue }
                open.append(place)
                break
            }
        }
        while let place = open.popLast() {
            guard candidates.remove(place) != nil else { continue }
            open += try links(of: place)
        }
        try letGo(candidates.sorted { $0.isInFront(of: $1) }, label)
    }

    private mutating func isHeldByLinksAlone(_ place: RowPlace, _ label: Label) throws(RemoteDataError)
        -> Bool
    {
        try connection.first(
            "SELECT isRoot FROM pins WHERE label = ? AND tableNumber = ? AND id = ?",
            [.integer(label.number)] + values(place)
        ) { $0.integer(0) } == 0
    }

    private mutating func isHeld(_ place: RowPlace, _ label: Label) throws(RemoteDataError) -> Bool {
        try connection.first(
            "SELECT 1 FROM pins WHERE label = ? AND tableNumber = ? AND id = ?",
            [.integer(label.number)] + values(place)
        ) { $0.integer(0) } != nil
    }

    /// Holds rows no longer under a label; those that no label holds and that are here for no other reason go.
    mutating func letGo(_ places: [RowPlace], _ label: Label) throws(RemoteDataError) {
        for place in places {
            try connection.run(
                "DELETE FROM pins WHERE label = ? AND tableNumber = ? AND id = ?",
                [.integer(label.number)] + values(place)
            )
            if let row = try row(place) { try announce(.left(row), in: place.table, label) }
            guard try labels(of: place).isEmpty else { continue }
            try connection.run("DELETE FROM links WHERE tableNumber = ? AND id = ?", try values(place))
            try discard(place)
        }
    }
}

extension RowPlace {
    /// An order that is always the same.
    fileprivate func isInFront(of other: RowPlace) -> Bool {
        table == other.table
            ? Value.order(id.value, other.id.value) == .ascending : table < other.table
    }
}
