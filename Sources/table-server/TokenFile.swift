import Foundation
import RemoteDataServer

/// The file that holds the token.
enum TokenFile {
    /// Reads the token: the file's text without the white space around it.
    ///
    /// A file that others can read is told of on standard error.
    /// - Throws: `TableServerError` when there is no file, or no token in it.
    static func token(at path: String) throws -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw TableServerError(.unreadable, "The token file \(path) is not there.")
        }
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)
        else { throw TableServerError(.unreadable, "The token file \(path) cannot be read as text.") }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TableServerError(
                .configuration,
                "The token in \(path) has to be one word of visible ASCII."
            )
        }
        warn(of: path)
        return token
    }

    /// Tells on standard error of a file with tokens that others can read.
    static func warn(of path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            Output.tell("table-server: warning: others can read \(path); chmod 600 it")
        }
    }
}
