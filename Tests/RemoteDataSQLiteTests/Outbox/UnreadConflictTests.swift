import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Updates whose answer was lost, and that meet the row as they have made it without being let look at it.
@Suite(.timeLimit(.minutes(1))) struct UnreadConflictTests {
    private static let list = List(id: "a", name: "milk")

    /// What is done to the row afterwards.
    enum Next: CaseIterable, Sendable {
        case update, removal, removalThatWaits
    }

    @Test(
        "What was written since is no conflict with an update that had arrived",
        arguments: Next.allCases,
        [true, false]
    )
    func writeBehindAnUpdate(next: Next, isPulledBefore: Bool) async throws {
        var some = Capabilities.full
        (some.idempotency, some.liveChanges) = (false, false)
        let fixture = try await SyncFixture(rows: [Self.list], capabilities: some)
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit, times: 1)
        let first = try await fixture.lists.update(List(id: "a", name: "first"))
        await fixture.remoteLists.waitForHeld()
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        fixture.remoteLists.fail(.row, with: RemoteDataError(.forbidden, "Not yours.", status: 403))
        // The table knows the key, which a server without keys does not.
        let changed = RemoteDataError(.conflict, "It has changed.", status: 412)
        fixture.remoteLists.fail(.commit, with: changed, times: 1)
        var second: SyncedWrite?
        if next == .removalThatWaits { second = try await fixture.lists.write(.delete("a")) }
        fixture.remoteLists.hold(.commit, .beforeAsking, times: 1)
        fixture.remoteLists.letGo(0)
        let error = await failure { () async throws(RemoteDataError) in try await first.acknowledged }
        #expect(error?.code == .conflict)
        switch next {
        case .update: second = try await fixture.lists.update(List(id: "a", name: "first", note: "note"))
        case .removal: second = try await fixture.lists.write(.delete("a"))
        case .removalThatWaits: break
        }
        await fixture.remoteLists.waitForHeld()
        fixture.remoteLists.heal()
        if isPulledBefore { try await fixture.lists.pull() }
        fixture.remoteLists.letAllGo()
        try await second?.acknowledged
        try await fixture.drained()
        #expect(try await fixture.outbox.rejected().isEmpty)
        #expect(try await fixture.outbox.deadLetters().isEmpty)
        let there = next == .update ? [List(id: "a", name: "first", note: "note")] : []
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == there)
        #expect(try await SyncFixture.lists(fixture.lists) == there)
    }
}
