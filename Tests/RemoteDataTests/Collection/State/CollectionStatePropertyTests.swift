import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite(.serialized) struct CollectionStatePropertyTests {
    /// How many histories of each kind are tried; raise it to search longer.
    private static let histories = Campaign.size(quick: 800)

    private func check(_ trouble: CollectionHistory.Trouble) async {
        await checkHistories(Self.histories) { CollectionHistory(seed: $0, trouble: trouble) }
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

    @Test func equalsTheTableWhereFewRowsMayStay() async { await check(.eviction) }

    @Test func equalsTheTableWhereFewRowsMayStayAndSomeAreHeld() async { await check([.eviction, .holding]) }

    @Test func equalsTheTableWhereFewRowsMayStayAfterInterruptions() async {
        await check([.eviction, .failures, .interruptions, .refreshes])
    }

    @Test func equalsTheTableWithRowsThatAreHeldAfterInterruptions() async {
        await check([.failures, .interruptions, .refreshes, .holding])
    }

    @Test func equalsTheTableWhereFewRowsMayStayAfterAllKindsOfTrouble() async {
        await check([.eviction, .failures, .interruptions, .impatience, .refreshes, .holding])
    }
}

extension CollectionHistory: GeneratedHistory {
    var summary: String {
        "page size \(state.pageSize), filter \(table.query.filter?.description ?? "none"),"
            + " sort \(table.query.sort.sortText), table \(table.ids)"
    }
}
