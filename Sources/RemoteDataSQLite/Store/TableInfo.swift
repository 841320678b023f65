import RemoteData

/// What is known of a table beside its rows.
struct TableInfo: Sendable {
    let number: Int64
    /// The revision of the last change.
    var revision: Revision
    /// How many rows there are.
    var rows: Int
    var columns: ColumnSet
    /// The history that the revisions of a server belong to which are kept of the table; nil for none.
    var serverEpoch: Epoch?
    /// The names of the indexes when the file was read.
    var indexes: [String] = []
}

/// A name under which rows are held.
struct Label: Hashable, Sendable {
    let number: Int64
    let name: String
}

/// Everything the writer knows of the file.
struct Catalog: Sendable {
    /// The newest revision of any table.
    var revision = Revision.zero
    /// Changes after this revision are in the log.
    var logStart = Revision.zero
    /// The bytes of all changes ever logged before the first one that is kept, and of all with those.
    var (logBase, logEnd) = (Int64(0), Int64(0))
    /// The number of the last write that was queued, or one that is greater.
    var lastWrite: Int64 = 0
    var tables: [String: TableInfo] = [:]
    /// The labels by name, whether or not they hold anything.
    var labels: [String: Label] = [:]
    /// The indexes that are known to be there for rows that name others.
    var namingIndexes: Set<String> = []
    /// The tables that are being read whole.
    var pulling: Set<String> = []
    /// Rows whose removal the server has agreed to, by the revisions of that, until no older news can come.
    var removed: [RowPlace: Revision] = [:]
    /// The removals since the store was opened that hide rows, and whether news of those have come since.
    var hiding: [Int64: Bool] = [:]
    var recentWrites = RecentWrites()
    /// SQLite's count of other connections' commits, to notice other writers.
    var dataVersion: Int64 = 0
}

extension Catalog {
    /// Reads the file.
    init(_ connection: Connection, keepsLog: Bool) throws(RemoteDataError) {
        dataVersion = try connection.first("PRAGMA data_version") { $0.integer(0) } ?? 0
        try connection.query("SELECT revision, logStart, logBase FROM store") { row in
            revision = row.revision(0)
            logStart = row.revision(1)
            logBase = row.integer(2)
        }
        let last = try connection.first("SELECT revision,total FROM changes ORDER BY revision DESC LIMIT 1") {
            (revision: $0.revision(0), total: $0.integer(1))
        }
        logEnd = last?.total ?? logBase
        try connection.query("SELECT number, name FROM labels") { row in
            labels[row.text(1)] = Label(number: row.integer(0), name: row.text(1))
        }
        var columns: [Int64: ColumnSet] = [:]
        try connection.query("SELECT tableNumber, path FROM columns ORDER BY number") { row in
            guard let path = ColumnPath(stored: row.text(1)) else { return }
            columns[row.integer(0), default: ColumnSet()].insert(path)
        }
        var indexes: [String: [String]] = [:]
        let named =
            "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND name GLOB 'x*' ORDER BY rowid"
        try connection.query(named) { row in indexes[row.text(0), default: []].append(row.text(1)) }
        try connection.query("SELECT number, name, revision, rows, epoch FROM tables") { row in
            tables[row.text(1)] = TableInfo(
                number: row.integer(0),
                revision: row.revision(2),
                rows: Int(row.integer(3)),
                columns: columns[row.integer(0)] ?? ColumnSet(),
                serverEpoch: row.epoch(4),
                indexes: indexes["t\(row.integer(0))"] ?? []
            )
        }
        // What a table was last changed at is not noted twice.
        revision = tables.values.map(\.revision).reduce(revision, max)
        lastWrite = revision.rawValue
        // One who keeps no log may have written since.
        if !keepsLog || last?.revision ?? logStart < revision { logStart = revision }
    }
}

extension ColumnPath {
    /// Reads a path that was stored as its description.
    init?(stored: String) {
        guard let term = try? SortTerm.parse(stored).first else { return nil }
        self = term.column
    }
}
