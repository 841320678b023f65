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
