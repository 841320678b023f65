import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataSQLite

/// Writes of a plain store that are sent later.
@Suite(.timeLimit(.minutes(1))) struct EventuallyTests {
    private let milk = List(id: "a", name: "milk")

    @Test func whatIsSavedIsHereAtOnceAndSentOnceThereIsAServer() async throws {
        let store = try await LocalStore(path: ":memory:")
        let write = try await store.saveEventually(milk, in: "lists")
        #expect(try await store.table("lists").row("a")?["name"] == .text("milk"))
        #expect(try await store.outbox.pendingCount == 1)
        let server = MemoryTable("lists")
        store.outbox.connect { $0 == "lists" ? server : nil }
        try await write.acknowledged
        #expect(try await SyncFixture.lists(server) == [milk])
        await store.close()
    }

    @Test("What was taken for a store that is closed by now counts as never sent")
    func takenForAClosedStore() async throws {
        let store = try await LocalStore(path: ":memory:")
        try await store.saveEventually(milk, in: "lists")
        let server = FaultyTable(MemoryTable("lists"))
        let core = store.outboxCore
        store.outbox.connect { _ in
            // The table is asked for while its writes are taken.
            core.state.withLock { $0.isClosed = true }
            return server
        }
        while core.state.withLock({ !$0.isClosed || $0.isTaking }) { await Task.yield() }
        let item = try #require(try await store.outbox.pending().first)
        #expect(item.attempts == 0 && item.state.description == "queued")
        #expect(server.requests.isEmpty)
        await store.close()
    }

    @Test func onlyTheColumnsThatDifferAreSent() async throws {
        let store = try await LocalStore(path: ":memory:")
        let server = FaultyTable(MemoryTable("lists"))
        store.outbox.connect { _ in server }
        try await store.saveEventually(milk, in: "lists").acknowledged
        store.outbox.pause()
        try await store.saveEventually(List(id: "a", name: "oat milk"), from: milk, in: "lists")
        let item = try #require(try await store.outbox.pending().first)
        #expect(item.kind == .update)
        #expect(String(decoding: item.json, as: UTF8.self) == #"{"name":"oat milk"}"#)
        await store.close()
    }

    @Test("Without the element that was read, what others have changed since is not undone")
    func savedWithoutAnOriginal() async throws {
        let fixture = try await SyncFixture(rows: [List(id: "a", name: "milk", note: "old")])
        try await fixture.lists.pull()
        let mine = List(id: "a", name: "oat milk", note: "old")
        let patch = Array(#"{"note":"new"}"#.utf8)[...]
        _ = try await fixture.remoteLists.base.commit(.update("a", patch: patch))
        try await fixture.lists.pull()
        let newest = try await #require(fixture.lists.row("a"))
        let error = await failure { () async throws(RemoteDataError) in
            try await fixture.store.saveEventually(mine, in: "lists")
        }
        #expect(error?.code == .conflict)
        #expect(error?.conflict?.theirs?.json == newest.json)
        #expect(error?.conflict?.mine?["name"] == .text("oat milk"))
        #expect(try await fixture.outbox.pendingCount == 0)
        let original = List(id: "a", name: "milk", note: "old")
        try await fixture.store.saveEventually(mine, from: original, in: "lists").acknowledged
        let expected = List(id: "a", name: "oat milk", note: "new")
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [expected])
        // What changes nothing needs no original.
        try await fixture.store.saveEventually(expected, in: "lists").acknowledged
        await fixture.store.close()
    }

    @Test func whatIsDeletedGoesHereAndThereAlsoWhenItWasNeverHere() async throws {
        let store = try await LocalStore(path: ":memory:")
        let server = MemoryTable("lists")
        _ = try await server.commit(.create([try SyncFixture.draft(milk)]))
        store.outbox.connect { _ in server }
        let bread = List(id: "b", name: "bread")
        try await store.saveEventually(bread, in: "lists").acknowledged
        try await store.deleteEventually(bread, in: "lists").acknowledged
        try await store.deleteEventually(milk, in: "lists").acknowledged
        #expect(try await server.count(nil).value == 0)
        // What nobody has is gone, as was asked for.
        try await store.deleteEventually(milk, in: "lists").acknowledged
        #expect(try await store.outbox.pendingCount == 0)
        await store.close()
    }

    @Test func aRemovalThatWaitsIsNotQueuedTwice() async throws {
        let store = try await LocalStore(path: ":memory:")
        let first = try await store.deleteEventually(milk, in: "lists")
        let second = try await store.deleteEventually(milk, in: "lists")
        #expect(first.numbers == second.numbers)
        // Made anew before that, it takes the place of the server's.
        let third = try await store.saveEventually(milk, in: "lists")
        let kinds = try await store.outbox.pending().map(\.kind)
        #expect(kinds == [.upsert])
        #expect(third.numbers == first.numbers)
        await store.close()
    }

    @Test func theRightsOfWhoWritesCount() async throws {
        let store = try await LocalStore(
            path: ":memory:",
            access: AccessControl(AccessUser("ada"), newRows: .private)
        )
        try await store.saveEventually(milk, in: "lists")
        let item = try #require(try await store.outbox.pending().first)
        #expect(String(decoding: item.json, as: UTF8.self).contains("ACL"))
        let bob =
            #"{"objectId":"b","name":"his","ACL":{"bob":{"read":true,"write":true},"ada":{"read":true}}}"#
        _ = try await store.ignoringACLs().table("lists")
            .commit(.create([try Draft(Array(bob.utf8)[...], idColumn: "objectId")]))
        await #expect(throws: RemoteDataError.self) {
            try await store.saveEventually(
                List(id: "b", name: "hers"),
                from: List(id: "b", name: "his"),
                in: "lists"
            )
        }
        await #expect(throws: RemoteDataError.self) {
            try await store.deleteEventually(List(id: "b", name: ""), in: "lists")
        }
        try await store.writeEventually(.deleteAll(nil), in: "lists")
        #expect(try await store.ignoringACLs().table("lists").count(nil).value == 1)
        await store.close()
    }

    @Test func aClauseMayAskAnotherTable() async throws {
        let fixture = try await SyncFixture()
        try await fixture.lists.add(contentsOf: [milk, List(id: "b", name: "bread")])
        try await fixture.items.add(contentsOf: [
            Item(id: "1", list: "a", name: "x"), Item(id: "2", list: "b", name: "y"),
        ])
        .acknowledged
        let clause = try Where("list IN (SELECT objectId FROM lists WHERE name = 'milk')")
        try await fixture.items.write(.deleteAll(clause)).acknowledged
        let left: [Item] = try await SyncFixture.rows(fixture.remoteItems.base)
        #expect(left.map(\.id) == ["2"])
    }

    // MARK: In words

    @Test func theOutboxExplainsItself() async throws {
        let fixture = try await SyncFixture()
        #expect(try await fixture.outbox.explain() == "Nothing waits to be sent.")
        fixture.outbox.pause()
        try await fixture.lists.add(milk)
        try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        #expect(
            try await fixture.outbox.explain() == """
                2 writes wait.
                Nothing is sent: it is paused.
                #1 create of lists/a: waits for its turn.
                #2 create of items/1: waits for #1 create of lists/a.
                """
        )
        #expect(try await fixture.outbox.explain(limit: 1).hasSuffix("… and 1 more."))
        fixture.outbox.networkIs(available: false)
        fixture.outbox.resume()
        #expect(try await fixture.outbox.explain().contains("Nothing is sent: there is no network."))
        let refusal = RemoteDataError(.forbidden, "Not yours.", status: 403)
        fixture.remoteLists.fail(.commit, with: refusal, times: 1)
        let write = fixture.outbox.write(1)
        fixture.outbox.networkIs(available: true)
        await #expect(throws: RemoteDataError.self) { try await write.acknowledged }
        #expect(
            try await fixture.outbox.explain() == """
                1 write waits, 1 was refused.
                #1 create of lists/a: was refused (forbidden, status 403): Not yours. Retry, edit or discard it.
                #2 create of items/1: waits for #1 create of lists/a.
                """
        )
    }

    @Test func itSaysThatTheServerDoesNotAnswer() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit)
        try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        let words = try await fixture.outbox.explain()
        #expect(words.contains("The server has not answered for"))
        #expect(words.contains("asked 6 times"))
        #expect(words.contains("#1 create of lists/a: is tried again in 30 s, sent 6 times before."))
    }

    // MARK: Several processes

    @Test func ofTwoWhoHaveAFileOpenOneSends() async throws {
        let folder = try TemporaryFolder()
        let first = try await SyncFixture(path: folder.file("a.db"))
        try await first.lists.add(milk).acknowledged
        let second = try await SyncFixture(path: folder.file("a.db"), server: first)
        let write = try await second.lists.add(List(id: "b", name: "bread"))
        await second.untilItWaits()
        #expect(second.remoteLists.count(of: .commit) == 0)
        #expect(try await second.outbox.explain().contains("another process"))
        // The one that sends finds out at its own next write, or when the other one ends.
        try await first.lists.add(List(id: "c", name: "cheese")).acknowledged
        async let end: Void = write.acknowledged
        await first.store.close()
        second.clock.advance(by: .seconds(1))
        try await end
        #expect(try await first.remoteLists.base.count(nil).value == 3)
        await second.store.close()
    }

    // MARK: Damage

    @Test func whatWasNotSentIsRescuedFromADamagedFile() async throws {
        let folder = try TemporaryFolder()
        let first = try await SyncFixture(path: folder.file("a.db"))
        try await first.lists.add(contentsOf: [milk, List(id: "b", name: "bread")]).acknowledged
        first.outbox.pause()
        let write = try await first.lists.update(List(id: "a", name: "oat milk"))
        try await first.lists.remove(List(id: "b", name: "bread"))
        try await first.lists.add(List(id: "c", name: "cheese"))
        try await first.items.add(Item(id: "1", list: "c", name: "soft"))
        await first.store.close()
        let report = try await LocalStore.rebuild(path: folder.file("a.db"))
        #expect(report.writes == 4)
        let second = try await SyncFixture(path: folder.file("a.db"), isConnected: false, server: first)
        let names = try await SyncFixture.lists(second.lists).map(\.name)
        #expect(names == ["oat milk", "cheese"])
        let third = second.outbox.write(write.numbers[0])
        second.store.outbox.connect { $0 == "lists" ? second.remoteLists : second.remoteItems }
        try await third.acknowledged
        try await second.drained()
        let there = try await SyncFixture.lists(second.remoteLists.base)
        #expect(there.map(\.name) == ["oat milk", "cheese"])
        #expect(try await second.remoteItems.base.count(nil).value == 1)
        await second.store.close()
    }
}
