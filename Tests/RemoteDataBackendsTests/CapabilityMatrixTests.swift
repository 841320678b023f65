import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

/// The table in the README is made of what the backends declare, which `Tests/interop` compares with what the servers do.
///
/// `WRITE_MATRIX=1 Tests/run --filter CapabilityMatrix` writes it anew.
struct CapabilityMatrixTests {
    private static let (begin, end) = ("<!-- capabilities -->\n", "<!-- end of capabilities -->\n")

    private func tables() throws -> [(name: String, capabilities: Capabilities)] {
        let url = "http://127.0.0.1:1"
        return [
            ("`table-server`", try RESTServer(url).capabilities),
            ("PocketBase", try PocketBaseServer(url, batchSize: 50).table("t").capabilities),
            ("Backendless", try BackendlessServer(url).table("t").capabilities),
            ("Kinto over PostgreSQL", try KintoServer(url).table("t").capabilities),
            ("Kinto in memory", try KintoServer(url, storage: .memory).table("t").capabilities),
        ]
    }

    private static let meanings: [(name: String, meaning: String)] = [
        ("keysetPages", "pages start behind a row, not at an offset"),
        ("pagesBeyondKeys", "pages start a number of rows behind a row"),
        ("exactCounts", "counts are exact for every clause"),
        ("revisions", "pages, counts and changes carry revisions"),
        ("resume", "changes since a revision can be asked for"),
        ("everyChange", "each change is told, not only the last of several"),
        ("liveChanges", "changes are told by themselves"),
        ("reportsLeaving", "rows that leave a clause are reported"),
        ("reportsEntering", "rows that enter a clause are told from those that matched"),
        ("locatesDeleted", "a removal says where the row stood"),
        ("filteredDeletes", "rows are removed by clause"),
        ("filteredUpdates", "rows are changed by clause"),
        ("idempotency", "a repeated write is made once"),
        ("idempotentCreation", "a repeated creation is made once"),
        ("conditionalWrites", "a write can depend on a row's revision"),
        ("binaryOrder", "text sorts by its bytes"),
        ("checksColumns", "unknown columns are refused"),
    ]

    private func matrix() throws -> String {
        let tables = try tables()
        var lines = [
            "| | " + tables.map(\.name).joined(separator: " | ") + " |",
            "| --- |" + String(repeating: " --- |", count: tables.count),
        ]
        for (name, meaning) in Self.meanings {
            let marks = tables.map { $0.capabilities.names.contains(name) ? "yes" : "–" }
            lines.append("| \(meaning) | \(marks.joined(separator: " | ")) |")
        }
        let pages = tables.map { "\($0.capabilities.maximumPageSize)" }
        lines.append("| rows of a page | \(pages.joined(separator: " | ")) |")
        let bulks = tables.map { table in
            let size = table.capabilities.maximumBulkSize
            return size == .max ? "any" : "\(size)"
        }
        lines.append("| rows written at once, all or none | \(bulks.joined(separator: " | ")) |")
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func theReadmeSaysWhatIsDeclared() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md")
            .standardized
        let readme = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(readme.range(of: Self.begin)).upperBound
        let stop = try #require(readme.range(of: Self.end)).lowerBound
        let matrix = try matrix()
        if ProcessInfo.processInfo.environment["WRITE_MATRIX"] != nil {
            let written = readme[..<start] + matrix + readme[stop...]
            try String(written).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(String(readme[start..<stop]) == matrix)
        }
    }

    @Test func theSimulatorsDeclareWhatEachBackendDeclares() throws {
        let declared = try tables().dropFirst().map { "\($0.name): \($0.capabilities.names)" }
        #expect(BackendProfile.allCases.map { "\($0.rawValue): \($0.capabilities.names)" } == declared)
    }

    @Test func everyCapabilityIsInIt() {
        #expect(Self.meanings.map(\.name) == Capabilities.full.names)
    }
}
