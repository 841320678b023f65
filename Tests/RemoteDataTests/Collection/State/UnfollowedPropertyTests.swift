import RemoteDataTesting
import Testing

@testable import RemoteData

/// Collections that follow no changes: what is promised all the same.
@Suite(.serialized) struct UnfollowedPropertyTests {
    /// How many histories of each kind are tried; raise it to search longer.
    private static let histories = 1_500

    /// Reports the shortest of the histories that fail.
    private func check(_ writers: UnfollowedHistory.Writers) async {
        var failures: [(trail: [String], report: String)] = []
        for seed in 0..<UInt64(Self.histories) where failures.count < 12 {
            // Other tests have a deadline.
            if seed.isMultiple(of: 20) { await Task.yield() }
            var history = UnfollowedHistory(seed: seed, writers: writers)
            guard let fault = history.fault() else { continue }
            failures.append((history.trail, "seed \(seed): \(fault)\n\(history.summary)"))
        }
        guard let shortest = failures.min(by: { $0.trail.count < $1.trail.count }) else { return }
        let trail = shortest.trail.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        Issue.record("\(failures.count) histories fail; \(shortest.report)\n\(trail)")
    }

    @Test func countAndRowsAreRightWhereNobodyWrites() async { await check(.nobody) }

    @Test func countAndRowsAreRightAfterOwnWrites() async { await check(.itself) }

    @Test func nothingComesTwiceAndThePagesAloneChangeTheCountWhereEverybodyWrites() async {
        await check(.everybody)
    }
}

extension UnfollowedHistory {
    var summary: String {
        "page size \(state.pageSize), \(hasRevisions ? "with" : "without") revisions,"
            + " filter \(table.query.filter?.description ?? "none"), sort \(table.query.sort.sortText),"
            + " table \(table.ids)"
    }
}
