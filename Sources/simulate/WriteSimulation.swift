import Dispatch
import Foundation
import RemoteDataTesting
import Synchronization

/// The program, for tables kept in step.
struct WriteSimulation {
    let arguments: Arguments
    private let simulator = SyncSimulator()

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// - Returns: The status to exit with: 0 when everything was right, 1 when something was not.
    func run() -> Int32 {
        let begin = ContinuousClock.now
        let next = Atomic(0)
        let state = Mutex<(failed: [UInt64], writes: Int, trace: UInt64)>(([], 0, 0))
        DispatchQueue.concurrentPerform(iterations: max(1, min(arguments.jobs, arguments.runs))) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                let isEnough = state.withLock { $0.failed.count >= arguments.failures }
                guard index < arguments.runs, !isEnough else { return }
                let seed = arguments.seed &+ UInt64(index)
                let result = simulator.run(seed: seed)
                state.withLock { state in
                    state.writes += result.writes
                    state.trace ^= result.trace &* (seed | 1)
                    if !result.failures.isEmpty { state.failed.append(seed) }
                }
            }
        }
        let (failed, writes, trace) = state.withLock { $0 }
        for seed in failed.sorted() { tell(seed) }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let perSecond = Int(Double(min(arguments.runs, next.load(ordering: .relaxed))) / max(seconds, 1e-9))
        print(
            """
            \(arguments.runs) runs from seed \(arguments.seed), \(failed.count) failed: \(perSecond) runs per second, \
            \(writes) writes, trace \(String(trace, radix: 16)).
            """
        )
        return failed.isEmpty ? 0 : 1
    }

    private func tell(_ seed: UInt64) {
        let result = simulator.run(seed: seed, tellsStory: true)
        print("Seed \(seed) fails.")
        for step in result.story { print("    \(step)") }
        for failure in result.failures { print("  \(failure)") }
    }
}
