import Foundation
import RemoteDataServer

/// The file that holds the users and their tokens.
enum UsersFile {
    /// Reads the users.
    ///
    /// A file that others can read is told of on standard error.
    /// - Throws: `TableServerError` that says which entry is wrong, and what; tokens are not told.
    static func users(at path: String) throws -> TableServer.Users {
        guard FileManager.default.fileExists(atPath: path) else {
            throw TableServerError(.unreadable, "The file of users \(path) is not there.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TableServerError(.unreadable, "The file of users \(path) cannot be read.")
        }
        do throws(TableServerError) {
            let users = try TableServer.Users(json: Array(data))
            TokenFile.warn(of: path)
            return users
        } catch { throw TableServerError(error.code, "The file of users \(path) is wrong. \(error.message)") }
    }
}
