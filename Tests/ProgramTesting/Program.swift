package import Foundation

/// A program of this package that was started, as another process.
package final class Program: Sendable {
    /// What became of a program.
    package struct End: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    /// A program does not do what is waited for.
    package struct Failure: Error {
        package let reason: String
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
    package init(_ name: String, _ arguments: [String], input: String = "") throws {
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
    package static var folder: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }

    /// The next line of standard output; fails when there is none.
    package func line() async throws -> String { try await next(output, "the output has ended") }

    /// The next line of standard error; fails when there is none.
    package func errorLine() async throws -> String { try await next(errors, "the errors have ended") }

    private func next(_ lines: LineReader, _ reason: String) async throws -> String {
        guard let line = await lines.next() else { throw Failure(reason: reason) }
        return line
    }

    /// Sends the program a signal.
    package func signal(_ signal: Int32) { process.signal(signal) }

    /// Waits for the end; output is what was not read line by line.
    package func end() async throws -> End {
        async let output = output.rest()
        async let errors = errors.rest()
        let texts = await (output, errors)
        var status: Int32?
        for await code in ends { status = code }
        guard let status else { throw Failure(reason: "the program did not end") }
        return End(status: status, output: texts.0, errors: texts.1)
    }

    /// Runs a program to its end.
    package static func run(_ name: String, _ arguments: [String], input: String = "") async throws -> End {
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
