import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite(.serialized) struct CollectionStatePropertyTests {
    /// How many histories of each kind are tried; raise it to search longer.
    private static let histories = 800

    /// Reports the shortest of the histories that fail.
    private func check(_ trouble: CollectionHistory.Trouble, histories: Int = Self.histories) async {
        var failures: [(trail: [String], report: String)] = []
        for seed in 0..<UInt64(histories) where failures.count < 12 {
            // Other tests have a deadline.
            if seed.isMultiple(of: 20) { await Task.yield() }
            var history = CollectionHistory(seed: seed, trouble: trouble)
            guard let fault = history.fault() else { continue }
            failures.append((history.trail, "seed \(seed): \(fault)\n\(history.summary)"))
        }
        guard let shortest = failures.min(by: { $0.trail.count < $1.trail.count }) else { return }
        let trail = shortest.trail.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        Issue.record("\(failures.count) histories fail; \(shortest.report)\n\(trail)")
    }

    @Test func equalsTheTableWhateverTheOrderOfPagesAnswersAndEvents() async { await check([]) }

    @Test func equalsTheTableAfterFailures() async { await check(.failures) }

    @Test func equalsTheTableAfterInterruptions() async { await check(.interruptions) }

    @Test func equalsTheTableWhenPagesDidNotWait() async { await check(.impatience) }

    @Test func equalsTheTableAfterRefreshes() async { await check(.refreshes) }

    @Test func equalsTheTableWithRowsThatAreHeld() async { await check(.holding) }

    @Test func equalsTheTableAfterAllKindsOfTrouble() async {
        await check([.failures, .interruptions, .impatience, .refreshes, .holding])
    }
}

extension CollectionHistory {
    var summary: String {
        "page size \(state.pageSize), filter \(table.query.filter?.description ?? "none"),"
            + " sort \(table.query.sort.sortText), table \(table.ids)"
    }
}
