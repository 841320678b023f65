import RemoteData

/// The layout of the file.
///
/// - `tables`: a number, the newest revision and the count of rows for each table.
/// - `columns`: every path ever seen in a table, as a clause spells it.
/// - `t<number>`: the rows. The id has no type, so integers and text stay what they are and sort as the
///   contract says.
/// - `changes`: the log, one row for each revision of any table; the oldest go first.
/// - `outcomes`: the answers to writes that carried an idempotency key.
enum Schema {
    /// "RDC1" as a number, so that another program's database is not written to.
    static let applicationID: Int64 = 0x5244_4331
    static let version: Int64 = 1

    private static let statements = """
        CREATE TABLE store (
            onlyRow INTEGER PRIMARY KEY CHECK (onlyRow = 1),
            revision INTEGER NOT NULL, logStart INTEGER NOT NULL);
        INSERT INTO store VALUES (1, 0, 0);
        CREATE TABLE tables (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            revision INTEGER NOT NULL, rows INTEGER NOT NULL);
        CREATE TABLE columns (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, path TEXT NOT NULL);
        CREATE TABLE changes (
            revision INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, id,
            beforeRevision INTEGER, before TEXT, after TEXT, clause TEXT, count INTEGER, key TEXT);
        CREATE TABLE outcomes (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, key TEXT NOT NULL,
            time INTEGER NOT NULL, answer BLOB NOT NULL, UNIQUE (tableNumber, key));
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// Makes a new file a store, and refuses one that is something else.
    static func prepare(_ connection: Connection) throws(RemoteDataError) {
        // Must come before the first table; 8 KiB keeps rows of up to 2,000 bytes in one piece.
        try connection.execute("PRAGMA page_size = 8192")
        try connection.execute("PRAGMA journal_mode = WAL")
        // Rows with random ids touch the same pages again and again: copying them to the file seldom halves
        // the writing.
        try connection.execute("PRAGMA wal_autocheckpoint = 4000")
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA journal_size_limit = 67108864")
        try connection.transaction("IMMEDIATE") { () throws(RemoteDataError) in
            let application = try number("PRAGMA application_id", connection)
            let version = try number("PRAGMA user_version", connection)
            if application == applicationID {
                guard version == Schema.version else {
                    throw RemoteDataError(
                        .storage,
                        """
                        \(connection.path) was written by another version (\(version)); \
                        this one reads \(Schema.version).
                        """
                    )
                }
                return
            }
            guard application == 0, try number("SELECT count(*) FROM sqlite_schema", connection) == 0 else {
                throw RemoteDataError(
                    .storage,
                    "\(connection.path) is another program's database; choose another file."
                )
            }
            try connection.execute(statements)
        }
    }

    private static func number(_ sql: String, _ connection: Connection) throws(RemoteDataError) -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }

    static func createTable(_ number: Int64) -> String {
        """
        CREATE TABLE t\(number)
        (id NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID
        """
    }
}
