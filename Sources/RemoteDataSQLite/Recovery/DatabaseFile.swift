import Foundation
import RemoteData

/// A database and the files that SQLite keeps beside it.
enum DatabaseFile {
    static let suffixes = ["", "-wal", "-shm"]

    static func remove(_ path: String) throws(RemoteDataError) {
        if unlink(path) != 0, errno != ENOENT { throw failure("removed", path) }
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
