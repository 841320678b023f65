import Dispatch
import Foundation
import RemoteData
import RemoteDataSQLite
import Synchronization

/// The program `table-server`, as another process that can be killed and started again on the same data.
final class ServerProcess: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private struct State {
        var identifier: Int32?
        /// Left when the process is gone.
        var end = DispatchGroup()
        var isOver = false
    }

    private let program: URL
    private let folder: URL
    private let state = Mutex(State())

    /// Makes a data folder; nothing runs yet.
    ///
    /// - Throws: When the program was not built.
    init() throws {
        let here = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        program = here.deletingLastPathComponent().appending(path: "table-server")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(description: "There is no table-server beside \(here.path); build it first.")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Starts the program and waits until it listens.
    ///
    /// - Parameter beginsNewEpoch: Whether its revisions are of another history from now on.
    /// - Returns: The port it listens on.
    /// - Throws: When it does not within 30 seconds.
    func start(beginsNewEpoch: Bool = false) async throws -> UInt16 {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["--listen", "127.0.0.1:0", "--data", folder.path, "--quiet"]
        if beginsNewEpoch { process.arguments?.append("--new-epoch") }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        let end = DispatchGroup()
        end.enter()
        // To wait in a thread without a run loop of its own takes all of a processor.
        process.terminationHandler = { _ in end.leave() }
        try state.withLock { state in
            guard !state.isOver else { throw CancellationError() }
            try process.run()
            state.identifier = process.processIdentifier
            state.end = end
        }
        let lines = AsyncStream<String>.makeStream()
        let timer = Task {
            try await Task.sleep(for: .seconds(30))
            lines.continuation.finish()
        }
        defer { timer.cancel() }
        Thread.detachNewThread {
            var line = Data()
            while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte.first ?? 10 != 10 {
                line += byte
            }
            lines.continuation.yield(String(decoding: line, as: UTF8.self))
        }
        for await line in lines.stream {
            if let port = URL(string: line)?.port { return UInt16(port) }
            throw Failure(description: "The server did not start; it said: \(line)")
        }
        throw Failure(description: "The server did not start within 30 seconds.")
    }

    /// Ends the program as `kill -9` does, and waits until it is gone.
    ///
    /// - Throws: When it had ended by itself.
    func kill() async throws(Failure) {
        if state.withLock({ $0.identifier != nil && $0.end.wait(timeout: .now()) == .success }) {
            throw Failure(description: "The server has ended by itself.")
        }
        let end = sendKill()
        await withCheckedContinuation { continuation in end.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func sendKill() -> DispatchGroup {
        let (identifier, end) = state.withLock { ($0.identifier.take(), $0.end) }
        if let identifier { _ = Foundation.kill(identifier, SIGKILL) }
        return end
    }

    /// The number of the process; nil while there is none.
    var identifier: Int32? { state.withLock { $0.identifier } }

    /// Makes a change in the program's place, while it does not run, and forgets all others.
    ///
    /// - Parameters:
    ///   - mutation: What to change; one row.
    ///   - name: The table.
    ///   - log: Reads the changes that are forgotten.
    /// - Throws: `RemoteDataError` when the file cannot be opened.
    func forgetChanges(but mutation: Mutation, of name: String, noting log: inout TableLog) async throws {
        let path = folder.appending(path: "tables.sqlite").path
        let store = try await SQLiteTableStore(path: path, logCapacity: 1)
        if let table = try await store.table(name, creating: false) {
            try await log.read(from: table)
            _ = try await table.commit(mutation)
        }
        await store.close()
    }

    /// Ends the program for good and removes its data; blocks until it is gone.
    func remove() {
        state.withLock { $0.isOver = true }
        _ = sendKill().wait(timeout: .now() + .seconds(5))
        for folder in [folder, copy] { try? FileManager.default.removeItem(at: folder) }
    }
}

// MARK: - Data

// All of it while the program does not run.
extension ServerProcess {
    private var copy: URL { folder.appendingPathExtension("copy") }

    /// Keeps a copy of the data.
    func keepCopy() throws {
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: folder, to: copy)
    }

    /// Replaces the data by the copy.
    func restoreCopy() throws {
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.moveItem(at: copy, to: folder)
    }

    /// Removes the data.
    func removeData() throws {
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Reads the changes of a table that the data has.
    func readChanges(of name: String, noting log: inout TableLog) async throws {
        let store = try await SQLiteTableStore(path: folder.appending(path: "tables.sqlite").path)
        if let table = try await store.table(name, creating: false) { try await log.read(from: table) }
        await store.close()
    }
}
