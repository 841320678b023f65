import Foundation
import RemoteData

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// The table of people as one writes it by hand on SQLite's C interface: a column for each property.
final class RawSQLite {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else { throw UsageError(message: path) }
        self.handle = handle
        try run("PRAGMA page_size = 8192")
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA wal_autocheckpoint = 4000")
        try run("PRAGMA synchronous = FULL")
        try run("PRAGMA cache_size = -32768")
        try run(
            """
            CREATE TABLE IF NOT EXISTS people (objectId TEXT PRIMARY KEY, name TEXT, age INTEGER, email TEXT,
            score REAL, active INTEGER, created INTEGER, city TEXT)
            """
        )
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw UsageError(message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw UsageError(message: String(cString: sqlite3_errmsg(handle)))
        }
        statements[sql] = statement
        return statement
    }

    /// Inserts people in one transaction.
    func insert(_ people: ArraySlice<Person>) throws {
        try run("BEGIN IMMEDIATE")
        try insertNow(people)
        try run("COMMIT")
    }

    private func insertNow(_ people: ArraySlice<Person>) throws {
        let statement = try statement("INSERT INTO people VALUES (?,?,?,?,?,?,?,?)")
        for person in people {
            bind(person.objectId, 1, statement)
            bind(person.name, 2, statement)
            sqlite3_bind_int64(statement, 3, Int64(person.age))
            bind(person.email, 4, statement)
            sqlite3_bind_double(statement, 5, person.score)
            sqlite3_bind_int(statement, 6, person.active ? 1 : 0)
            sqlite3_bind_int64(statement, 7, person.created)
            if let city = person.city { bind(city, 8, statement) } else { sqlite3_bind_null(statement, 8) }
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw UsageError(message: String(cString: sqlite3_errmsg(handle)))
            }
            sqlite3_reset(statement)
        }
    }

    /// Inserts a person, and notes in the same transaction that it is to be sent: in a table with one index.
    func insertQueued(_ person: Person) throws {
        try run(
            """
            CREATE TABLE IF NOT EXISTS queue (number INTEGER PRIMARY KEY, id TEXT, body TEXT, state INTEGER);
            CREATE INDEX IF NOT EXISTS queueByID ON queue (id)
            """
        )
        let statement = try statement("INSERT INTO queue (id,body,state) VALUES (?,?,0)")
        try run("BEGIN IMMEDIATE")
        try insertNow([person])
        bind(person.objectId, 1, statement)
        bind(String(decoding: try JSONEncoder().encode(person), as: UTF8.self), 2, statement)
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw UsageError(message: String(cString: sqlite3_errmsg(handle)))
        }
        sqlite3_reset(statement)
        try run("COMMIT")
    }

    private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
        var text = text
        text.withUTF8 { utf8 in
            _ = utf8.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(
                    statement,
                    index,
                    bytes.baseAddress,
                    Int32(bytes.count),
                    csqlite_transient()
                )
            }
        }
    }

    /// The people a statement finds, its one parameter bound to a number.
    func people(_ sql: String, _ parameter: Int? = nil) throws -> [Person] {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        if let parameter { sqlite3_bind_int64(statement, 1, Int64(parameter)) }
        var people: [Person] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            people.append(
                Person(
                    objectId: text(0, statement) ?? "",
                    name: text(1, statement) ?? "",
                    age: Int(sqlite3_column_int64(statement, 2)),
                    email: text(3, statement) ?? "",
                    score: sqlite3_column_double(statement, 4),
                    active: sqlite3_column_int(statement, 5) != 0,
                    created: sqlite3_column_int64(statement, 6),
                    city: text(7, statement)
                )
            )
        }
        return people
    }

    /// Stores people as JSON by their ids, as `table-server` does.
    func insertJSON(of people: Int) throws {
        try run("CREATE TABLE pages (id TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID; BEGIN")
        let statement = try statement("INSERT INTO pages VALUES (?,?)")
        for number in 0..<people {
            let person = Person(number)
            bind(person.objectId, 1, statement)
            bind(person.row.text, 2, statement)
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw UsageError(message: String(cString: sqlite3_errmsg(handle)))
            }
            sqlite3_reset(statement)
        }
        try run("COMMIT")
    }

    /// Appends the JSON of those behind an id, as many as a page has, and answers how many they are.
    func appendPage(behind id: String, _ size: Int, to bytes: inout [UInt8]) throws -> Int {
        let statement = try statement("SELECT json FROM pages WHERE id > ? ORDER BY id LIMIT ?")
        defer { sqlite3_reset(statement) }
        bind(id, 1, statement)
        sqlite3_bind_int64(statement, 2, Int64(size))
        var count = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            let start = sqlite3_column_blob(statement, 0)
            let json = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 0)))
            bytes.append(contentsOf: json)
            bytes.append(UInt8(ascii: ","))
            count += 1
        }
        return count
    }

    func count(_ sql: String) throws -> Int {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
    }

    private func text(_ column: Int32, _ statement: OpaquePointer) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
