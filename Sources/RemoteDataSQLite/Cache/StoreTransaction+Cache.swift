import RemoteData

// What collections read and hear, kept as rows and as stretches of queries.
extension StoreTransaction {
    /// Writes what a collection has noted.
    ///
    /// - Returns: The rows that a label holds and that are known to have changed, but not how.
    mutating func write(
        _ batch: CacheBatch,
        of query: Query,
        _ table: String,
        isPlaced: Bool
    ) throws(RemoteDataError) -> [RowID] {
        let info = try self.table(table)
        var record = try KeptRecord.known(query, table: info, in: connection)
        let mark = RowMark.read(nextRevision().rawValue)
        let isHeard = isListenedTo(table) || !catalog.labels.isEmpty || logCapacity.changes > 0
        var writing = CacheWriting(table: table, mark: mark, epoch: info.serverEpoch, keepsChanges: isHeard)
        let places = isPlaced ? KeptPlaces(record, sort: query.sort, in: connection) : nil
        for note in batch.notes {
            if try enter(note.revision, of: table) {
                writing.enter(catalog.tables[table]?.serverEpoch)
                record.lose(sort: query.sort)
            }
            try write(note, query, places, &record, &writing)
        }
        try finish(&writing)
        record.take(batch.number)
        try record.write(to: connection)
        if let newest = writing.newest {
            try connection.run(
                "UPDATE tables SET newest = max(ifnull(newest,?1),?1) WHERE number = ?2",
                [Binding(newest), .integer(info.number)]
            )
        }
        return writing.outdated
    }

    private mutating func write(
        _ note: CacheNote,
        _ query: Query,
        _ places: KeptPlaces?,
        _ record: inout KeptRecord,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) {
        switch note {
        case .stretch(let interval, let rows, let revision):
            guard try replace(interval, by: rows, asOf: revision, query, places, &writing) else { return }
            record.cover(interval, sort: query.sort)
        case .staleStretch(let interval, let rows, let revision):
            guard try replace(interval, by: rows, asOf: revision, query, places, &writing) else { return }
            record.coverStale(interval, sort: query.sort)
        case .rows(let rows, let revision):
            _ = try absorb(rows, asOf: revision, &writing)
            try places?.note(rows)
        case .change(let change):
            try apply(change, query, places, &writing)
            record.reach(change.revision?.point(in: writing.epoch))
        case .ownChange(let change): try apply(change, query, places, &writing)
        case .lateChange(let change):
            if let row = change.row, try storage(&writing).known(row.id) == nil { return }
            try apply(change, query, places, &writing)
        case .forgotten:
            try places?.forgetAll()
            record.forgetAll(sort: query.sort)
        case .placed(let intervals):
            let table = try table(writing.table).number
            try places?.forget(outside: intervals, of: table)
            record.keep(intervals, sort: query.sort)
        case .reached(let revision): record.reach(revision.point(in: writing.epoch))
        case .lost: record.lose(sort: query.sort)
        case .verified(let intervals, let revision):
            record.verify(intervals, at: revision?.point(in: writing.epoch), sort: query.sort)
        }
    }

    /// Puts what was written into the log, and has the labels follow.
    private mutating func finish(_ writing: inout CacheWriting) throws(RemoteDataError) {
        guard writing.hasChanged, var info = writing.info.take() else { return }
        let changes = writing.takeChanges()
        guard changes.isEmpty else { return try finish(changes, info, writing.table) }
        // Nobody wants to know which.
        info.revision = catalog.revision
        catalog.tables[writing.table] = info
        try log([], info, writing.table)
    }

    // MARK: Rows

    /// Stores rows of a server where nothing newer is here.
    ///
    /// - Returns: Whether all of them are here now as the server has them: not where one was written here.
    private mutating func absorb(
        _ rows: [Row],
        asOf revision: Revision?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) -> Bool {
        writing.note(revision)
        var isWhole = true
        var storage = try storage(&writing)
        for row in rows {
            // Kept of an earlier history, it is no news.
            guard row.revision?.point(in: writing.epoch) == row.revision else {
                isWhole = false
                continue
            }
            let version = ServerVersion(row.revision, asOf: revision)
            writing.note(version.asOf)
            let next = nextRevision()
            let stored = row.at(next)
            if try storage.insert(stored, version, writing.mark) {
                writing.add { RowChange(revision: next, effect: .created(stored)) }
                continue
            }
            guard let known = try storage.known(row.id) else { continue }
            if !known.mark.isCopy {
                isWhole = false
            } else if !known.version.isNewer(than: version.asOf) {
                if known.row.json == row.json {
                    try storage.confirm(known.row, version, writing.mark)
                } else {
                    try storage.put(stored, replacing: known.row, mark: writing.mark, version)
                    writing.add {
                        RowChange(revision: next, effect: .updated(before: known.row, after: stored))
                    }
                }
            }
        }
        writing.info = storage.info
        return isWhole
    }

    private mutating func storage(_ writing: inout CacheWriting) throws(RemoteDataError) -> SQLiteRows {
        if writing.info == nil { writing.info = try table(writing.table) }
        return SQLiteRows(writing.info, name: writing.table, idColumn: idColumn, connection)
    }

    /// Stores the rows of a stretch, and takes others out of it.
    ///
    /// - Returns: Whether that could be done with all of them.
    private mutating func replace(
        _ interval: KeyInterval,
        by rows: [Row],
        asOf revision: Revision?,
        _ query: Query,
        _ places: KeptPlaces?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) -> Bool {
        let isWhole = try absorb(rows, asOf: revision, &writing)
        try places?.note(rows)
        guard isWhole else { return false }
        return try removeOthers(in: interval, than: rows, asOf: revision, query, places, &writing)
    }

    /// Takes out of a stretch what a page of it did not show.
    ///
    /// - Returns: Whether that could be done.
    private mutating func removeOthers(
        in interval: KeyInterval,
        than rows: [Row],
        asOf revision: Revision?,
        _ query: Query,
        _ places: KeptPlaces?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) -> Bool {
        if let places {
            let shown = Set(rows.map(\.id))
            for id in try places.ids(in: interval) where !shown.contains(id) {
                try leave(id, at: revision, &writing)
                try places.forget(id)
            }
            return true
        }
        guard let info = writing.info,
            let conditions = interval.conditions(sort: query.sort, idColumn: idColumn)
        else { return false }
        // Nearly always nothing else is there; in the order of the ids, the index tells without a look at the rows.
        if query.sort.isEmpty, try count(conditions, in: info) == rows.count { return true }
        let parts = (query.filter.map { [$0] } ?? []) + conditions
        let filter = parts.count > 1 ? Where.and(parts) : parts.first
        guard try keptCount(filter, in: info) != rows.count else { return true }
        let shown = Set(rows.map(\.id))
        for id in try kept(filter, in: info) where !shown.contains(id) {
            try leave(id, at: revision, &writing)
        }
        return true
    }

    /// The ids of rows that were read from a server and match.
    private func kept(_ filter: Where?, in info: TableInfo) throws(RemoteDataError) -> [RowID] {
        var ids: [RowID] = []
        let sql = sql("id", filter, info)
        try connection.query(sql.sql, sql.bindings) { ids.append($0.id(0)) }
        return ids
    }

    /// How many they are.
    private func keptCount(_ filter: Where?, in info: TableInfo) throws(RemoteDataError) -> Int {
        let sql = sql("count(*)", filter, info)
        return try connection.first(sql.sql, sql.bindings) { Int($0.integer(0)) } ?? 0
    }

    /// How many rows there are in a stretch of the order of the ids.
    private func count(_ conditions: [Where], in info: TableInfo) throws(RemoteDataError) -> Int {
        let all = SQLFragment("SELECT count(*) FROM t\(info.number)")
        let filter = conditions.count > 1 ? Where.and(conditions) : conditions.first
        let sql = filter.map { all + SQLFragment(" WHERE ") + WhereSQL(idColumn: idColumn).render($0) } ?? all
        return try connection.first(sql.sql, sql.bindings) { Int($0.integer(0)) } ?? 0
    }

    private func sql(_ what: String, _ filter: Where?, _ info: TableInfo) -> SQLFragment {
        let all = SQLFragment("SELECT \(what) FROM t\(info.number) WHERE used > 0")
        return filter.map { all + SQLFragment(" AND ") + WhereSQL(idColumn: idColumn).render($0) } ?? all
    }

    // MARK: Changes

    private mutating func apply(
        _ change: Change,
        _ query: Query,
        _ places: KeptPlaces?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) {
        if let places {
            if let row = change.row { try places.note([row]) }
            if let former = change.formerID { try places.forget(former) }
            if change.kind == .deleted, let id = change.id { try places.forget(id) }
        }
        writing.note(change.revision)
        if let former = change.formerID { try erase(former, at: change.revision, &writing) }
        switch change.kind {
        case .created, .updated:
            if let row = change.row { _ = try absorb([row], asOf: change.revision, &writing) }
        case .deleted:
            guard let id = change.id else { return }
            if change.left {
                // What is kept may be the version already with which it left.
                let known = try storage(&writing).known(id)?.row
                if let known, let filter = query.filter, !filter.matches(known) { return }
                try leave(id, at: change.revision, &writing)
            } else {
                try erase(id, at: change.revision, &writing)
            }
        case .bulkDeleted:
            let storage = try storage(&writing)
            guard let info = storage.info else { return }
            for id in try kept(change.predicate, in: info) {
                try erase(id, at: change.revision, &writing)
                if let places, try storage.known(id) == nil { try places.forget(id) }
            }
        default: break
        }
    }

    /// A row was removed from the server.
    private mutating func erase(
        _ id: RowID,
        at revision: Revision?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) {
        var storage = try storage(&writing)
        guard let known = try storage.known(id), known.mark.isCopy,
            !known.version.isNewer(than: revision)
        else { return }
        try storage.remove(known.row)
        writing.info = storage.info
        let revision = nextRevision()
        writing.add { RowChange(revision: revision, effect: .deleted(known.row)) }
    }

    /// A row has changed so that it is no longer one of a query's; how, nobody knows.
    private mutating func leave(
        _ id: RowID,
        at revision: Revision?,
        _ writing: inout CacheWriting
    ) throws(RemoteDataError) {
        var storage = try storage(&writing)
        guard let known = try storage.known(id), known.mark.isCopy else { return }
        // What is known of it may have come with the very change.
        if let asOf = known.version.asOf, let revision, asOf.reaches(revision) { return }
        if try labels(of: RowPlace(table: writing.table, id: id)).isEmpty {
            try storage.remove(known.row)
            writing.info = storage.info
            let revision = nextRevision()
            writing.add { RowChange(revision: revision, effect: .deleted(known.row)) }
        } else {
            try storage.confirm(known.row, known.version, .held)
            writing.outdated.append(id)
        }
    }
}

extension CacheNote {
    /// A revision of the history that it belongs to; nil where that is unknown.
    fileprivate var revision: Revision? {
        switch self {
        case .stretch(_, let rows, let revision), .rows(let rows, let revision):
            revision ?? rows.first?.revision
        // The rows may have been kept of an earlier history.
        case .staleStretch(_, _, let revision), .verified(_, let revision): revision
        case .change(let change), .ownChange(let change), .lateChange(let change): change.revision
        case .reached(let revision): revision
        case .lost, .forgotten, .placed: nil
        }
    }
}

/// What comes of notes while they are written.
private struct CacheWriting {
    let table: String
    let mark: RowMark
    /// The history that revisions of the server belong to.
    private(set) var epoch: Epoch?
    /// The latest revision that anything was read at.
    private(set) var newest: Revision?
    /// The table as it is by now.
    var info: TableInfo?
    /// Rows that a label holds and that have changed, nobody knows how.
    var outdated: [RowID] = []
    /// Whether anything has changed.
    private(set) var hasChanged = false
    private let keepsChanges: Bool
    private var changes: [RowChange] = []

    /// - Parameters:
    ///   - table: The table.
    ///   - mark: Why the rows are here.
    ///   - epoch: The history that revisions of the server belong to.
    ///   - keepsChanges: Whether anybody wants to know what changed.
    init(table: String, mark: RowMark, epoch: Epoch?, keepsChanges: Bool) {
        (self.table, self.mark, self.epoch) = (table, mark, epoch)
        self.keepsChanges = keepsChanges
    }

    /// Revisions belong to another history from now on.
    mutating func enter(_ epoch: Epoch?) {
        self.epoch = epoch
        info?.serverEpoch = epoch
        newest = nil
    }

    mutating func note(_ revision: Revision?) {
        guard let revision = revision?.point(in: epoch) else { return }
        newest = newest.advanced(to: revision)
    }

    mutating func add(_ change: () -> RowChange) {
        hasChanged = true
        if keepsChanges { changes.append(change()) }
    }

    mutating func takeChanges() -> [RowChange] {
        defer { changes = [] }
        return changes
    }
}
