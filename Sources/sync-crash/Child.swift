import Foundation

/// A program that was started, and what it says.
final class Child {
    /// How long a program may say nothing that is waited for, in milliseconds.
    private static let patience: Int32 = 120_000

    private let process = Process()
    private let input: FileHandle
    private let output: FileHandle
    private var rest: [UInt8] = []

    /// - Parameters:
    ///   - name: A program beside this one.
    ///   - arguments: What stands behind the name.
    /// - Throws: When the program is not there.
    init(_ name: String, _ arguments: [String]) throws {
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
            .appending(path: name)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.standardError
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        try process.run()
    }

    /// The next line; nil at the end.
    func line() throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var ready = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Self.patience) > 0 else {
                throw Campaign.Failure(
                    description: "A program says nothing for \(Self.patience / 1_000) seconds."
                )
            }
            // What is there by now; `read(upToCount:)` waits for all of it.
            let data = output.availableData
            guard !data.isEmpty else { return nil }
            rest += data
        }
    }

    func tell(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends it at once, and returns what it had said and nobody had read.
    func kill() throws -> [String] {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }
}
