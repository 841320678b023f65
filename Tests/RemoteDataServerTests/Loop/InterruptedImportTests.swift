import Foundation
import Testing

/// Imports that a signal ends, run as a user would.
@Suite(.timeLimit(.minutes(5)))
struct InterruptedImportTests {
    private static let rows = 20_000

    /// Runs a body on a folder with a file of many rows in it.
    private func withFile(_ body: @escaping @Sendable (URL, [String]) throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "towns.csv")
        let text = "n,name\n" + (0..<Self.rows).map { "\($0),A town of the name of \($0)\n" }.joined()
        try Data(text.utf8).write(to: file)
        let arguments = ["--listen", "127.0.0.1:0", "--quiet", "--data", folder.path]
        try await onThread { try body(folder, arguments) }
    }

    /// Waits until the store has written so many bytes; an empty one has about 260,000.
    private func wait(for bytes: Int, in folder: URL) throws {
        let log = folder.appending(path: "tables.sqlite-wal").path
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(60) {
            let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
            if let size, size >= bytes { return }
            sched_yield()
        }
        throw ChildProcess.Failure(description: "nothing is written to \(log)")
    }

    @Test(arguments: [1, 400_000, 800_000])
    func theNextStartMakesAnImportWholeThatWasKilled(bytes: Int) async throws {
        try await withFile { folder, arguments in
            let imports = ["--import", folder.appending(path: "towns.csv").path]
            let killed = try ChildProcess(arguments + imports)
            try wait(for: bytes, in: folder)
            killed.signal(SIGKILL)
            #expect(try killed.end().output == "", "the import was over before it could be killed")
            let program = try ChildProcess(arguments + imports)
            let client = try TestConnection(port: try program.port())
            #expect(try client.ask("GET", "/api/data/towns/count").text == "\(Self.rows)")
            let one = try client.ask("GET", "/api/data/towns/count?where=n%20%3D%200").text
            #expect(one == "1")
            program.signal(SIGTERM)
            let errors = try program.end().errors
            #expect(!errors.contains("not imported again"))
            if bytes > 1 { #expect(errors.contains("towns.csv is imported again, \(Self.rows) rows")) }
        }
    }

    @Test func aSignalDuringAnImportEndsItAndSaysSo() async throws {
        try await withFile { folder, arguments in
            let imports = ["--import", folder.appending(path: "towns.csv").path, "--as", "t"]
            let stopped = try ChildProcess(arguments + imports)
            try wait(for: 400_000, in: folder)
            stopped.signal(SIGTERM)
            let end = try stopped.end()
            #expect(end.code == 0)
            #expect(end.output == "")
            #expect(end.errors.contains("stopped by a signal before all of towns.csv was in t"))
            // Whoever serves it without a second try is told.
            let partial = try ChildProcess(arguments)
            _ = try partial.port()
            partial.signal(SIGTERM)
            #expect(try partial.end().errors.contains("t may hold only a part of towns.csv"))
            let whole = try ChildProcess(arguments + imports)
            let client = try TestConnection(port: try whole.port())
            #expect(try client.ask("GET", "/api/data/t/count").text == "\(Self.rows)")
            whole.signal(SIGTERM)
            #expect(try !whole.end().errors.contains("only a part"))
        }
    }
}
