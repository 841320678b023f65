import Foundation
import RemoteDataTesting
import Synchronization
import Testing

/// The scenario files, each a test.
struct ScenarioFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Scenarios")

    static let files = files(in: folder)
    static let knownIssues = files(in: folder.appending(path: "KnownIssues"))

    private static func files(in folder: URL) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }

    private static func scenario(_ file: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appending(path: file)))
    }

    @Test(arguments: files) func runsAsItSays(file: String) throws {
        let scenario = try Self.scenario(file)
        let result = ScenarioRunner().run(scenario)
        #expect(result.isRight, "\(scenario.name): \(result.failures)")
    }

    @Test func thereAreFiles() { #expect(Self.files.count >= 20) }

    /// What the simulator found and is not repaired yet.
    @Test(arguments: knownIssues) func isKnownNotToRun(file: String) throws {
        let scenario = try Self.scenario("KnownIssues/" + file)
        withKnownIssue { #expect(ScenarioRunner().run(scenario).isRight) }
    }

    @Test(arguments: files) func isWrittenAsItWasRead(file: String) throws {
        let scenario = try Self.scenario(file)
        #expect(try Scenario(json: Data(scenario.file.utf8)) == scenario)
    }

    @Test func aWrongExpectationIsToldWithItsStep() throws {
        var scenario = try Self.scenario("reading-page-by-page.json")
        scenario.steps[0].expect?.count = 6
        scenario.steps[2].expect?.taken = ["first": ["a", "b"]]
        let failures = ScenarioRunner().run(scenario).failures
        #expect(failures.map(\.step) == [0, 2])
        #expect(failures.map(\.what) == ["count", "taken (first)"])
        #expect(failures.first?.message == "Expected 6, found 5.")
    }

    @Test func anUnknownStepIsToldOf() {
        let steps = [ScenarioStep(ScenarioStep.Action(rawValue: "dance"))]
        let failures = ScenarioRunner().run(Scenario(name: "", steps: steps)).failures
        #expect(failures.first?.step == 0 && failures.first?.message.contains("dance") == true)
    }

    @Test func aModelOfTheCallersRunsToo() throws {
        struct Letter: Codable, Identifiable, Sendable {
            var objectId: String
            var a: Int
            var id: String { objectId }
        }
        let result = ScenarioRunner(of: Letter.self).run(try Self.scenario("own-update-and-removal.json"))
        #expect(result.isRight, "\(result.failures)")
    }

    @Test func aTableOfTheCallersLiesOverTheSimulatedOne() throws {
        let names = Mutex<[String]>([])
        let runner = ScenarioRunner(of: ScenarioRow.self) { table in
            names.withLock { $0.append(table.name) }
            return table
        }
        #expect(runner.run(try Self.scenario("reading-page-by-page.json")).isRight)
        #expect(names.withLock { $0 } == ["rows"])
    }
}
