import RemoteData

/// A row of the store, here or not.
struct RowPlace: Hashable, Sendable {
    let table: String
    let id: RowID
}

// Holding rows under labels.
//
// What a label holds is kept row by row: those pinned by name, its roots, and all they lead to. So to pin ten rows is the same
// work whatever else is pinned, and a query of a label is a join. What is no longer led to is found by looking at what
// it was led to from, not by starting at the roots again.
extension StoreTransaction {
    /// Holds rows, and everything they lead to, under a label; rows that are not here yet are held as soon as they are.
    ///
    /// - Complexity: O(log n) for each row that was not held under the label before.
    mutating func pin(_ ids: [RowID], of table: String, label: String) throws(RemoteDataError) {
        guard !ids.isEmpty else { return }
        let label = try self.label(label)
        var arrived: [RowPlace] = []
        for id in ids {
            let place = RowPlace(table: table, id: id)
            if try hold(place, label, asRoot: true) { arrived.append(place) }
        }
        try spread(arrived, label)
    }

    /// No longer holds rows, and what only they lead to, under a label.
    ///
    /// - Complexity: O(log n) for each row that they lead to and each link to one of those.
    mutating func unpin(_ ids: [RowID], of table: String, label: String) throws(RemoteDataError) {
        guard let label = catalog.labels[label], let number = catalog.tables[table]?.number else { return }
        var released: [RowPlace] = []
        for id in ids {
            try connection.run(
                "UPDATE pins SET isRoot = 0 WHERE label = ? AND tableNumber = ? AND id = ? AND isRoot = 1",
                [.integer(label.number), .integer(number), Binding(id)]
            )
            if connection.changeCount > 0 { released.append(RowPlace(table: table, id: id)) }
        }
        try release(released, label)
    }

    /// Holds nothing under a label any more.
    ///
    /// - Complexity: O(rows held).
    mutating func unpinAll(label: String) throws(RemoteDataError) {
        guard let label = catalog.labels[label] else { return }
        let places = try places(
            "SELECT tableNumber, id FROM pins WHERE label = ?",
            [.integer(label.number)]
        )
        try letGo(places, label)
    }

    /// The label of a name, made if it is not there.
    private mutating func label(_ name: String) throws(RemoteDataError) -> Label {
        if let label = catalog.labels[name] { return label }
        try connection.run("INSERT INTO labels (name) VALUES (?)", [.text(name)])
        let number = try connection.first("SELECT last_insert_rowid()") { $0.integer(0) } ?? 0
        let label = Label(number: number, name: name)
        catalog.labels[name] = label
        return label
    }

    // MARK: One row

    /// Holds a row under a label.
    ///
    /// - Returns: Whether it was not held there before.
    mutating func hold(_ place: RowPlace, _ label: Label, asRoot isRoot: Bool) throws(RemoteDataError) -> Bool
    {
        let table = try table(place.table)
        let key: [Binding] = [.integer(label.number), .integer(table.number), Binding(place.id)]
        try connection.run(
            "INSERT OR IGNORE INTO pins (label,tableNumber,id,isRoot) VALUES (?,?,?,?)",
            key + [.integer(isRoot ? 1 : 0)]
        )
        if connection.changeCount > 0 {
            if let row = try row(place) { try announce(.created(row), in: place.table, label) }
            return true
        }
        if isRoot {
            try connection.run(
                "UPDATE pins SET isRoot = 1 WHERE label = ? AND tableNumber = ? AND id = ?",
                key
            )
        }
        return false
    }

    /// Holds everything that rows lead to.
    mutating func spread(_ places: [RowPlace], _ label: Label) throws(RemoteDataError) {
        var places = places
        while let place = places.popLast() {
            for target in try link(place)
            where try hold(target, label, asRoot: false) { places.append(target) }
        }
    }

    /// Notes what a row that is held leads to.
    ///
    /// - Returns: The rows.
    mutating func link(_ place: RowPlace) throws(RemoteDataError) -> [RowPlace] {
        let targets = try self.targets(of: place)
        for target in targets { try addLink(place, target) }
        return targets
    }

    /// What a row leads to; nothing as long as neither it nor its table is here.
    mutating func targets(of place: RowPlace) throws(RemoteDataError) -> [RowPlace] {
        let relations = relations.from(place.table)
        guard !relations.isEmpty else { return [] }
        let row = try row(place)
        var targets: [RowPlace] = []
        for relation in relations {
            switch relation.way {
            case .names(let column):
                let ids = row?.ids(in: column, idColumn: idColumn) ?? []
                targets += ids.map { RowPlace(table: relation.target, id: $0) }
            case .isNamed(let column):
                guard let table = catalog.tables[relation.target] else { continue }
                try indexNames(in: column, of: table)
                let columns = ColumnSQL(idColumn: idColumn)
                try connection.query(
                    "SELECT id FROM t\(table.number) WHERE \(columns.value(column)) = ?",
                    [Binding(place.id)]
                ) { targets.append(RowPlace(table: relation.target, id: $0.id(0))) }
            }
        }
        return targets
    }

    /// The row, if it is here.
    func row(_ place: RowPlace) throws(RemoteDataError) -> Row? {
        guard let table = catalog.tables[place.table] else { return nil }
        return try connection.first(
            "SELECT revision,json FROM t\(table.number) WHERE id = ?",
            [Binding(place.id)]
        ) { row in
            Row(id: place.id, revision: row.revision(0), json: row.bytes(1)[...])
        }
    }

    /// Notes that what a label holds of a table has changed.
    mutating func announce(
        _ effect: RowChange.Effect,
        in table: String,
        _ label: Label,
        at revision: Revision? = nil,
        key: String? = nil,
        removed: BulkRemoval? = nil
    ) throws(RemoteDataError) {
        guard label.name != silentLabel else { return }
        let revision = revision ?? nextRevision()
        let held = LabelledTable(label: label.name, table: table)
        tell([RowChange(revision: revision, effect: effect, key: key, removed: removed)], .label(held))
        try connection.run(
            "INSERT OR REPLACE INTO holdings (label,tableNumber,revision) VALUES (?,?,?)",
            [.integer(label.number), .integer(try self.table(table).number), Binding(revision)]
        )
    }

    /// The labels that hold a row.
    func labels(of place: RowPlace) throws(RemoteDataError) -> [Label] {
        guard !catalog.labels.isEmpty, let table = catalog.tables[place.table] else { return [] }
        var numbers: [Int64] = []
        try connection.query(
            "SELECT label FROM pins WHERE tableNumber = ? AND id = ?",
            [.integer(table.number), Binding(place.id)]
        ) { numbers.append($0.integer(0)) }
        return numbers.isEmpty ? [] : catalog.labels.values.filter { numbers.contains($0.number) }
    }
}
