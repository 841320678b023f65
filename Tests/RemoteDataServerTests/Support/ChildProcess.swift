import Foundation
import Synchronization

/// The built `table-server`, run as a user would.
final class ChildProcess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// The program beside the test bundle.
    private static func executable() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        for _ in 0..<5 {
            let file = folder.appending(path: "table-server")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder = folder.deletingLastPathComponent()
        }
        throw Failure(description: "table-server is not beside \(CommandLine.arguments[0])")
    }

    /// The port the first line of output names.
    func port() throws -> Int {
        var line: [UInt8] = []
        while line.last != 0x0A {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
                throw Failure(description: "no URL; it says: \(try said())")
            }
            line.append(byte)
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard let port = URL(string: text)?.port else { throw Failure(description: "no URL: \(text)") }
        return port
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end: the exit code, what was left on standard output, and standard error.
    func end() throws -> (code: Int32, output: String, errors: String) {
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try said()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: rest, as: UTF8.self), errors)
    }

    private func said() throws -> String {
        String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
