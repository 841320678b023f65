import RemoteData

extension StoreTransaction {
    /// Finds anew what the labels hold, when the relations are others than those it was found by.
    ///
    /// - Complexity: O(rows held) when they are, O(1) otherwise.
    mutating func relate() throws(RemoteDataError) {
        let known = try connection.first("SELECT value FROM settings WHERE name = 'relations'") { $0.text(0) }
        guard relations.text != known ?? "" else { return }
        try connection.run(
            "INSERT OR REPLACE INTO settings VALUES ('relations', ?)",
            [.text(relations.text)]
        )
        try connection.run("DELETE FROM links")
        for label in catalog.labels.values.sorted(by: { $0.number < $1.number }) {
            let held = try places(
                "SELECT tableNumber, id FROM pins WHERE label = ?",
                [.integer(label.number)]
            )
            let roots = try places(
                "SELECT tableNumber, id FROM pins WHERE label = ? AND isRoot = 1",
                [.integer(label.number)]
            )
            var (open, seen) = (roots, Set(roots))
            while let place = open.popLast() {
                for target in try link(place) {
                    _ = try hold(target, label, asRoot: false)
                    if seen.insert(target).inserted { open.append(target) }
                }
            }
            try letGo(held.filter { !seen.contains($0) }, label)
        }
    }

    /// Sees to it that the rows that name another one in a column are found by it.
    mutating func indexNames(in column: ColumnPath, of table: TableInfo) throws(RemoteDataError) {
        let name = "r\(table.number) \(column)"
        guard catalog.namingIndexes.insert(name).inserted else { return }
        let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
        let value = ColumnSQL(idColumn: idColumn).value(column)
        try connection.execute("CREATE INDEX IF NOT EXISTS \(quoted) ON t\(table.number) (\(value))")
    }
}
