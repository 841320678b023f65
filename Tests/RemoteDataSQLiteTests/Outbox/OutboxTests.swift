import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

@Suite(.timeLimit(.minutes(1))) struct OutboxTests {
    private let milk = List(id: "a", name: "milk")
    private let bread = List(id: "b", name: "bread")

    @Test func aWriteIsHereAtOnceAndThereSoon() async throws {
        let fixture = try await SyncFixture()
        let write = try await fixture.lists.add(milk)
        #expect(try await SyncFixture.lists(fixture.lists) == [milk])
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
        #expect(try await fixture.outbox.pendingCount == 0)
    }

    @Test func aWriteWaitsAsLongAsTheServerCannotBeReached() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit)
        let write = try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        #expect(try await write.state.description == "queued")
        #expect(try await fixture.outbox.pendingCount == 1)
        // Once, and five times again soon.
        #expect(fixture.remoteLists.count(of: .commit) == 6)
        fixture.remoteLists.heal()
        fixture.clock.advance(by: .seconds(30))
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
    }

    /// Nobody can tell any more what becomes of it, and whoever waits would wait for ever.
    @Test func whoWaitsForAWriteIsToldThatTheStoreIsClosed() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let write = try await fixture.lists.add(milk)
        var states = write.states.makeAsyncIterator()
        #expect(await states.next()?.description == "queued")
        let wait = Task { try await write.acknowledged }
        await fixture.store.close()
        let error = await #expect(throws: RemoteDataError.self) { try await wait.value }
        #expect(error?.code == .storage)
        #expect(await states.next() == nil)
        let late = await #expect(throws: RemoteDataError.self) { try await write.acknowledged }
        #expect(late?.code == .storage)
    }

    /// What the outbox had noted was gone with the transaction, and the write was under way for ever.
    @Test func whatWasUnderWayIsSentAgainAlsoWhereThatCouldNotBeNotedAtFirst() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let write = try await fixture.lists.add(milk)
        let writer = fixture.store.core.writer
        try await writer.change { (transaction) throws(RemoteDataError) in
            try transaction.connection.execute("UPDATE outbox SET state = 1")
            try transaction.connection.execute(
                """
                CREATE TEMP TRIGGER fails BEFORE UPDATE ON main.outbox
                BEGIN SELECT raise(ABORT, 'the disk is gone'); END
                """
            )
        }
        let remote = fixture.remoteLists
        fixture.outbox.connect { _ in remote }
        while !fixture.clock.sleepers.contains(.seconds(5)) { await Task.yield() }
        try await writer.change { (transaction) throws(RemoteDataError) in
            try transaction.connection.execute("DROP TRIGGER fails")
        }
        fixture.clock.advance(by: .seconds(5))
        try await write.acknowledged
        #expect(try await SyncFixture.lists(remote.base) == [milk])
    }

    @Test func aWriteWhoseAnswerIsLostIsLookedForBeforeItIsSentAgain() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        try await fixture.lists.add(milk).acknowledged
        #expect(fixture.remoteLists.requests.map(\.call) == [.commit, .row])
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
    }

    /// Some of them by the key of all were answered with all of them, and were never done with.
    @Test func rowsThatWereSentTogetherAreSentTogetherAgain() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        var options = OutboxOptions()
        (options.bulkSize, options.parallelRequests) = (500, 4)
        let remote = fixture.remoteLists
        fixture.outbox.connect(options) { _ in remote }
        let lists = (0..<2_500).map { List(id: "\($0)", name: "milk") }
        let write = try await fixture.lists.add(contentsOf: lists)
        remote.fail(.commit)
        fixture.outbox.resume()
        await fixture.untilItWaits()
        remote.heal()
        fixture.clock.advance(by: .seconds(60))
        try await write.acknowledged
        #expect(try await remote.base.count(nil).value == 2_500)
        // Only the first requests were made twice.
        let rows = remote.requests.count { $0.call == .commit }
        #expect(rows < 30)
    }

    /// It was not found with the others, and was added once more by a key of its own.
    @Test func aRowThatWasRemovedBeforeItsAnswerCameIsNotAddedAgain() async throws {
        let fixture = try await SyncFixture()
        let write = try await addedWithoutAnswer([milk, bread], to: fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        fixture.clock.advance(by: .seconds(60))
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [bread])
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == [bread])
    }

    /// What somebody made of it was taken for a row that had been there before.
    @Test func aRowThatWasChangedBeforeItsAnswerCameIsNotRefused() async throws {
        let fixture = try await SyncFixture()
        let write = try await addedWithoutAnswer([milk, bread], to: fixture)
        _ = try await fixture.remoteLists.base.commit(
            .update("a", patch: Array(#"{"name":"oat milk"}"#.utf8)[...])
        )
        fixture.clock.advance(by: .seconds(60))
        try await write.acknowledged
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["oat milk", "bread"])
    }

    /// What was left was sent once more by keys of its own, though it had been removed since.
    @Test func whatArrivesWithOthersIsDoneWith() async throws {
        let fixture = try await SyncFixture()
        let write = try await addedWithoutAnswer([milk, bread, List(id: "c", name: "cheese")], to: fixture)
        let base = fixture.remoteLists.base
        let event = try #require(try await base.changes(since: .zero, limit: 1).changes.first)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.pull(event, in: "lists")
        }
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.lists).map(\.id) == ["a", "b", "c"])
        _ = try await base.commit(.deleteAll(nil))
        fixture.clock.advance(by: .seconds(60))
        for _ in 0..<3 { try await fixture.lists.pull() }
        #expect(try await SyncFixture.lists(fixture.lists) == [])
        #expect(try await base.count(nil).value == 0)
    }

    @Test("A request that events have settled is given up when a later write of its row is sent")
    func requestThatEventsSettle() async throws {
        let fixture = try await SyncFixture()
        try await fixture.lists.pull()
        let remote = fixture.remoteLists
        remote.hold(.commit, times: 1)
        let creation = try await fixture.lists.add(List(id: "a", name: "list"))
        await remote.waitForHeld()
        try await fixture.lists.pull()
        try await creation.acknowledged
        #expect(remote.heldCount == 1)
        try await fixture.lists.write(.delete("a")).acknowledged
        // It waits for all requests, as long as its clock stands.
        await fixture.store.close()
        #expect(remote.heldCount == 0)
    }

    /// It was shown as it had been created, and as nobody had changed it since then, for good.
    @Test func aRowThatIsKnownToBeRemovedIsNotShownWhenTheAnswerToItsCreationComes() async throws {
        var some = Capabilities.full
        (some.liveChanges, some.resume) = (false, false)
        let fixture = try await SyncFixture(capabilities: some)
        try await fixture.lists.pull()
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        fixture.remoteLists.hold(.row, .beforeAsking)
        let write = try await fixture.lists.add(milk)
        await fixture.remoteLists.waitForHeld()
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        for _ in 0..<3 { try await fixture.lists.pull() }
        fixture.remoteLists.letAllGo()
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [])
        #expect(try await SyncFixture.lists(fixture.lists) == [])
    }

    /// Adds rows by one request, which arrives, and whose answer does not.
    private func addedWithoutAnswer(_ lists: [List], to fixture: SyncFixture) async throws -> SyncedWrite {
        fixture.outbox.pause()
        let write = try await fixture.lists.add(contentsOf: lists)
        fixture.remoteLists.loseAnswers(to: .commit)
        fixture.remoteLists.fail(.page)
        fixture.outbox.resume()
        await fixture.untilItWaits()
        fixture.remoteLists.heal()
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == lists)
        return write
    }

    @Test func whatIsAddedChangedAndRemovedAgainIsNeverSent() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let first = try await fixture.lists.add(milk)
        let second = try await fixture.lists.update(List(id: "a", name: "oat milk"))
        #expect(first.numbers == second.numbers)
        try await fixture.lists.remove(milk)
        try await first.acknowledged
        fixture.outbox.resume()
        try await fixture.lists.add(List(id: "b", name: "bread")).acknowledged
        #expect(fixture.remoteLists.count(of: .commit) == 1)
    }

    @Test func changesOfOneRowGoTogether() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        try await fixture.lists.add(milk)
        try await fixture.lists.update(List(id: "a", name: "oat milk"))
        let last = try await fixture.lists.update(List(id: "a", name: "oat milk", note: "two"))
        fixture.outbox.resume()
        try await last.acknowledged
        #expect(fixture.remoteLists.count(of: .commit) == 1)
        #expect(
            try await SyncFixture.lists(fixture.remoteLists.base) == [
                List(id: "a", name: "oat milk", note: "two")
            ]
        )
    }

    /// Items went before their list, were refused, and were lost.
    @Test func itemsComeAfterTheirList() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.hold(.commit, .beforeAsking)
        try await fixture.lists.add(milk)
        let item = try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        let other = try await fixture.items.add(Item(id: "2", list: "elsewhere", name: "other"))
        await fixture.remoteLists.waitForHeld()
        try await other.acknowledged
        #expect(try await item.state.description == "queued")
        fixture.remoteLists.letAllGo()
        try await item.acknowledged
        #expect(try await fixture.remoteItems.base.count(nil).value == 2)
    }

    @Test func oneRefusedWriteBlocksNoOther() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.forbidden, "No."), times: 1)
        fixture.outbox.pause()
        let refused = try await fixture.lists.add(milk)
        let child = try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await refused.acknowledged }
        #expect(error?.code == .forbidden)
        try await fixture.lists.add(List(id: "b", name: "bread")).acknowledged
        #expect(try await refused.state.description == "dead (forbidden: No.)")
        #expect(try await child.state.description == "queued")
        #expect(try await fixture.outbox.deadLetters().map(\.row) == ["a"])
        // What the server does not have is no longer shown, nor what belongs to it.
        #expect(try await fixture.lists.row("a") == nil)
        #expect(try await fixture.items.row("1") == nil)
        try await fixture.outbox.retry(refused.numbers[0])
        #expect(try await fixture.items.row("1") != nil)
        try await child.acknowledged
        try await refused.acknowledged
        #expect(try await fixture.remoteLists.base.count(nil).value == 2)
        #expect(try await fixture.remoteItems.base.count(nil).value == 1)
    }

    @Test func aRefusedWriteCanBeDiscarded() async throws {
        let fixture = try await SyncFixture(rows: [milk])
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "No."))
        let write = try await fixture.lists.update(List(id: "a", name: "beer"))
        _ = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(try await SyncFixture.lists(fixture.lists) == [milk])
        try await fixture.outbox.discard(write.numbers[0])
        #expect(try await write.state.description == "rejected (rejected: No.)")
        #expect(try await fixture.outbox.deadLetters().isEmpty)
        #expect(try await fixture.outbox.rejected().map(\.row) == ["a"])
    }

    @Test func aRefusedWriteCanBeChanged() async throws {
        let fixture = try await SyncFixture(rows: [milk]) { $0.showsRefused = true }
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "No."), times: 1)
        let write = try await fixture.lists.update(List(id: "a", name: "beer"))
        _ = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["beer"])
        try await fixture.outbox.edit(write.numbers[0], json: Array(#"{"name":"juice"}"#.utf8)[...])
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["juice"])
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.name) == ["juice"])
    }

    @Test func whatWaitedIsSentAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let fixture = try await SyncFixture(path: folder.file("a.db"))
        fixture.remoteLists.fail(.commit)
        let write = try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        await fixture.store.close()
        let again = try await SyncFixture(path: folder.file("a.db"), server: fixture)
        let same = again.outbox.write(write.numbers[0])
        try await same.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
        #expect(try await SyncFixture.lists(again.lists) == [milk])
        await again.store.close()
    }

    @Test func manyRowsGoInOneRequest() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let write = try await fixture.lists.add(contentsOf: (0..<100).map { List(id: "\($0)", name: "x") })
        fixture.outbox.resume()
        try await write.acknowledged
        #expect(fixture.remoteLists.count(of: .commit) == 1)
        #expect(try await fixture.remoteLists.base.count(nil).value == 100)
    }

    @Test func aRowThatSpoilsARequestOfManyIsFound() async throws {
        let fixture = try await SyncFixture(rows: [List(id: "7", name: "theirs")])
        fixture.outbox.pause()
        let write = try await fixture.lists.add(contentsOf: (0..<20).map { List(id: "\($0)", name: "x") })
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        try await fixture.drained()
        #expect(try await fixture.remoteLists.base.count(nil).value == 20)
        #expect(try await fixture.lists.row("7")?["name"] == "theirs")
        #expect(try await fixture.outbox.rejected().map(\.row) == ["7"])
    }

    @Test func statesAreToldAsTheyCome() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let write = try await fixture.lists.add(milk)
        var states = write.states.makeAsyncIterator()
        #expect(await states.next()?.description == "queued")
        fixture.outbox.resume()
        #expect(await states.next()?.description == "sending")
        #expect(await states.next()?.description == "acknowledged")
        #expect(await states.next() == nil)
    }

    @Test func whereTheServerDoesNotRemoveWhatBelongsToARowItIsToldToOnceTheRowIsGone() async throws {
        let fixture = try await SyncFixture(cascade: .client)
        try await fixture.lists.add(contentsOf: [milk, List(id: "b", name: "bread")]).acknowledged
        let items = [Item(id: "1", list: "a", name: "x"), Item(id: "2", list: "b", name: "y")]
        try await fixture.items.add(contentsOf: items).acknowledged
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.forbidden, "No."), times: 1)
        fixture.outbox.pause()
        let refused = try await fixture.lists.remove(milk)
        #expect(try await fixture.items.count(nil).value == 1)
        fixture.outbox.resume()
        await #expect(throws: RemoteDataError.self) { try await refused.acknowledged }
        // Nothing was removed that would have to be brought back.
        #expect(try await fixture.remoteItems.base.count(nil).value == 2)
        #expect(try await fixture.items.count(nil).value == 2)
        try await fixture.outbox.retry(refused.numbers[0])
        try await refused.acknowledged
        try await fixture.drained()
        #expect(try await fixture.remoteItems.base.count(nil).value == 1)
        try await fixture.items.pull()
        #expect(try await fixture.items.count(nil).value == 1)
    }
}
