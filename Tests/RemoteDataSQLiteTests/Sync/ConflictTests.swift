import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataSQLite

@Suite(.timeLimit(.minutes(1))) struct ConflictTests {
    private static let list = List(id: "a", name: "list", note: "note")

    /// A row is changed on the server and here, where that is known before it is sent or only by the answer.
    private func conflict(
        _ policy: ConflictPolicy,
        isPulled: Bool,
        there: Mutation = .update("a", patch: Array(#"{"name":"theirs"}"#.utf8)[...]),
        here: Mutation = .update("a", patch: Array(#"{"note":"mine"}"#.utf8)[...])
    ) async throws -> (SyncFixture, SyncedWrite) {
        let fixture = try await SyncFixture(rows: [Self.list]) { $0.conflicts = policy }
        try await fixture.lists.pull()
        fixture.outbox.pause()
        let write = try await fixture.lists.write(here)
        _ = try await fixture.remoteLists.base.commit(there)
        if isPulled { try await fixture.lists.pull() }
        fixture.outbox.resume()
        return (fixture, write)
    }

    private func expect(_ rows: [List], _ fixture: SyncFixture) async throws {
        let (here, there) = (
            try await SyncFixture.lists(fixture.lists), try await SyncFixture.lists(fixture.remoteLists.base)
        )
        #expect(here == rows)
        #expect(there == rows)
        #expect(try await fixture.outbox.pendingCount == 0)
    }

    @Test(arguments: [true, false]) func theServerWins(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.serverWins, isPulled: isPulled)
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([List(id: "a", name: "theirs", note: "note")], fixture)
        #expect(try await fixture.outbox.rejected().map(\.row) == ["a"])
    }

    @Test(arguments: [true, false]) func theClientWins(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.clientWins, isPulled: isPulled)
        try await write.acknowledged
        try await expect([List(id: "a", name: "list", note: "mine")], fixture)
    }

    @Test(arguments: [true, false]) func columnsAreMerged(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.merge, isPulled: isPulled)
        try await write.acknowledged
        try await expect([List(id: "a", name: "theirs", note: "mine")], fixture)
    }

    @Test(arguments: [true, false]) func ofAColumnChangedOnBothSidesTheServersStays(isPulled: Bool)
        async throws
    {
        let both = Array(#"{"name":"mine","note":"mine"}"#.utf8)[...]
        let (fixture, write) = try await conflict(.merge, isPulled: isPulled, here: .update("a", patch: both))
        try await write.acknowledged
        try await expect([List(id: "a", name: "theirs", note: "mine")], fixture)
    }

    @Test(arguments: [true, false]) func aClosureDecides(isPulled: Bool) async throws {
        let seen = Mutex<[String]>([])
        let policy = ConflictPolicy.custom { conflict in
            seen.withLock {
                $0.append([conflict.base, conflict.mine, conflict.theirs].map { $0?.text ?? "-" }.joined())
            }
            return .row(Array(#"{"objectId":"a","name":"both"}"#.utf8)[...])
        }
        let (fixture, write) = try await conflict(policy, isPulled: isPulled)
        try await write.acknowledged
        try await expect([List(id: "a", name: "both", note: nil)], fixture)
        let versions = seen.withLock { $0 }
        #expect(versions.count == 1)
        #expect(
            versions.first == """
                {"objectId":"a","name":"list","note":"note"}{"objectId":"a","name":"list","note":"mine"}\
                {"objectId":"a","name":"theirs","note":"note"}
                """
        )
    }

    /// Rows that others had deleted came back by an edit.
    @Test(arguments: [true, false]) func anEditDoesNotResurrectWhatTheServerHasRemoved(isPulled: Bool)
        async throws
    {
        let (fixture, write) = try await conflict(.merge, isPulled: isPulled, there: .delete("a"))
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([], fixture)
    }

    @Test(arguments: [true, false]) func theClientsEditCanBringARowBack(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.clientWins, isPulled: isPulled, there: .delete("a"))
        try await write.acknowledged
        try await expect([List(id: "a", name: "list", note: "mine")], fixture)
    }

    @Test(arguments: [true, false]) func whatOthersHaveChangedIsNotRemoved(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.serverWins, isPulled: isPulled, here: .delete("a"))
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([List(id: "a", name: "theirs", note: "note")], fixture)
    }

    @Test(arguments: [true, false]) func aRemovalCanWin(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(.clientWins, isPulled: isPulled, here: .delete("a"))
        try await write.acknowledged
        try await expect([], fixture)
    }

    @Test(arguments: [true, false]) func whatBothHaveRemovedIsDone(isPulled: Bool) async throws {
        let (fixture, write) = try await conflict(
            .serverWins,
            isPulled: isPulled,
            there: .delete("a"),
            here: .delete("a")
        )
        try await write.acknowledged
        try await expect([], fixture)
    }

    /// The removal is what was wanted, and the edit before it has nothing left to change.
    @Test("An edit whose answer comes after its row is known to be gone is done", arguments: [true, false])
    func editInFrontOfARemoval(hasRevisions: Bool) async throws {
        var some = Capabilities()
        (some.keysetPages, some.exactCounts) = (true, true)
        let fixture = try await SyncFixture(rows: [Self.list], capabilities: hasRevisions ? nil : some)
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit, hasRevisions ? .beforeAsking : .beforeAnswering)
        let edit = try await fixture.lists.update(List(id: "a", name: "mine", note: "note"))
        await fixture.remoteLists.waitForHeld()
        let removal = try await fixture.lists.write(.delete("a"))
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.lists.pull()
        try await removal.acknowledged
        fixture.remoteLists.letAllGo()
        try await edit.acknowledged
        #expect(try await fixture.outbox.rejected().isEmpty)
        try await expect([], fixture)
    }

    /// Of two edits within a second of the clock, the second one was taken for sent already.
    @Test func twoEditsInTheSameInstantAreBothSent() async throws {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit)
        let first = try await fixture.lists.update(List(id: "a", name: "one", note: "note"))
        await fixture.remoteLists.waitForHeld()
        let second = try await fixture.lists.update(List(id: "a", name: "two", note: "note"))
        #expect(first.numbers != second.numbers)
        fixture.remoteLists.letAllGo()
        try await second.acknowledged
        try await expect([List(id: "a", name: "two", note: "note")], fixture)
    }

    /// The event of an own write is no change of somebody else's.
    @Test func anOwnWritesEventIsNoConflict() async throws {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit)
        let first = try await fixture.lists.update(List(id: "a", name: "one", note: "note"))
        await fixture.remoteLists.waitForHeld()
        let second = try await fixture.lists.update(List(id: "a", name: "two", note: "note"))
        try await fixture.lists.pull()
        try await first.acknowledged
        fixture.remoteLists.letAllGo()
        try await second.acknowledged
        try await expect([List(id: "a", name: "two", note: "note")], fixture)
        #expect(try await fixture.outbox.rejected().isEmpty)
    }

    @Test(
        "The policy decides of a change that was sent before, over a row without a revision of its own",
        arguments: [true, false],
        [QueuedChange.Kind.update, .upsert, .delete]
    )
    func changeThatWasSentBefore(hasKeys: Bool, kind: QueuedChange.Kind) async throws {
        var some = Capabilities.full
        (some.idempotency, some.liveChanges) = (hasKeys, false)
        let fixture = try await SyncFixture(rows: [Self.list], capabilities: some)
        fixture.remoteLists.alterPages { page, _ in
            Page(rows: page.rows.map { $0.at(nil) }, revision: page.revision)
        }
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit)
        let change: Mutation =
            switch kind {
            case .delete: .delete("a")
            case .update: .update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...])
            case .create, .upsert: .upsert([try SyncFixture.draft(List(id: "a", name: "mine"))])
            }
        let write = try await fixture.lists.write(change)
        await fixture.untilItWaits()
        fixture.outbox.pause()
        fixture.remoteLists.heal()
        let patch = Array(#"{"name":"theirs"}"#.utf8)[...]
        _ = try await fixture.remoteLists.base.commit(.update("a", patch: patch))
        try await fixture.lists.pull()
        fixture.clock.advance(by: .seconds(60))
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([List(id: "a", name: "theirs", note: "note")], fixture)
    }

    /// A table whose pages carry no revisions of rows, with a row that is read.
    private func read(_ policy: ConflictPolicy = .serverWins) async throws -> SyncFixture {
        let fixture = try await SyncFixture(rows: [Self.list]) { $0.conflicts = policy }
        fixture.remoteLists.alterPages { page, _ in
            Page(rows: page.rows.map { $0.at(nil) }, revision: page.revision)
        }
        try await fixture.lists.pull()
        return fixture
    }

    @Test("The policy decides of a write over a row without a revision", arguments: [true, false])
    func rowWithoutRevision(isRemoval: Bool) async throws {
        let fixture = try await read()
        let patch = Array(#"{"name":"theirs"}"#.utf8)[...]
        _ = try await fixture.remoteLists.base.commit(.update("a", patch: patch))
        let mine = Array(#"{"note":"mine"}"#.utf8)[...]
        let write = try await fixture.lists.write(isRemoval ? .delete("a") : .update("a", patch: mine))
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([List(id: "a", name: "theirs", note: "note")], fixture)
    }

    @Test("A row without a revision is looked at once, and written to on condition of what it is")
    func lookAtARowWithoutRevision() async throws {
        let fixture = try await read()
        for note in ["one", "two"] {
            let edit = List(id: "a", name: "list", note: note)
            try await fixture.lists.update(edit).acknowledged
            try await expect([edit], fixture)
        }
        #expect(fixture.remoteLists.requests.map(\.call) == [.page, .row, .commit, .commit])
        let conditions = fixture.remoteLists.requests.compactMap { request -> Revision? in
            if case .update(_, _, let revision)? = request.mutation { revision } else { nil }
        }
        #expect(conditions == [Revision(1), Revision(2)])
    }

    @Test("A conflict is decided by the latest row that is known")
    func rowThatChangesWhileItIsLookedAt() async throws {
        let policy = ConflictPolicy.custom { conflict in
            guard case .text(let name)? = conflict.theirs?["name"] else { return .theirs }
            let json = "{\"objectId\":\"a\",\"name\":\"\(name) and mine\",\"note\":\"theirs\"}"
            return .row(Array(json.utf8)[...])
        }
        let fixture = try await SyncFixture(rows: [Self.list]) { $0.conflicts = policy }
        try await fixture.lists.pull()
        let base = fixture.remoteLists.base
        _ = try await base.commit(.update("a", patch: Array(#"{"note":"theirs"}"#.utf8)[...]))
        fixture.remoteLists.hold(.row)
        let write = try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        await fixture.remoteLists.waitForHeld()
        _ = try await base.commit(.update("a", patch: Array(#"{"name":"later"}"#.utf8)[...]))
        try await fixture.lists.pull()
        fixture.remoteLists.letAllGo()
        try await write.acknowledged
        try await expect([List(id: "a", name: "later and mine", note: "theirs")], fixture)
    }

    @Test("A write that becomes outdated after it was taken is known to be")
    func outdatedAfterItWasTaken() async throws {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        fixture.outbox.pause()
        try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        let later = Array(#"{"objectId":"a","name":"later","note":"note"}"#.utf8)[...]
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            let row = Row(id: "a", revision: Revision(3), json: later)
            try transaction.pull(row, asOf: Revision(3), in: "lists")
            let entry = try taken.refreshed(transaction.connection)
            #expect(!taken.isOutdated && entry.isOutdated)
            #expect(entry.before?.revision == Revision(1) && entry.attempts == 0)
        }
    }

    @Test("A row that came back after it was found missing stays")
    func rowThatCameBack() async throws {
        let fixture = try await SyncFixture(rows: [Self.list])
        try await fixture.lists.pull()
        fixture.outbox.pause()
        let write = try await fixture.lists.write(.update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...]))
        let later = Array(#"{"objectId":"a","name":"later","note":"note"}"#.utf8)[...]
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            let row = Row(id: "a", revision: Revision(3), json: later)
            try transaction.pull(row, asOf: Revision(3), in: "lists")
            let known = ServerVersion(Revision(1), asOf: Revision(1))
            let decision = Decision.conflict(nil, mine: nil, .theirs, over: known, serverBeganAnew: false)
            try transaction.settle(taken, decision) { _ in .zero }
        }
        #expect(try await write.state.description == "queued")
        #expect(try await fixture.lists.row("a")?["name"] == "mine")
        #expect(try await fixture.outbox.pending().map(\.attempts) == [0])
    }

    @Test func whatTwoHaveCreatedUnderOneIDIsAConflict() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let write = try await fixture.lists.add(List(id: "a", name: "mine"))
        _ = try await fixture.remoteLists.base.commit(.create([SyncFixture.draft(Self.list)]))
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await expect([Self.list], fixture)
    }
}
