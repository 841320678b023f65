import Foundation
import Synchronization

/// The program `table-server`, as another process that can be killed and started again on the same data.
final class ServerProcess: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private struct State {
        var identifier: Int32?
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
    /// - Returns: The port it listens on.
    /// - Throws: When it does not within 30 seconds.
    func start() async throws -> UInt16 {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["--listen", "127.0.0.1:0", "--data", folder.path, "--quiet"]
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try state.withLock { state in
            guard !state.isOver else { throw CancellationError() }
            try process.run()
            state.identifier = process.processIdentifier
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
            process.waitUntilExit()
        }
        for await line in lines.stream {
            if let port = URL(string: line)?.port { return UInt16(port) }
            throw Failure(description: "The server did not start; it said: \(line)")
        }
        throw Failure(description: "The server did not start within 30 seconds.")
    }

    /// Ends the program as `kill -9` does.
    func kill() {
        let identifier = state.withLock { $0.identifier.take() }
        if let identifier { _ = Foundation.kill(identifier, SIGKILL) }
    }

    /// Ends the program for good and removes its data.
    func remove() {
        state.withLock { $0.isOver = true }
        kill()
        try? FileManager.default.removeItem(at: folder)
    }
}
