import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataServer

/// Where the program keeps its tables.
struct Storage {
    let store: any TableStore
    private let file: SQLiteTableStore?

    /// Opens what the command line names.
    static func open(_ place: Arguments.Storage, beginsNewEpoch: Bool) async throws -> Storage {
        switch place {
        case .memory: return Storage(store: MemoryTableStore(), file: nil)
        case .folder(let path):
            return try await open(URL(filePath: path, directoryHint: .isDirectory), beginsNewEpoch)
        case .defaultFolder: return try await open(defaultFolder, beginsNewEpoch)
        }
    }

    /// Finishes what is under way and closes.
    func close() async { await file?.close() }

    private static func open(_ folder: URL, _ beginsNewEpoch: Bool) async throws -> Storage {
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw TableServerError(
                .system,
                "The folder \(folder.path) cannot be made; choose another one with --data, or use --memory.",
                cause: error
            )
        }
        let path = folder.appending(path: "tables.sqlite").path
        let file = try await SQLiteTableStore(path: path, beginsNewEpoch: beginsNewEpoch)
        return Storage(store: file, file: file)
    }

    /// A folder of the program's own in the user's data folder.
    private static var defaultFolder: URL {
        #if canImport(Darwin)
        URL.applicationSupportDirectory.appending(path: "table-server", directoryHint: .isDirectory)
        #else
        let environment = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
        let base =
            environment.hasPrefix("/")
            ? URL(filePath: environment, directoryHint: .isDirectory)
            : URL.homeDirectory.appending(path: ".local/share", directoryHint: .isDirectory)
        return base.appending(path: "table-server", directoryHint: .isDirectory)
        #endif
    }
}
