import Foundation
import RemoteData

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// An open database file.
///
/// Belongs to a ``ConnectionQueue``, which uses it from one thread at a time.
final class Connection {
    let handle: OpaquePointer
    let path: String
    /// The history that the revisions in the file belong to; nil for one that is not opened as a store.
    var epoch: Epoch?
    private var statements = StatementCache()
    /// How often ``execute(_:)`` was called, which may have changed what SQLite does not count.
    private var executions = 0
    /// Room in the log of a connection that writes to a file.
    private var room: LogRoom?

    /// How many parameters a statement may have.
    static let parameterLimit = Int(csqlite_parameter_limit())

    /// Opens a file, or `:memory:`; a reader needs one that is there.
    ///
    /// Waits up to `patience` for another process that holds the file, then and in every later call.
    init(
        path: String,
        key: EncryptionKey? = nil,
        isReader: Bool,
        patience: Duration = .seconds(5)
    ) throws(RemoteDataError) {
        if !isReader { Self.create(path) }
        let mode = isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle, code == SQLITE_OK else {
            let error = RemoteDataError(
                sqlite: code,
                message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory",
                path: path
            )
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        self.path = path
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(clamping: Int64(patience / .milliseconds(1))))
        if let key { try use(key) }
        try check(RowFunctions.register(on: handle))
        RowFunctions.countInstructions(on: handle)
        // 32 MiB instead of 2: reading by an index finds its rows all over the file.
        try execute("PRAGMA cache_size = -32768")
    }

    /// Encrypts a file that is empty, or reads one that was encrypted with this key.
    private func use(_ key: EncryptionKey) throws(RemoteDataError) {
        guard csqlite_encrypts() else {
            throw RemoteDataError(
                .storage,
                "\(path) was given a key, and this program cannot encrypt; build it with the trait SQLCipher."
            )
        }
        try check(
            key.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { csqlite_key(handle, $0, Int32(bytes.count)) } ?? SQLITE_MISUSE
            }
        )
        guard try first("PRAGMA cipher_version", [], { _ in true }) ?? false else {
            throw RemoteDataError(.storage, "The SQLite that is linked cannot encrypt; link SQLCipher.")
        }
        // The size is not in what can be read without decrypting it.
        try execute("PRAGMA cipher_page_size = 4096")
        do throws(RemoteDataError) { try execute("SELECT count(*) FROM sqlite_master") } catch {
            guard let cause = error.cause as? SQLiteError, cause.code & 0xFF == SQLITE_NOTADB else {
                throw error
            }
            throw RemoteDataError(
                .storage,
                "\(path) cannot be read with this key; it is another one's, or no database.",
                cause: cause
            )
        }
    }

    /// Makes a file that is not there, so that only its owner can read it, and so what SQLite puts beside it.
    ///
    /// One that is there is not opened: to close it would end the locks that this process has on it.
    private static func create(_ path: String) {
        guard path != ":memory:" else { return }
        let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        // What went wrong, SQLite says when it opens the file.
        if file >= 0 { close(file) }
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Keeps room in the log, and copies it to the file when it has so many frames.
    func keepLogRoom(checkpointAt frames: Int32) throws(RemoteDataError) {
        guard path != ":memory:", let size = try first("PRAGMA page_size", [], { $0.integer(0) }) else {
            return
        }
        room = LogRoom(handle, pageSize: size, checkpointAt: frames)
    }

    /// Turns a result code into an error.
    func check(_ code: Int32) throws(RemoteDataError) {
        if code != SQLITE_OK { throw error(code) }
    }

    /// The error of the call that just returned a code.
    func error(_ code: Int32) -> RemoteDataError {
        RemoteDataError(sqlite: code, message: String(cString: sqlite3_errmsg(handle)), path: path)
    }

    /// Whether no transaction is open, such as after SQLite rolled one back by itself.
    var isInAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// The revision of a table that never had a row.
    var firstRevision: Revision { Revision(0, epoch: epoch) }

    /// Runs statements without parameters or results.
    func execute(_ sql: String) throws(RemoteDataError) {
        executions += 1
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs a statement to its end.
    func run(_ sql: String, _ bindings: [Binding] = []) throws(RemoteDataError) {
        let statement = try statement(sql)
        defer { statement.finish() }
        try statement.bind(bindings)
        while try statement.step() {}
    }

    /// How many rows the last statement changed.
    var changeCount: Int { Int(csqlite_changes(handle)) }

    /// A number that is the same again only where nothing has been changed since: a table or an index is made by ``execute(_:)``
    /// alone.
    var changeMark: Int { Int(sqlite3_total_changes(handle)) + executions }

    /// Calls `row` with the statement at each row of its result.
    func query(
        _ sql: String,
        _ bindings: [Binding] = [],
        _ row: (Statement) throws(RemoteDataError) -> Void
    ) throws(RemoteDataError) {
        let statement = try statement(sql)
        defer { statement.finish() }
        try statement.bind(bindings)
        while try statement.step() { try row(statement) }
    }

    /// What `read` makes of the first row of a result; nil when there is none.
    func first<Result>(
        _ sql: String,
        _ bindings: [Binding] = [],
        _ read: (Statement) throws(RemoteDataError) -> Result
    ) throws(RemoteDataError) -> Result? {
        let statement = try statement(sql)
        defer { statement.finish() }
        try statement.bind(bindings)
        return try statement.step() ? read(statement) : nil
    }

    /// Runs `body` in a transaction of a kind, all of it or nothing.
    func transaction<Result>(
        _ kind: String,
        _ body: () throws(RemoteDataError) -> Result
    ) throws(RemoteDataError) -> Result {
        try run("BEGIN \(kind)")
        do throws(RemoteDataError) {
            if kind == "IMMEDIATE" { room?.make(handle) }
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has rolled back already.
            if !isInAutocommit { try? run("ROLLBACK") }
            throw error
        }
    }

    /// A statement, prepared or known already.
    ///
    /// It stays usable as long as somebody holds it, and is one with what others run with the same text: not to be held over
    /// other calls with that.
    func statement(_ sql: String) throws(RemoteDataError) -> Statement {
        if let known = statements.find(sql) { return known }
        let statement = try Statement(sql, self)
        statements.add(statement)
        return statement
    }
}
