import Foundation
import RemoteDataServer

/// Standard output and standard error, each line in one piece.
enum Output {
    /// A line on standard output.
    static func print(_ line: String) { write(line, to: .standardOutput) }

    /// A line on standard error.
    static func tell(_ line: String) { write(line, to: .standardError) }

    /// A line for a request on standard error: time, method, path with query, status, bytes, milliseconds.
    static func log(_ entry: RequestLog) {
        let milliseconds = (entry.duration / .milliseconds(1) * 100).rounded() / 100
        let method = entry.method.isEmpty ? "-" : entry.method
        let target = entry.target.isEmpty ? "-" : entry.target
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        let problem = entry.problem.map { " " + $0 } ?? ""
        tell("\(time) \(method) \(target) \(entry.status) \(entry.bytes) \(milliseconds)ms\(problem)")
    }

    private static func write(_ line: String, to handle: FileHandle) {
        // Nobody reads it any more: there is nobody to tell either.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
