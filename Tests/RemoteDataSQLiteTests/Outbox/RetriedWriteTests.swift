import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Updates that the server refused, and that are sent again when the row has been changed here since.
@Suite(.timeLimit(.minutes(1))) struct RetriedWriteTests {
    private static let list = List(id: "a", name: "milk")

    /// A row with an update that the server has refused.
    private func refused() async throws -> (SyncFixture, SyncedWrite) {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "No."), times: 1)
        let write = try await fixture.lists.update(List(id: "a", name: "first"))
        _ = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        return (fixture, write)
    }

    private func expect(_ name: String, _ fixture: SyncFixture) async throws {
        try await fixture.drained()
        #expect(try await fixture.outbox.rejected().isEmpty)
        let list = List(id: "a", name: name)
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [list])
        #expect(try await SyncFixture.lists(fixture.lists) == [list])
    }

    @Test("A later update that was not sent yet is sent after the earlier one", arguments: [true, false])
    func laterUpdateWaits(isEdited: Bool) async throws {
        let (fixture, first) = try await refused()
        fixture.outbox.pause()
        let second = try await fixture.lists.update(List(id: "a", name: "second"))
        if isEdited {
            try await fixture.outbox.edit(first.numbers[0], json: Array(#"{"name":"edited"}"#.utf8)[...])
        } else {
            try await fixture.outbox.retry(first.numbers[0])
        }
        fixture.outbox.resume()
        try await first.acknowledged
        try await second.acknowledged
        try await expect("second", fixture)
    }

    @Test("An update that was refused follows a later one that may have been made", arguments: [true, false])
    func refusedUpdateFollows(isLost: Bool) async throws {
        let (fixture, first) = try await refused()
        if isLost {
            fixture.remoteLists.loseAnswers(to: .commit, times: 1)
            fixture.remoteLists.hold(.row, times: 1)
        } else {
            fixture.remoteLists.hold(.commit, times: 1)
        }
        let second = try await fixture.lists.update(List(id: "a", name: "second"))
        await fixture.remoteLists.waitForHeld()
        try await fixture.outbox.retry(first.numbers[0])
        #expect(try await fixture.outbox.pending().first?.waitsFor == second.numbers[0])
        fixture.remoteLists.letAllGo()
        try await second.acknowledged
        try await first.acknowledged
        try await expect("first", fixture)
    }
}
