import RemoteDataTesting
import Testing

@testable import RemoteData

/// Collections that follow no changes: what is promised all the same.
@Suite(.serialized) struct UnfollowedPropertyTests {
    /// How many histories of each kind are tried; raise it to search longer.
    private static let histories = 1_500

    private func check(_ writers: UnfollowedHistory.Writers) async {
        await checkHistories(Self.histories) { UnfollowedHistory(seed: $0, writers: writers) }
    }

    @Test func countAndRowsAreRightWhereNobodyWrites() async { await check(.nobody) }

    @Test func countAndRowsAreRightAfterOwnWrites() async { await check(.itself) }

    @Test func nothingComesTwiceAndThePagesAloneChangeTheCountWhereEverybodyWrites() async {
        await check(.everybody)
    }
}

extension UnfollowedHistory: GeneratedHistory {
    var summary: String {
        "page size \(state.pageSize), \(hasRevisions ? "with" : "without") revisions,"
            + " filter \(table.query.filter?.description ?? "none"), sort \(table.query.sort.sortText),"
            + " table \(table.ids)"
    }
}
