import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What was created here comes back with what the server adds to it, which is nobody's change.
///
/// The change that waited behind it was given up, as made over a row that somebody had changed.
@Suite(.timeLimit(.minutes(1))) struct OwnCreationTests {
    private static let theirs = Mutation.update("b", patch: Array(#"{"name":"theirs"}"#.utf8)[...])
    private static let more = Mutation.update("b", patch: Array(#"{"note":"theirs"}"#.utf8)[...])

    /// Two rows are created by one request, whose answer is lost; a change of one of them waits behind it.
    private func created(
        path: String = ":memory:",
        resumes: Bool = true,
        _ change: Mutation = .update("b", patch: Array(#"{"name":"rye"}"#.utf8)[...])
    ) async throws -> (SyncFixture, SyncedWrite) {
        let table = AccessTable(MemoryTable("lists"), user: try AccessUser("ann"), newRows: .private)
        var some = table.capabilities
        (some.resume, some.liveChanges) = (resumes, false)
        let fixture = try await SyncFixture(path: path, remote: table, capabilities: some)
        if resumes { try await fixture.lists.pull() }
        fixture.outbox.pause()
        try await fixture.lists.add(contentsOf: [List(id: "a", name: "milk"), List(id: "b", name: "bread")])
        fixture.remoteLists.loseAnswers(to: .commit)
        fixture.remoteLists.fail(.page)
        fixture.outbox.resume()
        await fixture.untilItWaits()
        fixture.outbox.pause()
        fixture.remoteLists.heal()
        return (fixture, try await fixture.lists.write(change))
    }

    /// Has events of the server come, by their places in its log.
    private func take(_ events: Range<Int>, _ fixture: SyncFixture) async throws {
        let changes = try await fixture.remoteLists.base.changes(since: .zero, limit: 10).changes[events]
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            for change in changes { try transaction.pull(change, in: "lists") }
        }
    }

    /// The server is asked again.
    private func resume(_ fixture: SyncFixture) {
        fixture.clock.advance(by: .seconds(60))
        fixture.outbox.resume()
    }

    private func expectArrived(_ change: SyncedWrite, _ fixture: SyncFixture) async throws {
        resume(fixture)
        try await change.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.name) == ["milk", "rye"])
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["milk", "rye"])
        #expect(try await fixture.outbox.rejected().isEmpty)
    }

    private func expectConflict(
        _ change: SyncedWrite,
        _ fixture: SyncFixture,
        _ name: String = "theirs"
    ) async throws {
        resume(fixture)
        let error = await failure { () async throws(RemoteDataError) in try await change.acknowledged }
        #expect(error?.code == .conflict)
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.name) == ["milk", name])
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["milk", name])
    }

    @Test func aChangeOfItArrives() async throws {
        let (fixture, change) = try await created()
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["milk", "rye"])
        try await expectArrived(change, fixture)
    }

    @Test func aRemovalOfItArrives() async throws {
        let (fixture, removal) = try await created(.delete("b"))
        try await fixture.lists.pull()
        resume(fixture)
        try await removal.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.id) == ["a"])
        #expect(try await SyncFixture.lists(fixture.lists).map(\.id) == ["a"])
    }

    /// It is made when the creation is done with, and nothing waits.
    @Test func aChangeOfItBetweenTheEventsArrives() async throws {
        let (fixture, _) = try await created(.update("a", patch: Array(#"{"note":"two"}"#.utf8)[...]))
        try await take(0..<1, fixture)
        let change = try await fixture.lists.update(List(id: "b", name: "rye"))
        try await take(1..<2, fixture)
        try await expectArrived(change, fixture)
    }

    @Test func aChangeOfItArrivesAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let (first, change) = try await created(path: folder.file("a.db"))
        try await take(0..<1, first)
        await first.store.close()
        let second = try await SyncFixture(path: folder.file("a.db"), isConnected: false, server: first)
        try await take(1..<2, second)
        await second.store.close()
        let third = try await SyncFixture(path: folder.file("a.db"), server: first)
        try await expectArrived(third.outbox.write(change.numbers[0]), third)
        await third.store.close()
    }

    /// A page brings the row, and its event never comes.
    @Test func aChangeOfItArrivesWithoutItsEvent() async throws {
        let (fixture, change) = try await created(resumes: false)
        try await take(0..<1, fixture)
        try await fixture.lists.pull()
        try await expectArrived(change, fixture)
    }

    /// A page brings the row before the event of the other one comes.
    @Test func aChangeOfItArrivesThoughAPageCameFirst() async throws {
        let (fixture, change) = try await created(resumes: false)
        try await fixture.lists.pull()
        try await take(0..<2, fixture)
        try await expectArrived(change, fixture)
    }

    /// A server that answers with ids alone is taken to have stored what was sent.
    @Test(arguments: [true, false]) func aChangeOfItArrivesAfterAnAnswerWithoutTheRow(resumes: Bool)
        async throws
    {
        let (fixture, change) = try await created(resumes: resumes)
        let entries = try await fixture.outbox.pending().prefix(2)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            for (index, entry) in entries.enumerated() {
                let row = Row(id: entry.row, revision: Revision(Int64(index + 1)), json: entry.json)
                try transaction.acknowledge(entry.id, row, asOf: Revision(2))
            }
        }
        try await fixture.lists.pull()
        try await expectArrived(change, fixture)
    }

    @Test(arguments: [true, false]) func whatOthersMakeOfItIsAConflict(resumes: Bool) async throws {
        let (fixture, change) = try await created(resumes: resumes)
        _ = try await fixture.remoteLists.base.commit(Self.theirs, idempotencyKey: "theirs")
        try await take(0..<1, fixture)
        try await fixture.lists.pull()
        try await expectConflict(change, fixture)
    }

    /// It has all that was sent, but whoever tells of a change says that there was one.
    @Test func whatOthersAddToItIsAConflict() async throws {
        let (fixture, change) = try await created()
        _ = try await fixture.remoteLists.base.commit(Self.more, idempotencyKey: "theirs")
        try await take(0..<1, fixture)
        try await take(2..<3, fixture)
        try await expectConflict(change, fixture, "bread")
    }

    /// It is known as the server had it, so that a page tells what was added since.
    @Test func whatOthersAddToItAfterAPageIsAConflict() async throws {
        let (fixture, change) = try await created(resumes: false)
        try await take(0..<1, fixture)
        try await fixture.lists.pull()
        _ = try await fixture.remoteLists.base.commit(Self.more, idempotencyKey: "theirs")
        try await fixture.lists.puller?.pullAll()
        try await expectConflict(change, fixture, "bread")
    }

    @Test func whatOthersMadeOfItBeforeAPageCameIsAConflict() async throws {
        let (fixture, change) = try await created(resumes: false)
        _ = try await fixture.remoteLists.base.commit(Self.theirs, idempotencyKey: "theirs")
        try await fixture.lists.pull()
        try await take(0..<3, fixture)
        try await expectConflict(change, fixture)
    }

    /// It was removed, and somebody has created another one by its id.
    @Test func whatOthersHaveCreatedInItsPlaceIsAConflict() async throws {
        let (fixture, change) = try await created()
        let base = fixture.remoteLists.base
        _ = try await base.commit(.delete("b"), idempotencyKey: "gone")
        let other = List(id: "b", name: "theirs")
        _ = try await base.commit(.create([SyncFixture.draft(other)]), idempotencyKey: "theirs")
        try await fixture.lists.pull()
        try await expectConflict(change, fixture)
    }

    /// No event reports the removal, as the table is read after it and the answer comes later.
    ///
    /// Without revisions the answer may be the newer of the two: the table is read again.
    @Test("A creation answered after a read that lacks its row may be older", arguments: [true, false])
    func rowThatIsGoneBeforeTheAnswer(hasRevisions: Bool) async throws {
        var some = Capabilities.full
        (some.liveChanges, some.resume) = (false, false)
        if !hasRevisions { (some.revisions, some.conditionalWrites) = (false, false) }
        let fixture = try await SyncFixture(capabilities: some)
        if !hasRevisions {
            fixture.remoteLists.alterPages { page, _ in
                Page(rows: page.rows.map { $0.at(nil) }, revision: nil)
            }
        }
        fixture.remoteLists.hold(.commit)
        let creation = try await fixture.lists.add(List(id: "a", name: "milk"))
        await fixture.remoteLists.waitForHeld()
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.lists.pull()
        fixture.remoteLists.letAllGo()
        try await creation.acknowledged
        let isShown = try await fixture.lists.row("a") != nil
        let isWhole = try await fixture.store.core.read { (connection) throws(RemoteDataError) in
            try connection.first("SELECT isWhole FROM pulls") { $0.integer(0) != 0 }
        }
        #expect(isShown == !hasRevisions && isWhole == hasRevisions)
    }
}
