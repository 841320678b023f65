import Dispatch
import Foundation
import RemoteDataTesting
import Synchronization

/// The program.
struct Simulation {
    let arguments: Arguments
    private let simulator = Simulator()

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// - Returns: The status to exit with: 0 when everything was right, 1 when something was not, 2 when it could not be run.
    func run() -> Int32 { arguments.scenario.map { runFile($0) } ?? runSeeds() }

    private func runFile(_ path: String) -> Int32 {
        do {
            let scenario = try Scenario(json: Data(contentsOf: URL(filePath: path)))
            let result = ScenarioRunner().run(scenario)
            tell(result)
            return result.isRight ? 0 : 1
        } catch {
            let reason = (error as? CocoaError)?.localizedDescription ?? "\(error)"
            print("\(path) cannot be read as a scenario: \(reason)")
            return 2
        }
    }

    private func runSeeds() -> Int32 {
        let clock = ContinuousClock()
        let begin = clock.now
        var trace: UInt64 = 0
        var steps = 0
        var failures = 0
        for start in stride(from: 0, to: arguments.runs, by: Self.batch) {
            for (seed, result) in results(start..<min(arguments.runs, start + Self.batch)) {
                if !result.isRight {
                    guard arguments.failures > 1 else { return fail(seed, result) }
                    failures += 1
                    print("Seed \(seed) fails.")
                    tell(result)
                    if failures == arguments.failures { return 1 }
                }
                trace = (trace &* 31) &+ result.trace
                steps += result.steps
            }
        }
        let elapsed = clock.now - begin
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        let perSecond = Int(Double(arguments.runs) / max(seconds, 1e-9))
        print(
            "\(arguments.runs) runs from seed \(arguments.seed), \(failures) failed: \(perSecond) runs per second,",
            terminator: " "
        )
        print("\(steps / max(1, arguments.runs)) steps each, trace \(String(trace, radix: 16)).")
        return failures == 0 ? 0 : 1
    }

    private func scenario(_ seed: UInt64) -> Scenario {
        var scenario = simulator.scenario(seed: seed)
        if let collation = arguments.collation { scenario.table.collation = collation }
        return scenario
    }

    /// How many runs are made before they are looked at.
    private static let batch = 256

    /// The results of some runs, in order.
    private func results(_ numbers: Range<Int>) -> [(seed: UInt64, result: ScenarioResult)] {
        let seeds = numbers.map { arguments.seed &+ UInt64($0) }
        if let note = arguments.note {
            return seeds.map { seed in
                try? Data("\(seed)\n".utf8).write(to: URL(filePath: note))
                return (seed, simulator.run(scenario(seed)))
            }
        }
        let next = Atomic(0)
        let results = Mutex<[Int: ScenarioResult]>([:])
        DispatchQueue.concurrentPerform(iterations: min(arguments.jobs, seeds.count)) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < seeds.count else { return }
                let result = simulator.run(scenario(seeds[index]))
                results.withLock { $0[index] = result }
            }
        }
        return results.withLock { results in
            seeds.indices.compactMap { index in results[index].map { (seeds[index], $0) } }
        }
    }

    private func fail(_ seed: UInt64, _ result: ScenarioResult) -> Int32 {
        print("Seed \(seed) fails.")
        tell(result)
        var shrunk = simulator.shrink(scenario(seed))
        shrunk.about = simulator.run(shrunk).failures.first?.description
        print("Shrunk to \(shrunk.steps.count) steps over \(shrunk.table.rows?.count ?? 0) rows:")
        print(shrunk.file)
        do {
            try Data(shrunk.file.utf8).write(to: URL(filePath: arguments.output))
            print("Written to \(arguments.output).")
        } catch {
            print("It could not be written to \(arguments.output).")
        }
        return 1
    }

    private func tell(_ result: ScenarioResult) {
        for failure in result.failures { print("  \(failure)") }
        if result.isRight { print("Everything was as it had to be.") }
    }
}
