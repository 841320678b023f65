import RemoteDataTesting
import Testing

@testable import RemoteData

/// Collections that follow no changes: what is promised all the same.
@Suite(.serialized) struct UnfollowedPropertyTests {
    /// How many histories of each kind are tried; raise it to search longer.
    private static let histories = Campaign.size(quick: 1_500)

    private func check(_ writers: UnfollowedHistory.Writers, evicts: Bool = false) async {
        await checkHistories(Self.histories) {
            UnfollowedHistory(seed: $0, writers: writers, evicts: evicts)
        }
    }

    @Test func countAndRowsAreRightWhereNobodyWrites() async { await check(.nobody) }

    @Test func countAndRowsAreRightAfterOwnWrites() async { await check(.itself) }

    @Test func nothingComesTwiceAndThePagesAloneChangeTheCountWhereEverybodyWrites() async {
        await check(.everybody)
    }

    @Test(arguments: UnfollowedHistory.Writers.allCases)
    func theSameHoldsWhereFewRowsMayStay(writers: UnfollowedHistory.Writers) async {
        await check(writers, evicts: true)
    }
}

extension UnfollowedHistory: GeneratedHistory {
    var summary: String {
        "page size \(state.pageSize), \(hasRevisions ? "with" : "without") revisions,"
            + " filter \(table.query.filter?.description ?? "none"), sort \(table.query.sort.sortText),"
            + " table \(table.ids)"
    }
}
