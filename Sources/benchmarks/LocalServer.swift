import Foundation

/// A server that is started for the measurement as a program of its own.
final class LocalServer {
    let url: String
    private let process: Process
    private var directory: URL?

    /// A `table-server` with a table of people, in memory or in files.
    convenience init(rows: Int, isDurable: Bool = false) throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "benchmarks-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appending(path: "people.json")
        try JSONEncoder().encode((0..<rows).map { Person($0) }).write(to: file)
        let storage = isDurable ? ["--data", directory.appending(path: "data").path] : ["--memory"]
        try self.init(
            "table-server",
            ["--listen", "127.0.0.1:0", "--quiet", "--import", file.path, "--id", "objectId"] + storage
        )
        self.directory = directory
    }

    /// A ``PageServer``.
    ///
    /// - Parameters:
    ///   - rows: How many people it has.
    ///   - milliseconds: How long each answer takes more than it would.
    /// - Returns: The server, which answers.
    /// - Throws: When it does not start.
    static func pages(rows: Int, delay milliseconds: Int = 0) throws -> LocalServer {
        let words = ["--rows", "\(rows)", "--delay", "\(milliseconds)"]
        return try LocalServer("benchmarks", [Arguments.pageServer] + words)
    }

    /// A program that is built together with this one.
    static func program(_ name: String) throws -> URL {
        let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
            .appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw UsageError(message: "\(name) is not built; run: swift build -c release")
        }
        return program
    }

    private init(_ name: String, _ arguments: [String]) throws {
        process = Process()
        process.executableURL = try Self.program(name)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
            guard !byte.isEmpty else { throw UsageError(message: "\(name) ended before it was ready") }
            line += byte
        }
        url = String(decoding: line, as: UTF8.self)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        if let directory { try? FileManager.default.removeItem(at: directory) }
    }
}
