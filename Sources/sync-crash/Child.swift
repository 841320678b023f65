import Foundation

/// A program that was started, and what it says.
final class Child {
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
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            // What is there by now; `read(upToCount:)` waits for all of it.
            let data = output.availableData
            guard !data.isEmpty else { return nil }
            rest += data
        }
    }

    func tell(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends it at once, and returns what it had said and nobody had read.
    func kill() -> [String] {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }
}
