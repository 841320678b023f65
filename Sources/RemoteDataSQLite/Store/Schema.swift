import RemoteData

/// The layout of the file.
///
/// - `store`: the newest revision, the one after which the log begins, and the epoch that all revisions of
///   the file belong to.
/// - `tables`: a number, the newest revision and the count of rows for each table; `newest` is the newest revision of a server
///   that anything in it was read at, and `epoch` the one that every revision of a server belongs to that is
///   kept of the table.
/// - `columns`: every path ever seen in a table, as a clause spells it.
/// - `t<number>`: the rows. The id has no type, so integers and text stay what they are and sort as the
///   contract says. `serverRevision` is the revision a server gave the row; `used` tells why the row is here, see
///   ``RowMark``.
/// - `changes`: the log, one row for each revision of any table, see ``StoredChange``; the oldest go first.
///   `total` counts the bytes of all that were ever logged up to this one, and `logBase` of `store` those in
///   front of the first that is kept.
/// - `outcomes`: the answers to writes that carried an idempotency key, and the fingerprints of those writes.
/// - `labels`, `pins`: which rows are held under which label. `isRoot` tells those that were pinned by name from those they
///   lead to. Rows may be held that are not here yet.
/// - `links`: what the held rows lead to.
/// - `holdings`: the revision at which the rows of a table under a label last changed.
/// - `settings`: what the links were made by.
/// - `queries`: what is kept of the queries of collections: up to which revision changes were followed, how many rows there were
///   then, the stretches of the order (``KeyIntervals``) that are known whole, and those that were before changes were missed.
/// - `places`: where the rows of a query stand whose order cannot be reproduced, see ``KeptPlaces``.
/// - `outbox`: what was written here and the server has not agreed to, see ``OutboxEntry``. `waitsFor` is the number of another
///   one that has to be done before; the server's row has changed since where it `isOutdated`, and `before` is what it was then.
/// - `bases`: the rows as the server has them that were changed here since, without `json` those that it does not have. `hiddenBy`
///   is the removal of the row they belong to.
/// - `aliases`: the ids that rows had before the server gave them others.
/// - `pulls`: up to which revision or stamp the rows of a table were read that is held whole.
enum Schema {
    /// "RDC1" as a number, so that another program's database is not written to.
    static let applicationID: Int64 = 0x5244_4331
    static let version: Int64 = 5

    /// Adds to a file what a version has and the one before it has not.
    private static func add(_ version: Int64, to connection: Connection) throws(RemoteDataError) {
        switch version {
        case 1: try connection.execute(tables)
        case 2:
            try connection.execute(pins)
            try connection.execute(outbox)
            var numbers: [Int64] = []
            try connection.query("SELECT number FROM tables") { numbers.append($0.integer(0)) }
            for number in numbers {
                try connection.execute("ALTER TABLE t\(number) ADD COLUMN serverRevision INTEGER")
                try connection.execute("ALTER TABLE t\(number) ADD COLUMN used INTEGER")
            }
        case 3:
            try connection.execute("ALTER TABLE store ADD COLUMN epoch INTEGER")
            try connection.execute("ALTER TABLE tables ADD COLUMN epoch INTEGER")
        case 4: try connection.execute("ALTER TABLE outcomes ADD COLUMN request INTEGER")
        case 5:
            // Clients of before compare once.
            try connection.execute("DROP TABLE changes")
            try connection.execute(changes)
            try connection.execute("ALTER TABLE store ADD COLUMN logBase INTEGER NOT NULL DEFAULT 0")
            try connection.execute(
                "UPDATE store SET logStart = max(revision, ifnull((SELECT max(revision) FROM tables), 0))"
            )
        default: preconditionFailure("There is no version \(version).")
        }
    }

    private static let tables = """
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
        """

    private static let changes = """
        CREATE TABLE changes (
            revision INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL,
            total INTEGER NOT NULL, kind INTEGER NOT NULL, size INTEGER NOT NULL, id,
            beforeRevision INTEGER, clause TEXT, count INTEGER, key TEXT, before TEXT, found TEXT);
        """

    private static let pins = """
        CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE pins (
            label INTEGER NOT NULL, tableNumber INTEGER NOT NULL, id NOT NULL, isRoot INTEGER NOT NULL,
            PRIMARY KEY (label, tableNumber, id)) WITHOUT ROWID;
        CREATE INDEX pinsByRow ON pins (tableNumber, id);
        CREATE TABLE links (
            tableNumber INTEGER NOT NULL, id NOT NULL, toTable INTEGER NOT NULL, toID NOT NULL,
            PRIMARY KEY (tableNumber, id, toTable, toID)) WITHOUT ROWID;
        CREATE INDEX linksByTarget ON links (toTable, toID);
        CREATE TABLE holdings (
            label INTEGER NOT NULL, tableNumber INTEGER NOT NULL, revision INTEGER NOT NULL,
            PRIMARY KEY (label, tableNumber)) WITHOUT ROWID;
        CREATE TABLE queries (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, text TEXT NOT NULL,
            revision INTEGER, count INTEGER, isExact INTEGER NOT NULL,
            fresh BLOB NOT NULL, stale BLOB NOT NULL, UNIQUE (tableNumber, text));
        CREATE TABLE places (
            query INTEGER NOT NULL, id NOT NULL, place BLOB NOT NULL, key BLOB NOT NULL,
            PRIMARY KEY (query, id)) WITHOUT ROWID;
        CREATE INDEX placesInOrder ON places (query, place);
        ALTER TABLE tables ADD COLUMN newest INTEGER;
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """

    private static let outbox = """
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, id NOT NULL,
            kind INTEGER NOT NULL, body TEXT NOT NULL, key TEXT NOT NULL, batch TEXT,
            state INTEGER NOT NULL, attempts INTEGER NOT NULL, due INTEGER NOT NULL, waitsFor INTEGER,
            isOutdated INTEGER NOT NULL, before TEXT, beforeRevision INTEGER,
            parentTable INTEGER, parent, time INTEGER NOT NULL, error TEXT);
        CREATE INDEX outboxByRow ON outbox (tableNumber, id);
        CREATE INDEX outboxByParent ON outbox (parentTable, parent) WHERE parentTable IS NOT NULL;
        CREATE INDEX outboxReady ON outbox (due, number) WHERE state = 0 AND waitsFor IS NULL;
        CREATE INDEX outboxWaiting ON outbox (waitsFor) WHERE waitsFor IS NOT NULL;
        CREATE INDEX outboxEnded ON outbox (state, number) WHERE state > 0;
        CREATE TABLE bases (
            tableNumber INTEGER NOT NULL, id NOT NULL, json TEXT, serverRevision INTEGER, used INTEGER,
            hiddenBy INTEGER, PRIMARY KEY (tableNumber, id)) WITHOUT ROWID;
        CREATE INDEX basesHidden ON bases (hiddenBy) WHERE hiddenBy IS NOT NULL;
        CREATE TABLE aliases (
            tableNumber INTEGER NOT NULL, id NOT NULL, now NOT NULL, PRIMARY KEY (tableNumber, id)) WITHOUT ROWID;
        CREATE INDEX aliasesByTarget ON aliases (tableNumber, now);
        CREATE TABLE pulls (
            tableNumber INTEGER PRIMARY KEY, revision INTEGER, stamp TEXT, isWhole INTEGER NOT NULL);
        """

    /// Makes a new file a store, brings an older one up to date with all it holds, and refuses one that is something
    /// else.
    ///
    /// - Parameters:
    ///   - connection: The connection to it.
    ///   - beginsNewEpoch: Whether its revisions get another epoch.
    ///   - makeEpoch: Makes the epoch of a file that has none, or is to have another one.
    /// - Throws: `RemoteDataError` with code `storage`.
    static func prepare(
        _ connection: Connection,
        beginsNewEpoch: Bool = false,
        makeEpoch: () -> Epoch? = { .random() }
    ) throws(RemoteDataError) {
        // Must come before the first table. What a small write takes is mostly the pages it touches; rows of up to 1,000 bytes
        // are in one piece.
        try connection.execute("PRAGMA page_size = 4096")
        try connection.execute("PRAGMA journal_mode = WAL")
        // Rows with random ids touch the same pages again and again: copying them to the file seldom halves
        // the writing.
        try connection.keepLogRoom(checkpointAt: 8_000)
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA journal_size_limit = 67108864")
        try connection.transaction("IMMEDIATE") { () throws(RemoteDataError) in
            let application = try number("PRAGMA application_id", connection)
            let found = try number("PRAGMA user_version", connection)
            if application == applicationID {
                guard found <= version else {
                    throw RemoteDataError(
                        .storage,
                        """
                        \(connection.path) was written by a newer version (\(found)); \
                        this one reads up to \(version). Update this program.
                        """
                    )
                }
            } else {
                guard application == 0, try number("SELECT count(*) FROM sqlite_master", connection) == 0
                else {
                    throw RemoteDataError(
                        .storage,
                        "\(connection.path) is another program's database; choose another file."
                    )
                }
            }
            if found < version {
                for next in (found + 1)...version { try add(next, to: connection) }
                try connection.execute("PRAGMA user_version = \(version)")
            }
            connection.epoch = beginsNewEpoch ? nil : try epoch(connection)
            guard connection.epoch == nil, let epoch = makeEpoch() else { return }
            try connection.run("UPDATE store SET epoch = ?", [Binding(epoch)])
            connection.epoch = epoch
        }
    }

    /// The epoch of the file; nil where it has none yet.
    private static func epoch(_ connection: Connection) throws(RemoteDataError) -> Epoch? {
        try connection.first("SELECT epoch FROM store") { $0.epoch(0) } ?? nil
    }

    private static func number(_ sql: String, _ connection: Connection) throws(RemoteDataError) -> Int64 {
        try connection.first(sql) { $0.integer(0) } ?? 0
    }

    static func createTable(_ number: Int64) -> String {
        """
        CREATE TABLE t\(number) (
            id NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, json TEXT NOT NULL,
            serverRevision INTEGER, used INTEGER) WITHOUT ROWID
        """
    }
}
