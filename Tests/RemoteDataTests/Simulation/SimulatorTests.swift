import Foundation
import RemoteDataTesting
import Testing

/// A quick slice of what `simulate` runs by the hundred thousand.
struct SimulatorTests {
    @Test func everyRunIsAsItHasToBe() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 250)) { number in
            let result = Simulator().run(seed: UInt64(number + 1))
            return result.isRight ? nil : result.failures
        }
        for (number, failures) in faults { Issue.record("Seed \(number + 1): \(failures)") }
    }

    @Test func aSeedMakesTheSameRunAgain() {
        let simulator = Simulator()
        for seed in UInt64(1)...20 {
            #expect(simulator.scenario(seed: seed) == simulator.scenario(seed: seed))
            let (first, second) = (simulator.run(seed: seed), simulator.run(seed: seed))
            #expect(first.trace == second.trace && first.steps == second.steps, "seed \(seed)")
        }
    }

    @Test func aScenarioReadFromItsFileMakesTheSameRun() throws {
        let simulator = Simulator()
        for seed in UInt64(1)...20 {
            let scenario = simulator.scenario(seed: seed)
            let read = try Scenario(json: Data(scenario.file.utf8))
            #expect(read == scenario)
            #expect(simulator.run(read).trace == simulator.run(scenario).trace, "seed \(seed)")
        }
    }

    @Test func aBrokenVariantIsCaught() async {
        let defects = Defect.allCases
        let faults = await Campaign.faults(in: defects.count, atMost: defects.count) { number -> String? in
            let simulator = Simulator(defect: defects[number])
            let seed = ([defects[number].likelySeed] + Array(1...500)).first { seed in
                defects[number].shows(in: simulator.run(seed: seed).failures.map(\.what))
            }
            guard let seed else { return "No seed catches it." }
            // The same scenario without the defect is as it has to be.
            let result = Simulator().run(seed: seed)
            return result.isRight ? nil : "Seed \(seed) without it: \(result.failures)"
        }
        for (number, fault) in faults { Issue.record("\(defects[number]): \(fault)") }
    }

    @Test func aFailingRunIsShrunk() throws {
        let simulator = Simulator(defect: .noTombstones)
        let failure = try #require(simulator.firstFailure(in: 501...1_000))
        let scenario = simulator.scenario(seed: failure.seed)
        let shrunk = simulator.shrink(scenario)
        #expect(simulator.run(shrunk).failures.first?.what == failure.result.failures.first?.what)
        #expect(shrunk.steps.count <= 4 && shrunk.steps.count < scenario.steps.count)
        #expect(shrunk.steps.contains { $0.do == .deleteAll || $0.do == .removeAll })
    }
}

extension Defect {
    /// A seed that showed it when this was written: on the way to one, runs may go on for long.
    fileprivate var likelySeed: UInt64 {
        switch self {
        case .noFence: 21
        case .framesTakenAsTheyCome: 158
        case .epochsUnseen: 521
        case .refusalsForGood: 753
        default: 1
        }
    }

    /// Whether it is what a run with the defect has to stumble over.
    fileprivate func shows(in failures: [String]) -> Bool {
        let expected: Set<String> =
            switch self {
            case .pagesByOffset, .noFence, .noTombstones, .framesTakenAsTheyCome, .changesLost,
                .epochsUnseen:
                ["convergence", "iteration", "events", "audit"]
            // A count in doubt waits for word that changes come again, for ever.
            case .gapsNotTold: ["convergence", "iteration", "events", "audit", "no hang"]
            case .writesWithoutKeys: ["no lost write"]
            case .iterationsKept, .evictsNothing: ["bounds"]
            case .waitsForEver: ["no hang"]
            case .refusalsForGood: ["status", "no hang"]
            }
        return !expected.isDisjoint(with: failures)
    }
}
