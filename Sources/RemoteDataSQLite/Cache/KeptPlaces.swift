import RemoteData

/// Where the rows of a query stand whose order cannot be reproduced, as the table `places` has it.
///
/// The key of a row tells whether it is still the one that had the place: another query may have brought a newer version.
struct KeptPlaces {
    private let connection: Connection
    /// The number of the query.
    private let query: Int64
    private let sort: [SortTerm]

    init(_ record: KeptRecord, sort: [SortTerm], in connection: Connection) {
        (query, self.sort, self.connection) = (record.number, sort, connection)
    }

    /// Whether any row has a place.
    func isEmpty() throws(RemoteDataError) -> Bool {
        try connection.first("SELECT 1 FROM places WHERE query = ? LIMIT 1", [.integer(query)]) { _ in true }
            == nil
    }

    /// Notes the places of rows; those without one stay where they are.
    func note(_ rows: [Row]) throws(RemoteDataError) {
        for row in rows {
            guard let place = row.place else { continue }
            try connection.run(
                "INSERT OR REPLACE INTO places (query,id,place,key) VALUES (?,?,?,?)",
                [.integer(query), Binding(row.id), .blob(place.bytes), .blob(Key(row, sort: sort).json)]
            )
        }
    }

    func forget(_ id: RowID) throws(RemoteDataError) {
        try connection.run("DELETE FROM places WHERE query = ? AND id = ?", [.integer(query), Binding(id)])
    }

    func forgetAll() throws(RemoteDataError) {
        try connection.run("DELETE FROM places WHERE query = ?", [.integer(query)])
    }

    /// Forgets the places of rows outside some stretches, which are in order, and of those that a table does
    /// not have.
    func forget(outside intervals: [KeyInterval], of table: Int64) throws(RemoteDataError) {
        var behind: KeyInterval.Bound?
        for interval in intervals {
            if let lower = interval.lower {
                try forget(
                    in: KeyInterval(
                        lower: behind,
                        upper: .init(key: lower.key, isIncluded: !lower.isIncluded)
                    )
                )
            }
            guard let upper = interval.upper else { return try forgetRowless(table) }
            behind = .init(key: upper.key, isIncluded: !upper.isIncluded)
        }
        try forget(in: KeyInterval(lower: behind, upper: nil))
        try forgetRowless(table)
    }

    private func forget(in interval: KeyInterval) throws(RemoteDataError) {
        let condition = condition(interval)
        try connection.run("DELETE FROM places WHERE " + condition.sql, condition.bindings)
    }

    private func forgetRowless(_ table: Int64) throws(RemoteDataError) {
        try connection.run(
            "DELETE FROM places WHERE query = ? AND id NOT IN (SELECT id FROM t\(table))",
            [.integer(query)]
        )
    }

    /// The key of a row with its place; nil when it has none.
    func key(of row: Row) throws(RemoteDataError) -> Key? {
        let bytes = try connection.first(
            "SELECT place FROM places WHERE query = ? AND id = ?",
            [.integer(query), Binding(row.id)]
        ) { $0.bytes(0) }
        return bytes.flatMap { SortPlace(bytes: $0) }.map { Key(row, sort: sort).at($0) }
    }

    /// The ids of rows in a stretch.
    func ids(in interval: KeyInterval) throws(RemoteDataError) -> [RowID] {
        let condition = condition(interval)
        var ids: [RowID] = []
        try connection.query("SELECT id FROM places WHERE " + condition.sql, condition.bindings) { row in
            ids.append(row.id(0))
        }
        return ids
    }

    private func condition(_ interval: KeyInterval) -> SQLFragment {
        var condition = SQLFragment("query = ?", [.integer(query)])
        if let lower = interval.lower, let place = lower.key.place {
            let sql = lower.isIncluded ? " AND place >= ?" : " AND place > ?"
            condition = condition + SQLFragment(sql, [.blob(place.bytes)])
        }
        if let upper = interval.upper, let place = upper.key.place {
            let sql = upper.isIncluded ? " AND place <= ?" : " AND place < ?"
            condition = condition + SQLFragment(sql, [.blob(place.bytes)])
        }
        return condition
    }

    /// The rows behind a key, in their order, up to the first that is not the one any more that had the place.
    ///
    /// - Returns: The rows, and whether there is no such row.
    func rows(
        behind key: Key?,
        limit: Int,
        of table: Int64,
        _ epoch: Epoch?
    ) throws(RemoteDataError) -> (rows: [Row], isWhole: Bool) {
        var condition = SQLFragment("p.query = ? AND t.used > 0", [.integer(query)])
        if let key {
            guard let place = key.place else { return ([], false) }
            condition = condition + SQLFragment(" AND p.place > ?", [.blob(place.bytes)])
        }
        var rows: [Row] = []
        var isOver = false
        try connection.query(
            """
            SELECT t.id, t.serverRevision, t.json, p.place, p.key FROM places p JOIN t\(table) t ON t.id = p.id
            WHERE \(condition.sql) ORDER BY p.place LIMIT ?
            """,
            condition.bindings + [Binding(limit)]
        ) { found in
            let row = Row(
                id: found.id(0),
                revision: ServerVersion(found, 1, epoch).revision,
                json: found.bytes(2)[...]
            )
            guard !isOver, let place = SortPlace(bytes: found.bytes(3)),
                Key(row, sort: sort).json == found.bytes(4)
            else { return isOver = true }
            rows.append(row.at(place))
        }
        return (rows, !isOver)
    }

    /// The keys of all rows with their places, in their order.
    func keys() throws(RemoteDataError) -> [Key] {
        var keys: [Key] = []
        try connection.query(
            "SELECT key, place FROM places WHERE query = ? ORDER BY place",
            [.integer(query)]
        ) { found in
            guard let key = try? Key(json: found.bytes(0)[...], termCount: sort.count),
                let place = SortPlace(bytes: found.bytes(1))
            else { return }
            keys.append(key.at(place))
        }
        return keys
    }
}
