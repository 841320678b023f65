import Dispatch
import Foundation
import RemoteData

/// A database and the files that SQLite keeps beside it.
enum DatabaseFile {
    static let suffixes = ["", "-wal", "-shm"]

    static func remove(_ path: String) throws(RemoteDataError) {
        if unlink(path) != 0, errno != ENOENT { throw failure("removed", path) }
    }

    /// Removes a closed database with all that belongs to it, so that none is there that is not whole.
    static func drop(_ path: String) throws(RemoteDataError) {
        if rename(path, path + droppedSuffix) != 0, errno != ENOENT { throw failure("removed", path) }
        try finishDropping(path)
    }

    /// Removes what is left of a database that was to be removed when the program ended.
    ///
    /// To be called before a new one is made: what is in the log of the old one must not come into it.
    static func finishDropping(_ path: String) throws(RemoteDataError) {
        guard access(path + droppedSuffix, F_OK) == 0 else { return }
        try remove(path + "-wal")
        try remove(path + "-shm")
        try remove(path + lockSuffix)
        try remove(path + droppedSuffix)
    }

    /// Behind the name of the file by which processes agree who sends.
    static let lockSuffix = "-sender"
    private static let droppedSuffix = ".dropped"

    /// Does something that may block on a thread for that.
    static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "RemoteDataSQLite.files").async {
                continuation.resume(returning: Swift.Result { () throws(RemoteDataError) in try body() })
            }
        }
        return try result.get()
    }

    /// Puts a closed database in the place of another, which stays under another name.
    ///
    /// At each moment the old one is whole under one of the two names, and the path is never without a file.
    static func replace(
        _ path: String,
        with new: String,
        keepingAs aside: String
    ) throws(RemoteDataError) {
        for suffix in ["", "-wal"] {
            if link(path + suffix, aside + suffix) != 0, errno != ENOENT || suffix.isEmpty {
                throw failure("set aside", path + suffix)
            }
        }
        // What is in the log of the old one must not come into the new one.
        try remove(path + "-wal")
        try remove(path + "-shm")
        if rename(new, path) != 0 { throw failure("replaced", path) }
    }

    private static func failure(_ what: String, _ path: String) -> RemoteDataError {
        RemoteDataError(.storage, "\(path) could not be \(what): \(String(cString: strerror(errno))).")
    }
}
