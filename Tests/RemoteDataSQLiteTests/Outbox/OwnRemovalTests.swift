import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Rows that are created and removed locally while their creation is under way.
@Suite(.timeLimit(.minutes(1))) struct OwnRemovalTests {
    private static let list = List(id: "a", name: "milk")

    /// Creates a row and removes it before the answer to its creation: the server has it.
    private func removed(_ kind: String) async throws -> (SyncFixture, SyncedWrite) {
        var some = Capabilities.full
        // Otherwise the change log brings the row together with the key of its creation.
        (some.liveChanges, some.resume) = (false, false)
        if kind == "nothing" {
            some = Capabilities()
            (some.keysetPages, some.exactCounts) = (true, true)
        }
        let fixture = try await SyncFixture(capabilities: some)
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit)
        let creation = try await fixture.lists.add(Self.list)
        await fixture.remoteLists.waitForHeld()
        let removal = try await fixture.lists.remove(Self.list)
        #expect(creation.numbers != removal.numbers)
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [Self.list])
        return (fixture, removal)
    }

    /// The answers come: nothing is left of the row.
    private func expectNothingLeft(_ removal: SyncedWrite, _ fixture: SyncFixture) async throws {
        #expect(try await fixture.lists.row("a") == nil)
        fixture.remoteLists.letAllGo()
        try await removal.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [])
        #expect(try await SyncFixture.lists(fixture.lists) == [])
        #expect(try await fixture.outbox.pendingCount == 0)
        #expect(try await fixture.outbox.deadLetters().isEmpty)
        #expect(try await fixture.outbox.rejected().isEmpty)
        let bases = try await fixture.store.core.read { (connection) throws(RemoteDataError) in
            try connection.first("SELECT count(*) FROM bases") { $0.integer(0) }
        }
        #expect(bases == 0)
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == [])
    }

    @Test("A page does not show a row that is removed locally", arguments: ["revisions", "nothing"])
    func pageBeforeTheAnswer(kind: String) async throws {
        let (fixture, removal) = try await removed(kind)
        try await fixture.lists.pull()
        try await expectNothingLeft(removal, fixture)
    }

    @Test("An event without a key does not show a row that is removed locally")
    func eventBeforeTheAnswer() async throws {
        let (fixture, removal) = try await removed("revisions")
        let row = try #require(try await fixture.remoteLists.base.row("a"))
        let event = Change(revision: row.revision, kind: .created, id: row.id, row: row)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.pull(event, in: "lists")
        }
        try await expectNothingLeft(removal, fixture)
    }

    @Test("News of a row from before its removal does not bring it back", arguments: [1, 3])
    func newsFromBeforeTheRemoval(revision: Int64) async throws {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        let removal = try await fixture.lists.remove(Self.list)
        try await removal.acknowledged
        let row = Row(id: "a", revision: Revision(revision), json: try SyncFixture.draft(Self.list).json)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.pull(row, asOf: Revision(revision), in: "lists")
        }
        let isShown = try await fixture.lists.row("a") != nil
        #expect(isShown == (revision == 3))
    }

    @Test("An own update that was made after others removed the row is shown once the row is back")
    func updateAfterOthersRemoved() async throws {
        var some = Capabilities.full
        (some.revisions, some.conditionalWrites) = (false, false)
        let fixture = try await SyncFixture(rows: [Self.list], capabilities: some)
        try await fixture.lists.pull()
        let changed = List(id: "a", name: "bread")
        fixture.remoteLists.hold(.commit)
        let update = try await fixture.lists.update(changed)
        await fixture.remoteLists.waitForHeld()
        let place = RowPlace(table: "lists", id: "a")
        let key = try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.entries(of: place).first?.key
        }
        fixture.remoteLists.letAllGo()
        try await update.acknowledged
        fixture.outbox.pause()
        let removal = try await fixture.lists.remove(changed)
        // Others have removed the row and added it again before the update was made.
        let (old, new) = (try SyncFixture.draft(Self.list).json, try SyncFixture.draft(changed).json)
        let events = [
            Change(revision: nil, kind: .deleted, id: "a"),
            Change(revision: nil, kind: .created, id: "a", row: Row(id: "a", json: old)),
            Change(revision: nil, kind: .updated, id: "a", row: Row(id: "a", json: new), idempotencyKey: key),
        ]
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            for event in events { try transaction.pull(event, in: "lists") }
        }
        try await removal.acknowledged
        #expect(try await SyncFixture.lists(fixture.lists) == [changed])
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [changed])
    }
}
