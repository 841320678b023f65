import Foundation
import RemoteDataTesting
import Testing

@Suite struct SyncSimulatorTests {
    @Test func whateverHappensEveryWriteIsMadeOnceOrGivenUp() {
        let runs = Int(ProcessInfo.processInfo.environment["SYNC_RUNS"] ?? "") ?? 100
        let first = UInt64(ProcessInfo.processInfo.environment["SYNC_SEED"] ?? "") ?? 1
        var writes = 0
        var failed = 0
        for seed in first..<(first + UInt64(runs)) {
            let result = SyncSimulator().run(seed: seed)
            writes += result.writes
            if !result.failures.isEmpty {
                failed += 1
                if failed < 6 { print("seed \(seed):", result.failures.prefix(3)) }
            }
        }
        #expect(failed == 0)
        #expect(writes > runs)
    }

    @Test(arguments: SyncDefect.allCases)
    func whatIsBrokenOnPurposeIsCaught(_ defect: SyncDefect) {
        let seed = (1...200).first { seed in
            !SyncSimulator(defect: defect).run(seed: UInt64(seed)).failures.isEmpty
        }
        #expect(seed != nil)
        // The same life without the defect is as it has to be.
        if let seed { #expect(SyncSimulator().run(seed: UInt64(seed)).failures.isEmpty) }
    }
}
