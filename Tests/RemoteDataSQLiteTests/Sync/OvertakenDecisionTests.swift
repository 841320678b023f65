import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Rows that are read while it is decided what becomes of a write that found no row.
@Suite(.timeLimit(.minutes(1))) struct OvertakenDecisionTests {
    private static let list = List(id: "a", name: "list", note: "note")
    private static let all = PageRequest(Query(), limit: 10)

    /// Returns a table with a row that was read, whose revision pages contain or leave out.
    private func read(hasRevision: Bool) async throws -> SyncFixture {
        let fixture = try await SyncFixture(rows: [Self.list])
        if !hasRevision {
            fixture.remoteLists.alterPages { page, _ in
                Page(rows: page.rows.map { $0.at(nil) }, revision: page.revision)
            }
        }
        try await fixture.lists.pull()
        return fixture
    }

    /// Only the revision shows that the row was removed and created again: the write is not outdated.
    @Test(
        "A row of a later page stays where a write found none, and the write is sent again",
        arguments: [true, false],
        [true, false]
    )
    func rowOfALaterPage(hasRevision: Bool, isMine: Bool) async throws {
        let fixture = try await read(hasRevision: hasRevision)
        fixture.outbox.pause()
        let write = try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        let seen = try await fixture.remoteLists.page(Self.all)
        let base = fixture.remoteLists.base
        _ = try await base.commit(.delete("a"))
        _ = try await base.commit(.create([SyncFixture.draft(Self.list)]))
        let page = try await fixture.remoteLists.page(Self.all)
        let row = try #require(page.rows.first)
        #expect(row.json == seen.rows.first?.json && page.revision != seen.revision)
        let known = ServerVersion(seen.rows.first?.revision, asOf: seen.revision)
        let mine = Row(id: "a", json: Array(#"{"objectId":"a","name":"mine","note":"note"}"#.utf8)[...])
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            try transaction.pull(row, asOf: page.revision, in: "lists")
            let isOutdated = try transaction.entry(taken.number)?.isOutdated
            #expect(isOutdated == false)
            let resolution = isMine ? Conflict.Resolution.mine : .theirs
            let decision = Decision.conflict(nil, mine: mine, resolution, over: known, serverBeganAnew: false)
            try transaction.settle(taken, decision) { _ in .zero }
        }
        #expect(try await write.state.description == "queued")
        #expect(try await fixture.lists.row("a")?["name"] == "mine")
        let pending = try await fixture.outbox.pending()
        // What was decided would have made it an upsert, or have rejected it.
        #expect(pending.map(\.kind) == [.update])
        #expect(pending.map(\.attempts) == [0])
        fixture.outbox.resume()
        try await write.acknowledged
        let both = [List(id: "a", name: "mine", note: "note")]
        #expect(try await SyncFixture.lists(fixture.lists) == both)
        #expect(try await SyncFixture.lists(base) == both)
    }

    /// Which of the two is the later one is unknown.
    @Test(
        "Without revisions the table is read again where a look finds another row than a pull",
        arguments: [true, false]
    )
    func rowWithoutARevision(isAnother: Bool) async throws {
        var some = Capabilities()
        (some.keysetPages, some.exactCounts) = (true, true)
        let fixture = try await SyncFixture(rows: [Self.list], capabilities: some)
        try await fixture.lists.pull()
        fixture.outbox.pause()
        _ = try await fixture.lists.write(.update("a", patch: Array(#"{"note":"mine"}"#.utf8)[...]))
        @Sendable func row(_ name: String) -> Row {
            Row(id: "a", json: Array(#"{"objectId":"a","name":"\#(name)","note":"note"}"#.utf8)[...])
        }
        let doubtful = try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.pull(row("changed"), asOf: nil, in: "lists")
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            #expect(taken.isOutdated)
            try transaction.pull(row("pulled"), asOf: nil, in: "lists")
            let decision = Decision.conflict(
                row(isAnother ? "found" : "pulled"),
                mine: nil,
                Conflict.Resolution.theirs,
                over: ServerVersion(nil, asOf: nil),
                serverBeganAnew: false
            )
            try transaction.settle(taken, decision) { _ in .zero }
            return transaction.outboxNews.doubtful
        }
        #expect(doubtful == (isAnother ? ["lists"] : []))
        // Nor does a restart in front of that read forget it.
        let isWhole = try await fixture.store.core.read { (connection) throws(RemoteDataError) in
            try connection.first("SELECT isWhole FROM pulls") { $0.integer(0) }
        }
        #expect(isWhole == (isAnother ? 0 : 1))
    }

    @Test("A write that finds no row is decided at once where no page came", arguments: [true, false])
    func noLaterPage(hasRevision: Bool) async throws {
        let fixture = try await read(hasRevision: hasRevision)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        let write = try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        #expect(try await SyncFixture.lists(fixture.lists) == [])
        #expect(fixture.remoteLists.count(of: .commit) == 1)
    }

    /// What the edit was made over is the row that the creation has made, which what was pulled has hidden.
    @Test(
        "The policy decides of an edit behind the creation of a row that others have changed or removed",
        arguments: [true, false]
    )
    func editOfARowThatIsCreated(isRemoved: Bool) async throws {
        let fixture = try await SyncFixture { $0.conflicts = .clientWins }
        fixture.remoteLists.hold(.commit, .beforeAnswering)
        try await fixture.lists.add(Self.list)
        await fixture.remoteLists.waitForHeld()
        let edit = try await fixture.lists.write(.update("a", patch: Array(#"{"note":"mine"}"#.utf8)[...]))
        let base = fixture.remoteLists.base
        let change = Mutation.update("a", patch: Array(#"{"name":"theirs"}"#.utf8)[...])
        _ = try await base.commit(isRemoved ? .delete("a") : change)
        try await fixture.lists.pull()
        fixture.remoteLists.letAllGo()
        try await edit.acknowledged
        let row = [List(id: "a", name: "list", note: "mine")]
        #expect(try await SyncFixture.lists(base) == row)
        #expect(try await SyncFixture.lists(fixture.lists) == row)
    }

    /// The first one is merged with the change of others; the second one was made without that.
    @Test("Of two edits in a row, the second one too is decided over what others have changed before both")
    func secondEditOverAChangeOfOthers() async throws {
        let fixture = try await SyncFixture(rows: [Self.list]) { $0.conflicts = .merge }
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit, .beforeAsking)
        let first = try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        await fixture.remoteLists.waitForHeld()
        let second = try await fixture.lists.write(.update("a", patch: Array(#"{"note":"mine"}"#.utf8)[...]))
        let base = fixture.remoteLists.base
        _ = try await base.commit(.update("a", patch: Array(#"{"note":"theirs"}"#.utf8)[...]))
        try await fixture.lists.pull()
        fixture.remoteLists.letAllGo()
        try await first.acknowledged
        let error = await failure { () async throws(RemoteDataError) in try await second.acknowledged }
        #expect(error?.code == .conflict)
        let row = [List(id: "a", name: "mine", note: "theirs")]
        #expect(try await SyncFixture.lists(base) == row)
        #expect(try await SyncFixture.lists(fixture.lists) == row)
    }
}
