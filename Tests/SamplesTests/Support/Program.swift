import Foundation
import Testing

/// A program of this package that was started, as another process.
final class Program: Sendable {
    /// What became of a program.
    struct End: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    private let process: ProcessBox
    private let output: LineReader
    private let errors: LineReader
    private let ends: AsyncStream<Int32>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: Its name, such as `live-table`.
    ///   - arguments: What stands behind the name.
    ///   - input: What it reads from standard input; nothing by default.
    /// - Throws: When the program is not there.
    init(_ name: String, _ arguments: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = Self.folder.appendingPathComponent(name)
        process.arguments = arguments
        let (outputPipe, errorPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        process.standardInput = inputPipe
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ends = ends
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        self.process = ProcessBox(process)
        output = LineReader(outputPipe.fileHandleForReading)
        errors = LineReader(errorPipe.fileHandleForReading)
        let writing = inputPipe.fileHandleForWriting
        Thread.detachNewThread {
            try? writing.write(contentsOf: Data(input.utf8))
            try? writing.close()
        }
    }

    deinit { process.signal(SIGKILL) }

    /// Where the programs were built: beside the tests.
    static var folder: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }

    /// The next line of standard output; fails when there is none.
    func line() async throws -> String { try #require(await output.next(), "the output has ended") }

    /// The next line of standard error; fails when there is none.
    func errorLine() async throws -> String { try #require(await errors.next(), "the errors have ended") }

    /// Sends the program a signal.
    func signal(_ signal: Int32) { process.signal(signal) }

    /// Waits for the end; output is what was not read line by line.
    func end() async throws -> End {
        async let output = output.rest()
        async let errors = errors.rest()
        let texts = await (output, errors)
        var status: Int32?
        for await code in ends { status = code }
        return End(status: try #require(status, "the program did not end"), output: texts.0, errors: texts.1)
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], input: String = "") async throws -> End {
        try await Program(name, arguments, input: input).end()
    }
}

/// A process that only gets signals.
private final class ProcessBox: Sendable {
    private let identifier: Int32
    private let isRunning: @Sendable () -> Bool

    init(_ process: Process) {
        identifier = process.processIdentifier
        let held = Held(process)
        isRunning = { held.isRunning }
    }

    func signal(_ signal: Int32) { if isRunning() { kill(identifier, signal) } }

    // SAFETY: `isRunning` is the only thing asked of the process, and Foundation guards it.
    private final class Held: @unchecked Sendable {
        private let process: Process
        init(_ process: Process) { self.process = process }
        var isRunning: Bool { process.isRunning }
    }
}

/// The lines a process writes, read on a thread of its own.
private final class LineReader: Sendable {
    private let lines: AsyncStream<String>

    init(_ handle: FileHandle) {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread {
            var pending = Data()
            while case let data = handle.availableData, !data.isEmpty {
                pending += data
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                    pending = Data(pending[(end + 1)...])
                }
            }
            if !pending.isEmpty { continuation.yield(String(decoding: pending, as: UTF8.self)) }
            continuation.finish()
        }
    }

    func next() async -> String? {
        for await line in lines { return line }
        return nil
    }

    func rest() async -> String {
        var text = ""
        for await line in lines { text += line + "\n" }
        return text
    }
}
