import CCurl
import CSQLite
import Foundation
import RemoteData

/// What was measured with, so that figures can be compared with those of another day.
struct Machine: Encodable {
    let processor: String
    let processors: Int
    let system: String
    let libraries: String
    /// The row that all figures are about.
    let row: String
    let rows: Int
    let rounds: Int

    init(rows: Int, rounds: Int) {
        processor = Self.value(of: "model name", in: "/proc/cpuinfo") ?? "unknown processor"
        processors = ProcessInfo.processInfo.activeProcessorCount
        system = ProcessInfo.processInfo.operatingSystemVersionString
        libraries = "Swift \(Self.swift), \(Self.curl), SQLite \(String(cString: sqlite3_libversion()))"
        let json = Person(rows / 2).row.json
        row = "8 columns, some \(json.count) bytes of JSON"
        (self.rows, self.rounds) = (rows, rounds)
    }

    var text: String {
        """
        \(processor), \(processors) processors; \(system); \(libraries)
        \(rows) rows of \(row)
        median of \(rounds) rounds or more, ratios to the first line, [fastest–slowest] in the same unit
        """
    }

    private static var curl: String {
        String(cString: curl_version()).split(separator: " ").first.map(String.init) ?? "libcurl"
    }

    private static var swift: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2 or earlier"
        #endif
    }

    private static func value(of name: String, in path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }
}
