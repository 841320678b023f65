import Foundation
import RemoteDataTesting
import Testing

/// The program `simulate`, run as a user would.
struct SimulateProgramTests {
    private struct Missing: Error {}

    private func run(_ arguments: String...) throws -> (code: Int32, output: String) {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let file = (0..<6).lazy.map { _ -> URL in
            folder = folder.deletingLastPathComponent()
            return folder.appending(path: "simulate")
        }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let (process, output) = (Process(), Pipe())
        guard let file else { throw Missing() }
        process.executableURL = file
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Although each orders what it keeps in dictionaries and sets in another way.
    @Test func allProcessesDoTheSame() throws {
        let runs = try (0..<4).map { _ in try run("--runs", "25", "--seed", "60") }
        #expect(runs.allSatisfy { $0.code == 0 })
        let traces = Set(runs.map { $0.output.split(separator: ",").last })
        #expect(traces.count == 1 && traces.first??.contains("trace") == true, "\(runs)")
    }

    @Test func aScenarioThatFailsIsToldWithItsStep() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        var expectation = ScenarioExpectation()
        expectation.count = 3
        let scenario = Scenario(name: "empty", steps: [ScenarioStep(expect: expectation)])
        try Data(scenario.file.utf8).write(to: file)
        let result = try run("--scenario", file.path)
        #expect(result.code == 1)
        #expect(result.output.contains("Step 0, count: Expected 3, found 0."))
    }

    @Test func whatItDoesNotKnowIsRefused() throws {
        #expect(try run("--dance", "1").code == 2)
        #expect(try run("--runs", "many").code == 2)
        #expect(try run("--collation", "french").code == 2)
        #expect(try run("--help").output.contains("Usage: simulate"))
    }
}
