#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// A file as the first version of the store wrote it.
enum FirstVersion {
    /// Makes a file with a table `people`, with rows whose ids are 0 and so on.
    static func write(_ path: String, rows: Int) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK else {
            throw Failure(message: "\(path) could not be made")
        }
        defer { sqlite3_close_v2(handle) }
        let inserts = (0..<rows).map { "(\($0),\($0 + 1),'{\"objectId\":\($0),\"name\":\"Ada\"}')" }
        let all =
            statements + "UPDATE store SET revision = \(rows);"
            + "INSERT INTO tables VALUES (1, 'people', \(rows), \(rows));"
            + "INSERT INTO t1 VALUES " + inserts.joined(separator: ",") + ";"
        guard sqlite3_exec(handle, all, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    private static let statements = """
        PRAGMA journal_mode = WAL;
        CREATE TABLE store (
            onlyRow INTEGER PRIMARY KEY CHECK (onlyRow = 1),
            revision INTEGER NOT NULL, logStart INTEGER NOT NULL);
        INSERT INTO store VALUES (1, 2, 0);
        CREATE TABLE tables (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            revision INTEGER NOT NULL, rows INTEGER NOT NULL);
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
        PRAGMA application_id = \(0x5244_4331);
        PRAGMA user_version = 1;
        """
}
