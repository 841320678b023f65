import Foundation

/// Figures of resident memory, each measured in a process of its own.
///
/// A process that has freed memory before takes that again, and does not grow.
enum MemoryFigures: String {
    case memory, consistency, writes

    /// The word on the command line for measuring here.
    static let word = "memory-of"

    /// The figures, from a process that measures nothing else.
    ///
    /// - Parameter rows: How many rows.
    /// - Returns: A line for each.
    /// - Throws: When it fails.
    func measured(rows: Int) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = try LocalServer.program("benchmarks")
        process.arguments = [Self.word, rawValue, "--rows", "\(rows)"]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw UsageError(message: "the memory of \(rawValue) could not be measured")
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Measures here.
    func measure(rows: Int) throws -> [String] {
        switch self {
        case .memory:
            let server = try LocalServer.pages(rows: rows)
            defer { server.stop() }
            return try MemoryBenchmarks(url: server.url, rows: rows).run()
        case .consistency: return [try ConsistencyBenchmarks.memory()]
        case .writes: return [try WriteBenchmarks(rows: rows, rounds: 1).memory()]
        }
    }
}

/// What this process takes of the machine's memory.
enum Resident {
    /// Bytes of memory in use; 0 where the system does not tell in this way.
    static var bytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }

    /// By how much the process has grown.
    ///
    /// - Parameters:
    ///   - start: ``bytes`` before.
    ///   - end: ``bytes`` after.
    /// - Returns: The bytes; 0 where the system does not report them in this way.
    /// - Throws: When it has not: then the figure says nothing.
    static func growth(from start: Int, to end: Int = bytes) throws -> Int {
        guard end > start || end == 0 else {
            throw UsageError(message: "the process did not grow, so nothing was measured")
        }
        return end - start
    }
}
