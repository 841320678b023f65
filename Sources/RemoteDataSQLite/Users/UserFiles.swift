import Foundation
import RemoteData

/// Where the stores of users are: files in a folder, or what a simulation has in their place.
protocol UserFiles: Sendable {
    /// Whether there is a store of a user, or of nobody.
    func hasStore(of user: String?) -> Bool

    /// How the store of a user, or of nobody, is opened.
    func plan(of user: String?) throws(RemoteDataError) -> StorePlan

    /// Finishes what ``drop(_:)`` was interrupted in; to be called before a store is opened.
    func finishDropping(_ user: String?) async throws(RemoteDataError)

    /// Removes a closed store, all of it or nothing.
    func drop(_ user: String?) async throws(RemoteDataError)
}

/// A folder with a file for each user, and one for nobody.
struct UserFolder: UserFiles {
    private let directory: String
    private let options: UserStores.Options

    /// Makes the folder if it is not there.
    ///
    /// - Throws: `RemoteDataError` with code `storage` when it cannot be made.
    init(_ directory: String, _ options: UserStores.Options) throws(RemoteDataError) {
        (self.directory, self.options) = (directory, options)
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw RemoteDataError(.storage, "The folder \(directory) could not be made.", cause: error)
        }
    }

    func hasStore(of user: String?) -> Bool { FileManager.default.fileExists(atPath: path(of: user)) }

    func plan(of user: String?) -> StorePlan {
        StorePlan(
            path: path(of: user),
            key: options.key(user),
            idColumn: options.idColumn,
            logCapacity: (0, 0),
            patience: .seconds(5),
            relations: Relations(options.relations),
            now: { Date() }
        )
    }

    func finishDropping(_ user: String?) async throws(RemoteDataError) {
        let path = path(of: user)
        try await DatabaseFile.onThread { () throws(RemoteDataError) in try DatabaseFile.finishDropping(path)
        }
    }

    func drop(_ user: String?) async throws(RemoteDataError) {
        let path = path(of: user)
        try await DatabaseFile.onThread { () throws(RemoteDataError) in try DatabaseFile.drop(path) }
    }

    private func path(of user: String?) -> String {
        let file = user.map { "user-" + Self.fileName($0) } ?? "nobody"
        return directory + "/" + file + ".sqlite"
    }

    /// A name for a file that is another one for each user, also where small and capital letters are the same.
    private static func fileName(_ user: String) -> String {
        var name = ""
        for byte in user.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        guard name.utf8.count > 200 else { return name }
        // FNV-1a; that two long names have the same one is noticed when the file is opened.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in user.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return name.prefix(180) + "_" + String(hash, radix: 16)
    }
}
