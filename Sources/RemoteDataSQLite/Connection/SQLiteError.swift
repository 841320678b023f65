import RemoteData
import RemoteDataExecution

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// What SQLite said went wrong: the cause of a `storage` error.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, such as 13 for a full disk.
    public let code: Int32
    /// SQLite's words for it.
    public let message: String

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The words and the code.
    public var description: String { "SQLite: \(message) (\(code))" }
}

extension RemoteDataError {
    /// A failure of the database with what a person can do about it.
    init(sqlite code: Int32, message: String, path: String) {
        let cause = SQLiteError(code: code, message: message)
        let primary = code & 0xFF
        if primary == SQLITE_INTERRUPT {
            self.init(.cancelled, "The query was cancelled.", cause: cause)
            return
        }
        self.init(.storage, Self.advice(primary, path), cause: cause)
    }

    private static func advice(_ code: Int32, _ path: String) -> String {
        switch code {
        case SQLITE_FULL:
            "The disk is full, so \(path) could not be written; nothing was changed. Free some space."
        case SQLITE_READONLY: "\(path) cannot be written; check the permissions of the file and its folder."
        case SQLITE_CANTOPEN where OpenFiles.areExhausted: OpenFiles.message
        case SQLITE_CANTOPEN: "\(path) cannot be opened; check that its folder exists and may be written."
        case SQLITE_CORRUPT: "\(path) is damaged; restore it from a backup."
        case SQLITE_NOTADB:
            "\(path) is not a database, or is encrypted; choose another file, or give its key."
        case SQLITE_BUSY, SQLITE_LOCKED: "Another process holds \(path) for too long; stop it or try again."
        case SQLITE_IOERR: "\(path) could not be read or written; check the disk."
        case SQLITE_NOMEM: "There is not enough memory to work on \(path)."
        case SQLITE_TOOBIG: "A row is larger than the database can hold."
        default: "The database \(path) failed."
        }
    }
}
