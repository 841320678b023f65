import RemoteData

/// What is kept of a query, as the table `queries` has it.
struct KeptRecord: Sendable {
    let number: Int64
    /// Changes up to this revision are in the rows of the fresh stretches.
    var revision: Revision?
    /// How many rows the query had; nil when nobody could tell.
    var count: Int?
    /// Whether that is known to be right at the revision.
    var isExact: Bool
    /// Stretches that are known whole.
    var fresh: KeyIntervals
    /// Stretches that were, before changes may have been missed.
    var stale: KeyIntervals

    /// What tells queries of a table apart.
    static func text(_ query: Query) -> String {
        (query.filter?.description ?? "") + "\n" + query.sort.map(\.description).joined(separator: ", ")
    }

    /// Reads what is kept of a query of a table, by revisions of an epoch.
    static func read(
        _ query: Query,
        table: Int64,
        epoch: Epoch?,
        from connection: Connection
    ) throws(RemoteDataError) -> KeptRecord? {
        try connection.first(
            "SELECT number,revision,count,isExact,fresh,stale FROM queries WHERE tableNumber = ? AND text = ?",
            [.integer(table), .text(text(query))]
        ) { row in
            KeptRecord(
                number: row.integer(0),
                revision: row.isNull(1) ? nil : Revision(row.integer(1), epoch: epoch),
                count: row.isNull(2) ? nil : Int(row.integer(2)),
                isExact: row.integer(3) != 0,
                fresh: KeyIntervals(json: row.bytes(4), termCount: query.sort.count),
                stale: KeyIntervals(json: row.bytes(5), termCount: query.sort.count)
            )
        }
    }

    /// Reads what is kept of a query, or makes a record of nothing.
    static func known(
        _ query: Query,
        table: TableInfo,
        in connection: Connection
    ) throws(RemoteDataError) -> KeptRecord {
        let (number, epoch) = (table.number, table.serverEpoch)
        if let record = try read(query, table: number, epoch: epoch, from: connection) { return record }
        return try create(query, table: number, in: connection)
    }

    /// Makes one for a query that nothing is kept of.
    private static func create(
        _ query: Query,
        table: Int64,
        in connection: Connection
    ) throws(RemoteDataError) -> KeptRecord {
        let none = KeyIntervals()
        try connection.run(
            "INSERT INTO queries (tableNumber,text,isExact,fresh,stale) VALUES (?,?,0,?,?)",
            [.integer(table), .text(text(query)), .blob(none.json), .blob(none.json)]
        )
        let number = try connection.first("SELECT last_insert_rowid()") { $0.integer(0) } ?? 0
        return KeptRecord(number: number, count: nil, isExact: false, fresh: none, stale: none)
    }

    func write(to connection: Connection) throws(RemoteDataError) {
        try connection.run(
            "UPDATE queries SET revision = ?, count = ?, isExact = ?, fresh = ?, stale = ? WHERE number = ?",
            [
                revision.map { Binding($0) } ?? .null, count.map { Binding($0) } ?? .null,
                .integer(isExact ? 1 : 0), .blob(fresh.json), .blob(stale.json), .integer(number),
            ]
        )
    }

    /// Changes may have been missed: nothing is known for sure any more.
    mutating func lose(sort: [SortTerm]) {
        for interval in fresh.all { stale.insert(interval, sort: sort) }
        fresh = KeyIntervals()
        (revision, isExact) = (nil, false)
    }

    /// Nothing is known any more, not even what was.
    mutating func forgetAll(sort: [SortTerm]) {
        lose(sort: sort)
        stale = KeyIntervals()
    }

    /// Nothing is known any more but of some stretches.
    mutating func keep(_ intervals: [KeyInterval], sort: [SortTerm]) {
        fresh.formIntersection(intervals, sort: sort)
        stale.formIntersection(intervals, sort: sort)
    }

    /// What was known whole of some stretches, and nothing else, is known to be right as of a revision.
    mutating func verify(_ intervals: [KeyInterval], at revision: Revision?, sort: [SortTerm]) {
        lose(sort: sort)
        // Rows of a stretch that is here no longer are not.
        for interval in intervals {
            for part in stale.parts(in: interval, sort: sort) { cover(part, sort: sort) }
        }
        self.revision = revision
    }

    /// A stretch is known whole.
    mutating func cover(_ interval: KeyInterval, sort: [SortTerm]) {
        stale.remove(interval, sort: sort)
        fresh.insert(interval, sort: sort)
    }

    /// A stretch was known whole, before changes may have been missed.
    mutating func coverStale(_ interval: KeyInterval, sort: [SortTerm]) {
        fresh.remove(interval, sort: sort)
        stale.insert(interval, sort: sort)
    }

    /// Notes how many rows the collection has.
    mutating func take(_ number: CacheLink.Number?) {
        // Whoever knows may not be there yet.
        count = number?.count.value ?? count
        isExact = number?.isExact == true && number?.count.revision == revision
    }

    mutating func reach(_ revision: Revision?) {
        guard let revision else { return }
        self.revision = self.revision.advanced(to: revision)
    }
}
