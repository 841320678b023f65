import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A removed list hides its items, and the server's answer says what becomes of them.
@Suite(.timeLimit(.minutes(1))) struct CascadeTests {
    private static let list = List(id: "a", name: "list")
    private static let item = Item(id: "1", list: "a", name: "item")

    /// Returns a store with a list and an item that the server has too, and that sends nothing.
    private func paused(
        _ kind: String = "log",
        chance: Double = 0,
        cascade: SyncOptions.Cascade = .server
    ) async throws -> SyncFixture {
        var some = Capabilities.full
        (some.liveChanges, some.resume) = (false, kind == "log")
        if kind == "nothing" {
            some = Capabilities()
            (some.keysetPages, some.exactCounts) = (true, true)
        }
        let fixture = try await SyncFixture(
            rows: [Self.list],
            capabilities: some,
            cascade: cascade,
            chance: chance
        )
        try await fixture.lists.pull()
        try await fixture.items.add(Self.item).acknowledged
        fixture.outbox.pause()
        return fixture
    }

    /// Removes the list, which hides its items.
    private func remove(_ fixture: SyncFixture) async throws -> SyncedWrite {
        let removal = try await fixture.lists.remove(Self.list)
        #expect(try await items(fixture) == [])
        return removal
    }

    private func items(_ fixture: SyncFixture) async throws -> [Item] {
        try await SyncFixture.rows(fixture.items)
    }

    /// The removal is done, and no list is left.
    private func expectRemoved(
        _ removal: SyncedWrite,
        _ fixture: SyncFixture,
        items: [Item]
    ) async throws {
        try await removal.acknowledged
        #expect(try await SyncFixture.lists(fixture.lists) == [])
        #expect(try await self.items(fixture) == items)
        #expect(try await fixture.outbox.pendingCount == 0)
        let hidden = try await fixture.store.core.read { (connection) throws(RemoteDataError) in
            try connection.first("SELECT count(*) FROM bases") { $0.integer(0) }
        }
        #expect(hidden == 0)
    }

    // MARK: Answers

    @Test("Items of a list that the server has lost are shown again", arguments: ["log", "nothing"])
    func removalThatFindsNoList(kind: String) async throws {
        let fixture = try await paused(kind)
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        fixture.outbox.resume()
        try await expectRemoved(removal, fixture, items: [Self.item])
    }

    /// The answer decides nothing, and the look that follows finds no row.
    @Test("Items of a list that a look does not find are shown again")
    func lookThatFindsNoList() async throws {
        let fixture = try await paused()
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.conflict, "It has changed."), times: 1)
        fixture.outbox.resume()
        try await expectRemoved(removal, fixture, items: [Self.item])
        #expect(fixture.remoteLists.count(of: .row) == 1)
    }

    @Test("Items that come back are as the server has them")
    func writesOfItems() async throws {
        let fixture = try await paused()
        let edit = try await fixture.items.update(Item(id: "1", list: "a", name: "mine"))
        let creation = try await fixture.items.add(Item(id: "2", list: "a", name: "mine"))
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        fixture.outbox.resume()
        try await expectRemoved(removal, fixture, items: [Self.item])
        for write in [edit, creation] { try await write.acknowledged }
        let there: [Item] = try await SyncFixture.rows(fixture.remoteItems.base)
        #expect(there == [Self.item])
    }

    @Test("Items of a list that the server removes stay away", arguments: ["log", "nothing"])
    func removalThatIsMade(kind: String) async throws {
        let fixture = try await paused(kind)
        let removal = try await remove(fixture)
        fixture.outbox.resume()
        try await expectRemoved(removal, fixture, items: [])
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [])
    }

    @Test(
        "An item that comes from the server after its list was removed here is hidden with it",
        arguments: [false, true]
    )
    func itemThatComesLater(isRefused: Bool) async throws {
        let fixture = try await paused()
        let removal = try await remove(fixture)
        let other = Item(id: "2", list: "a", name: "another's")
        let codec = ElementCodec<Item>(idColumn: "objectId", dates: .epochMilliseconds)
        _ = try await fixture.remoteItems.base.commit(.create([try codec.encode(other)]))
        try await fixture.items.pull()
        #expect(try await items(fixture) == [])
        guard isRefused else {
            fixture.outbox.resume()
            return try await expectRemoved(removal, fixture, items: [])
        }
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "It stays.", status: 422))
        fixture.outbox.resume()
        let refusal = await failure { () async throws(RemoteDataError) in try await removal.acknowledged }
        #expect(refusal?.code == .rejected)
        #expect(try await items(fixture) == [Self.item, other])
    }

    /// The list may have come back since it was removed, and items with it.
    @Test(
        "Without revisions items are read again where the answer to a removal may be an old one",
        arguments: [true, false]
    )
    func answerOfAnotherTime(isOld: Bool) async throws {
        let fixture = try await paused("nothing")
        _ = try await remove(fixture)
        let rows = [
            "lists": Row(id: "a", json: Array(#"{"objectId":"a","name":"theirs"}"#.utf8)[...]),
            "items": Row(id: "1", json: Array(#"{"objectId":"1","list":"a","name":"theirs"}"#.utf8)[...]),
        ]
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            for (table, row) in rows where isOld { try transaction.pull(row, asOf: nil, in: table) }
            try transaction.acknowledge(taken.number, nil, asOf: nil)
            let doubtful = transaction.outboxNews.doubtful
            #expect(doubtful == (isOld ? ["lists", "items"] : []))
        }
    }

    @Test(
        "Items that came back with their list stay when the removal is answered late",
        arguments: [SyncOptions.Cascade.server, .client]
    )
    func lateAnswer(cascade: SyncOptions.Cascade) async throws {
        let fixture = try await paused(cascade: cascade)
        _ = try await remove(fixture)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            _ = try transaction.take(1) { _ in 1 }
        }
        let codec = ElementCodec<Item>(idColumn: "objectId", dates: .epochMilliseconds)
        let theirs = Item(id: "1", list: "a", name: "theirs")
        let removal = try await fixture.remoteLists.base.commit(.delete("a"))
        _ = try await fixture.remoteItems.base.commit(.delete("1"))
        _ = try await fixture.remoteLists.base.commit(.create([try SyncFixture.draft(Self.list)]))
        _ = try await fixture.remoteItems.base.commit(.create([try codec.encode(theirs)]))
        try await fixture.lists.pull()
        try await fixture.items.pull()
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let entries = try transaction.entries(of: RowPlace(table: "lists", id: "a"))
            try transaction.acknowledge(entries[0].number, nil, asOf: removal.revision)
        }
        #expect(try await SyncFixture.lists(fixture.lists) == [Self.list])
        #expect(try await items(fixture) == [theirs])
        #expect(try await fixture.outbox.pendingCount == 0)
    }

    /// The item may have been made after the list was removed, which may come back, too.
    @Test(
        "Items are read again where one of them has come since it was hidden",
        arguments: [true, false]
    )
    func newsOfHiddenItems(hasCome: Bool) async throws {
        let fixture = try await paused()
        _ = try await remove(fixture)
        let theirs = Row(id: "1", json: Array(#"{"objectId":"1","list":"a","name":"theirs"}"#.utf8)[...])
        let removal = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            if hasCome { try transaction.pull(theirs, asOf: Revision(100), in: "items") }
            try transaction.pullRemoval(of: "a", asOf: removal.revision, in: "lists", absence: .removed)
            let isDoubtful = transaction.outboxNews.doubtful.contains("items")
            #expect(isDoubtful == hasCome)
        }
    }

    @Test("Items of a list that is removed and added again before anything was sent are shown again")
    func undo() async throws {
        let fixture = try await paused()
        let creation = try await fixture.items.add(Item(id: "2", list: "a", name: "mine"))
        _ = try await remove(fixture)
        let addition = try await fixture.lists.add(Self.list)
        let all = [Self.item, Item(id: "2", list: "a", name: "mine")]
        #expect(try await items(fixture) == all)
        fixture.outbox.resume()
        for write in [creation, addition] { try await write.acknowledged }
        #expect(try await items(fixture) == all)
        let there: [Item] = try await SyncFixture.rows(fixture.remoteItems.base)
        #expect(there == all)
    }

    /// A row may have come back, the same as before, since the server found none.
    @Test(
        "The table is read again where an undated answer says that a known row is missing",
        arguments: [true, false]
    )
    func undatedAbsence(isMissing: Bool) async throws {
        let fixture = try await paused()
        _ = try await remove(fixture)
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            try transaction.acknowledge(
                taken.number,
                nil,
                asOf: nil,
                absence: isMissing ? .missing : .removed
            )
            let isDoubtful = transaction.outboxNews.doubtful.contains("lists")
            #expect(isDoubtful == isMissing)
        }
    }

    @Test("An item that comes while the removal of its list is under way stays until it is reported gone")
    func itemThatComesMeanwhile() async throws {
        let fixture = try await paused()
        fixture.remoteLists.hold(.commit)
        fixture.outbox.resume()
        let removal = try await remove(fixture)
        await fixture.remoteLists.waitForHeld()
        let other = Item(id: "2", list: "a", name: "another's")
        let codec = ElementCodec<Item>(idColumn: "objectId", dates: .epochMilliseconds)
        _ = try await fixture.remoteItems.base.commit(.create([try codec.encode(other)]))
        try await fixture.items.pull()
        fixture.remoteLists.letAllGo()
        try await expectRemoved(removal, fixture, items: [other])
    }

    @Test func anItemOfARefusedListWaitsOutOfSight() async throws {
        let fixture = try await paused()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "The list is full.", status: 422))
        fixture.outbox.resume()
        let list = try await fixture.lists.add(List(id: "b", name: "refused"))
        let refusal = await failure { () async throws(RemoteDataError) in try await list.acknowledged }
        #expect(refusal?.code == .rejected)
        let other = Item(id: "2", list: "b", name: "item")
        let item = try await fixture.items.add(other)
        #expect(try await items(fixture) == [Self.item])
        fixture.remoteLists.heal()
        try await fixture.outbox.retry(list.numbers[0])
        try await item.acknowledged
        #expect(try await items(fixture) == [Self.item, other])
        #expect(try await SyncFixture.rows(fixture.remoteItems.base) == [Self.item, other])
    }

    /// Returns a store that sends, of which the first answer to a write of an item is lost.
    private func losingAnAnswer() async throws -> SyncFixture {
        let fixture = try await paused(chance: 1)
        fixture.remoteItems.loseAnswers(to: .commit, times: 1)
        fixture.outbox.resume()
        return fixture
    }

    /// Waits until a write was sent and waits to be sent again; nothing is sent meanwhile.
    private func waitUntilSentOnce(_ write: SyncedWrite, _ fixture: SyncFixture) async throws {
        func isWaiting(_ item: OutboxItem) -> Bool {
            item.id == write.numbers[0] && item.attempts == 1 && item.state.description == "queued"
        }
        while try await !fixture.outbox.pending().contains(where: isWaiting) { await Task.yield() }
        fixture.outbox.pause()
    }

    /// The server may have made it after it removed the list, by which it did not remove the item.
    @Test func anItemUnderWayStaysUntilItIsReportedToBeGone() async throws {
        let fixture = try await losingAnAnswer()
        let edit = try await fixture.items.update(Item(id: "1", list: "a", name: "mine"))
        try await waitUntilSentOnce(edit, fixture)
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.lists.pull()
        try await removal.acknowledged
        try await edit.acknowledged
        #expect(try await items(fixture) == [Self.item])
        _ = try await fixture.remoteItems.base.commit(.delete("1"))
        try await fixture.items.pull()
        #expect(try await items(fixture) == [])
    }

    // MARK: Pulls

    /// The server may have made it before it removed the list.
    @Test func anItemThatWasSentIsNotRefusedWithItsList() async throws {
        let fixture = try await losingAnAnswer()
        let sent = try await fixture.items.add(Item(id: "2", list: "a", name: "sent"))
        try await waitUntilSentOnce(sent, fixture)
        let unsent = try await fixture.items.add(Item(id: "3", list: "a", name: "not sent"))
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.lists.pull()
        let error = await failure { () async throws(RemoteDataError) in try await unsent.acknowledged }
        #expect(error?.code == .conflict)
        #expect(try await sent.state.description == "queued")
        fixture.clock.advance(by: .seconds(60))
        fixture.outbox.resume()
        try await sent.acknowledged
        let there: [Item] = try await SyncFixture.rows(fixture.remoteItems.base)
        #expect(there.map(\.id) == ["1", "2"])
        #expect(try await items(fixture) == there)
    }

    @Test("Items of a list whose removal is reported stay away", arguments: [true, false])
    func removalThatIsReported(isBulk: Bool) async throws {
        let fixture = try await paused()
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(isBulk ? .deleteAll(nil) : .delete("a"))
        try await fixture.lists.pull()
        #expect(fixture.remoteLists.count(of: .changes) == 1)
        try await expectRemoved(removal, fixture, items: [])
        #expect(fixture.remoteLists.count(of: .commit) == 0)
    }

    @Test(
        "Items of a list that a complete read does not find are shown again",
        arguments: ["revisions", "nothing"]
    )
    func readThatFindsNoList(kind: String) async throws {
        let fixture = try await paused(kind)
        let removal = try await remove(fixture)
        _ = try await fixture.remoteLists.base.commit(.delete("a"))
        try await fixture.lists.pull()
        try await expectRemoved(removal, fixture, items: [Self.item])
        #expect(fixture.remoteLists.count(of: .commit) == 0)
    }

    @Test func itemsOfARefusedListAreRejected() async throws {
        let fixture = try await paused()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "The list is full.", status: 422))
        let list = try await fixture.lists.add(List(id: "b", name: "refused"))
        let item = try await fixture.items.add(Item(id: "2", list: "b", name: "item"))
        fixture.outbox.resume()
        let refusal = await failure { () async throws(RemoteDataError) in try await list.acknowledged }
        #expect(refusal?.code == .rejected)
        let letter = try #require(try await fixture.outbox.deadLetters().first)
        try await fixture.outbox.discard(letter.id)
        let error = try await item.state.error
        #expect(error?.code == .rejected && error?.message == "The list is full.")
    }
}
