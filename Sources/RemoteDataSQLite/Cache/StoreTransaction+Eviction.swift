import RemoteData

// Keeping no more of what was read than asked for: what was read longest ago goes, unless a label holds it.
extension StoreTransaction {
    /// Removes rows read longest ago until a tenth less than the limit is left, when there is more than that.
    ///
    /// - Parameter limit: The most bytes of JSON of rows that were read and that no label holds.
    /// - Throws: `RemoteDataError` with code `storage`.
    /// - Complexity: O(rows that were read).
    mutating func evict(to limit: Int) throws(RemoteDataError) {
        guard let last = try lastToGo(limit) else { return }
        for (name, info) in catalog.tables.sorted(by: { $0.key < $1.key }) {
            var rows: [Row] = []
            try connection.query(
                "SELECT id,revision,json FROM t\(info.number) WHERE used <= ? AND \(Self.isEvictable)",
                [.integer(last), .integer(info.number)]
            ) { row in
                rows.append(
                    Row(id: row.id(0), revision: row.revision(1), json: row.bytes(2)[...])
                )
            }
            guard !rows.isEmpty else { continue }
            try forget(rows, of: info)
            var storage = SQLiteRows(info, name: name, idColumn: idColumn, connection)
            var changes: [RowChange] = []
            for row in rows {
                try storage.remove(row)
                changes.append(RowChange(revision: nextRevision(), effect: .deleted(row)))
            }
            try finish(changes, storage.info, name)
        }
    }

    private static let isEvictable = "used > 0 AND id NOT IN (SELECT id FROM pins WHERE tableNumber = ?)"

    /// The number at which the last of the rows was read that have to go; nil when none has.
    private func lastToGo(_ limit: Int) throws(RemoteDataError) -> Int64? {
        var sizes: [Int64: Int] = [:]
        for info in catalog.tables.values {
            try connection.query(
                """
                SELECT used, sum(length(CAST(json AS BLOB))) FROM t\(info.number)
                WHERE \(Self.isEvictable) GROUP BY used
                """,
                [.integer(info.number)]
            ) { row in sizes[row.integer(0), default: 0] += Int(row.integer(1)) }
        }
        let total = sizes.values.reduce(0, +)
        guard total > limit else { return nil }
        var excess = total - limit / 10 * 9
        for (number, size) in sizes.sorted(by: { $0.key < $1.key }) {
            excess -= size
            if excess <= 0 { return number }
        }
        return sizes.keys.max()
    }

    /// Takes rows out of what is known of queries; those of which nothing is left are forgotten.
    private func forget(_ rows: [Row], of info: TableInfo) throws(RemoteDataError) {
        for (record, query) in try records(of: info) {
            var record = record
            let places = KeptPlaces(record, sort: query.sort, in: connection)
            let matcher = query.filter.map { Where.Matcher($0) }
            var keys: [Key] = []
            if try places.isEmpty() {
                keys = rows.filter { matcher?.matches($0) ?? true }.map { Key($0, sort: query.sort) }
            } else {
                for row in rows { if let key = try places.key(of: row) { keys.append(key) } }
                for key in keys { try places.forget(key.id) }
            }
            keys.sort { Key.order($0, $1, sort: query.sort) == .ascending }
            record.forget(keys, sort: query.sort)
            if record.fresh.all.isEmpty, record.stale.all.isEmpty {
                try connection.run("DELETE FROM queries WHERE number = ?", [.integer(record.number)])
            } else {
                try record.write(to: connection)
            }
        }
    }
}

extension KeptRecord {
    /// Rows are here no longer: of each stretch that held some, what lies from the first to the last of them is no longer known.
    fileprivate mutating func forget(_ keys: [Key], sort: [SortTerm]) {
        for interval in fresh.all + stale.all {
            guard let first = keys.first(where: { interval.contains($0, sort) }),
                let last = keys.last(where: { interval.contains($0, sort) })
            else { continue }
            let gap = KeyInterval(
                lower: .init(key: first, isIncluded: true),
                upper: .init(key: last, isIncluded: true)
            )
            fresh.remove(gap, sort: sort)
            stale.remove(gap, sort: sort)
        }
    }
}
