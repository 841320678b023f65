import Foundation

/// A `table-server` started for the measurement, with a table of people.
final class LocalServer {
    let url: String
    private let process: Process
    private let directory: URL

    init(rows: Int) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appending(path: "people.json")
        try JSONEncoder().encode((0..<rows).map { Person($0) }).write(to: file)
        let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
            .appending(path: "table-server")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw UsageError(message: "table-server is not built; run: swift build -c release")
        }
        process = Process()
        process.executableURL = program
        process.arguments = [
            "--listen", "127.0.0.1:0", "--memory", "--quiet", "--import", file.path, "--id", "objectId",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
            guard !byte.isEmpty else { throw UsageError(message: "table-server ended before it was ready") }
            line += byte
        }
        url = String(decoding: line, as: UTF8.self)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }
}
