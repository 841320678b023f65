import Foundation
import RemoteDataTesting
import Synchronization
import Testing

/// The scenario files, each a test.
struct ScenarioFileTests {
    @Test(arguments: ScenarioFolder.files) func runsAsItSays(file: String) throws {
        let scenario = try ScenarioFolder.scenario(file)
        let result = ScenarioRunner().run(scenario)
        #expect(result.isRight, "\(scenario.name): \(result.failures)")
    }

    @Test func thereAreFiles() { #expect(ScenarioFolder.files.count >= 220) }

    @Test func eachIsWrittenAsItWasRead() throws {
        for file in ScenarioFolder.files {
            let scenario = try ScenarioFolder.scenario(file)
            #expect(try Scenario(json: Data(scenario.file.utf8)) == scenario, "\(file)")
        }
    }

    @Test func eachHasANameOfItsOwnAndExpectsSomething() throws {
        let scenarios = try ScenarioFolder.files.map { try ScenarioFolder.scenario($0) }
        #expect(Set(scenarios.map(\.name)).count == scenarios.count)
        for (file, scenario) in zip(ScenarioFolder.files, scenarios) where !file.hasPrefix("Found/") {
            #expect(scenario.steps.contains { $0.expect != nil || $0.expectNow != nil }, "\(file)")
        }
    }

    /// Files that nothing broken can fail would be of no use.
    @Test func aBrokenVariantIsCaughtByAFile() async {
        let defects = Defect.allCases
        let faults = await Campaign.faults(in: defects.count, atMost: defects.count) { number -> String? in
            var runner = ScenarioRunner()
            runner.defect = defects[number]
            // Those of its folder first, so that the search is short.
            let isNear = { (file: String) in file.hasPrefix(defects[number].folder + "/") }
            let files = ScenarioFolder.files.filter(isNear) + ScenarioFolder.files.filter { !isNear($0) }
            do {
                let file = try files.first { !runner.run(try ScenarioFolder.scenario($0)).isRight }
                return file == nil ? "No file catches it." : nil
            } catch { return "\(error)" }
        }
        for (number, fault) in faults { Issue.record("\(defects[number]): \(fault)") }
    }

    @Test func aWrongExpectationIsToldWithItsStep() throws {
        var scenario = try ScenarioFolder.scenario("Windows/reading-page-by-page.json")
        scenario.steps[0].expect?.count = 6
        scenario.steps[2].expect?.taken = ["first": ["a", "b"]]
        let failures = ScenarioRunner().run(scenario).failures
        #expect(failures.map(\.step) == [0, 2])
        #expect(failures.map(\.what) == ["count", "taken (first)"])
        #expect(failures.first?.message == "Expected 6, found 5.")
    }

    @Test func aModelOfTheCallersRunsToo() throws {
        struct Letter: Codable, Identifiable, Sendable {
            var objectId: String
            var a: Int
            var id: String { objectId }
        }
        let scenario = try ScenarioFolder.scenario("Writes/own-update-and-removal.json")
        let result = ScenarioRunner(of: Letter.self).run(scenario)
        #expect(result.isRight, "\(result.failures)")
    }

    @Test func aTableOfTheCallersLiesOverTheSimulatedOne() throws {
        let names = Mutex<[String]>([])
        let runner = ScenarioRunner(of: ScenarioRow.self) { table in
            names.withLock { $0.append(table.name) }
            return table
        }
        #expect(runner.run(try ScenarioFolder.scenario("Windows/reading-page-by-page.json")).isRight)
        #expect(names.withLock { $0 } == ["rows"])
    }
}

extension Defect {
    /// Where the files are that are about what it breaks.
    fileprivate var folder: String {
        switch self {
        case .pagesByOffset: "Windows"
        case .noFence, .framesTakenAsTheyCome, .changesLost: "Listens"
        case .noTombstones: "BulkDeletes"
        case .gapsNotTold: "Resets"
        case .writesWithoutKeys: "Retries"
        case .iterationsKept: "Limits"
        case .evictsNothing: "Eviction"
        case .waitsForEver: "Busy"
        case .epochsUnseen: "Epochs"
        case .refusalsForGood: "Disconnects"
        }
    }
}
