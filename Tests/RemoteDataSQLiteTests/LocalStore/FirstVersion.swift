import CSQLite

/// A file as the first version of the store wrote it.
enum FirstVersion {
    static func write(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure() }
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else { throw Failure() }
    }

    struct Failure: Error {}

    private static let statements = """
        PRAGMA journal_mode = WAL;
        CREATE TABLE store (
            onlyRow INTEGER PRIMARY KEY CHECK (onlyRow = 1),
            revision INTEGER NOT NULL, logStart INTEGER NOT NULL);
        INSERT INTO store VALUES (1, 2, 0);
        CREATE TABLE tables (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            revision INTEGER NOT NULL, rows INTEGER NOT NULL);
        INSERT INTO tables VALUES (1, 'people', 2, 2);
        CREATE TABLE columns (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, path TEXT NOT NULL);
        INSERT INTO columns (tableNumber, path) VALUES (1, 'objectId'), (1, 'name');
        CREATE TABLE changes (
            revision INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, id,
            beforeRevision INTEGER, before TEXT, after TEXT, clause TEXT, count INTEGER, key TEXT);
        CREATE TABLE outcomes (
            number INTEGER PRIMARY KEY, tableNumber INTEGER NOT NULL, key TEXT NOT NULL,
            time INTEGER NOT NULL, answer BLOB NOT NULL, UNIQUE (tableNumber, key));
        CREATE TABLE t1
        (id NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO t1 VALUES (1, 1, '{"objectId":1,"name":"Ada"}'), ('b', 2, '{"objectId":"b"}');
        PRAGMA application_id = \(0x5244_4331);
        PRAGMA user_version = 1;
        """
}
