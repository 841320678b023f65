import Foundation

/// A program that is started, told things, and may be ended at once.
final class Device {
    let name: String
    private let arguments: [String]
    private var process = Process()
    private var input = FileHandle.nullDevice
    private var output = FileHandle.nullDevice

    init(_ name: String, _ arguments: [String]) throws {
        (self.name, self.arguments) = (name, arguments)
        try start()
    }

    func start() throws {
        let (input, output) = (Pipe(), Pipe())
        process = Process()
        process.executableURL = URL(filePath: Self.program(arguments[0]))
        process.arguments = Array(arguments.dropFirst())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
    }

    /// A program that is built beside this one.
    private static func program(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }

    /// Types a line and returns what is answered.
    func tell(_ line: String) throws -> String {
        try input.write(contentsOf: Data((line + "\n").utf8))
        var lines: [String] = []
        while let line = try readLine(), line != "." { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    func readLine() throws -> String? {
        var line = Data()
        while let byte = try nextByte(), !byte.isEmpty {
            if byte == Data("\n".utf8) { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    private func nextByte() throws -> Data? {
        var ready = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 90_000) > 0 else { throw Failure("\(name) does not answer.") }
        return try output.read(upToCount: 1)
    }

    /// Ends it at once, as when the battery is empty.
    func crash() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
