import RemoteData

/// Reads pages of queries as far as they are kept.
struct KeptReader {
    private let connection: Connection
    private let table: Int64
    private let idColumn: String
    /// Whether the order cannot be reproduced.
    private let isPlaced: Bool

    init(_ connection: Connection, table: Int64, idColumn: String, isPlaced: Bool) {
        (self.connection, self.table, self.idColumn) = (connection, table, idColumn)
        self.isPlaced = isPlaced
    }

    /// What is kept of a query; nil when there is nothing.
    func kept(_ query: Query) throws(RemoteDataError) -> KeptQuery? {
        try connection.transaction("DEFERRED") { () throws(RemoteDataError) -> KeptQuery? in
            let epoch = try epoch()
            guard let record = try KeptRecord.read(query, table: table, epoch: epoch, from: connection),
                let count = record.count
            else { return nil }
            let newest = try connection.first(
                "SELECT newest FROM tables WHERE number = ? AND newest NOT NULL",
                [.integer(table)]
            ) { Revision($0.integer(0), epoch: epoch) }
            let isUpToDate = newest.map { newest in record.revision.map { newest <= $0 } ?? false } ?? true
            var kept = KeptQuery(
                count: Count(count, revision: record.revision),
                isOfOneMoment: record.isExact && isUpToDate && record.stale.all.isEmpty
            )
            if isPlaced {
                kept.placedKeys = try KeptPlaces(record, sort: query.sort, in: connection).keys()
            }
            return kept
        }
    }

    /// The rows of a request that lie in one stretch; nil when the first is not known.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isStale: Whether to look among the stretches that changes may have been missed for.
    /// - Returns: The page.
    /// - Throws: `RemoteDataError` with code `storage`.
    func page(_ request: PageRequest, stale isStale: Bool) throws(RemoteDataError) -> Page? {
        try connection.transaction("DEFERRED") { () throws(RemoteDataError) -> Page? in
            let query = request.query
            let epoch = try epoch()
            guard let record = try KeptRecord.read(query, table: table, epoch: epoch, from: connection)
            else { return nil }
            var start: Key?
            let offset = request.start.offset
            switch request.start {
            case .after(let key), .beyond(let key, _): start = key
            case .offset: break
            case .before: return nil
            }
            let stretches = isStale ? record.stale : record.fresh
            guard let stretch = stretches.stretch(behind: start, sort: query.sort) else { return nil }
            var (rows, isWhole) = ([Row](), true)
            if isPlaced {
                let places = KeptPlaces(record, sort: query.sort, in: connection)
                let limit = offset + request.limit
                (rows, isWhole) = try places.rows(behind: start, limit: limit, of: table, epoch)
                rows.removeFirst(min(offset, rows.count))
            } else {
                rows = try self.rows(request, epoch)
            }
            let isCut = rows.count
            if let upper = stretch.upper {
                let end = rows.firstIndex { row in
                    !KeyInterval(upper: upper).contains(Key(row, sort: query.sort), query.sort)
                }
                if let end { rows.removeSubrange(end...) }
            }
            let isEnd = isWhole && rows.count == isCut && rows.count < request.limit && stretch.upper == nil
            guard isEnd || !rows.isEmpty else { return nil }
            return Page(
                rows: rows,
                revision: isStale ? nil : record.revision,
                endsEarly: !isEnd && rows.count < request.limit
            )
        }
    }

    /// The history that the revisions belong to which are kept of the table.
    private func epoch() throws(RemoteDataError) -> Epoch? {
        try connection.first("SELECT epoch FROM tables WHERE number = ?", [.integer(table)]) {
            $0.epoch(0)
        } ?? nil
    }

    private func rows(_ request: PageRequest, _ epoch: Epoch?) throws(RemoteDataError) -> [Row] {
        let condition = SQLFragment("used > 0")
        let parts = QuerySQL(request.query, table: table, idColumn: idColumn, condition)
            .page(request.start, revision: "serverRevision")
        var page = PageBuffer(capacity: request.limit)
        try connection.readPage(parts, passing: request.start.offset, limit: request.limit) { row in
            page.append(row, revision: ServerVersion(row, 1, epoch).revision)
            return true
        }
        return page.rows(reversed: false)
    }
}
