import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Rows that the server gives other ids than they were given here.
@Suite(.timeLimit(.minutes(1))) struct RenamingTests {
    private let milk = List(id: "temporary", name: "milk")

    /// A server that gives ids of its own.
    private struct NumberingTable: ForwardingTable {
        let base: MemoryTable
        var wrapped: any Table { base }
        var capabilities: Capabilities {
            var capabilities = base.capabilities
            (capabilities.liveChanges, capabilities.resume, capabilities.idempotency) = (false, false, false)
            return capabilities
        }

        func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
            guard case .create(let drafts) = mutation else {
                return try await base.commit(mutation, idempotencyKey: nil)
            }
            var renamed: [Draft] = []
            for (index, draft) in drafts.enumerated() {
                let number = try await base.count(nil).value + index + 1
                let id = JSONObject.Member(name: "objectId", value: .text("server \(number)"))
                let json = try JSONObject.merging(JSONObject.object(of: [id]), into: draft.json)
                renamed.append(try Draft(json, idColumn: "objectId"))
            }
            return try await base.commit(.create(renamed), idempotencyKey: nil)
        }
    }

    private struct World {
        let store: LocalStore
        let remoteLists = MemoryTable("lists")
        let remoteItems = MemoryTable("items")
        let lists: SyncedTable
        let items: SyncedTable

        init(path: String = ":memory:") async throws {
            store = try await LocalStore(path: path)
            var options = SyncOptions()
            options.rate = .off
            options.references = [SyncOptions.Reference("note", in: "lists")]
            lists = try await SyncedTable(
                "lists",
                in: store,
                remote: NumberingTable(base: remoteLists),
                options: options
            )
            options.parent = SyncOptions.Parent("list", in: "lists")
            items = try await SyncedTable(
                "items",
                in: store,
                remote: NumberingTable(base: remoteItems),
                options: options
            )
        }

        func drain() async throws {
            store.outbox.resume()
            for item in try await store.outbox.pending() {
                try await store.outbox.write(item.id).acknowledged
            }
        }
    }

    @Test func theRowHasTheServersIDFromThenOn() async throws {
        let world = try await World()
        try await world.lists.add(milk).acknowledged
        #expect(try await SyncFixture.lists(world.lists).map(\.id) == ["server 1"])
        #expect(try await world.lists.count(nil).value == 1)
    }

    @Test func whoHoldsTheOldIDFindsChangesAndRemovesTheRowByIt() async throws {
        let world = try await World()
        try await world.lists.add(milk).acknowledged
        #expect(try await world.lists.row("temporary")?.id == "server 1")
        #expect(try await world.lists.currentID(of: "temporary") == "server 1")
        try await world.lists.update(List(id: "temporary", name: "oat milk")).acknowledged
        #expect(try await SyncFixture.lists(world.remoteLists) == [List(id: "server 1", name: "oat milk")])
        try await world.lists.remove(milk).acknowledged
        #expect(try await world.remoteLists.count(nil).value == 0)
    }

    @Test func whatWaitsForTheRowNamesItByItsNewID() async throws {
        let world = try await World()
        world.store.outbox.pause()
        try await world.lists.add(milk)
        try await world.items.add(Item(id: "t1", list: "temporary", name: "whole"))
        try await world.items.add(Item(id: "t2", list: "temporary", name: "skimmed"))
        try await world.items.update(Item(id: "t2", list: "temporary", name: "skimmed", isTicked: true))
        try await world.drain()
        let there: [Item] = try await SyncFixture.rows(world.remoteItems)
        #expect(there.map(\.list) == ["server 1", "server 1"])
        let here: [Item] = try await SyncFixture.rows(world.items)
        #expect(here == there)
    }

    /// The server had the row before the other one got its id, and would have named a row that never was.
    @Test func aRowThatWasSentBeforeIsCorrectedOnTheServer() async throws {
        let world = try await World()
        try await world.lists.add(List(id: "first", name: "bread", note: "temporary")).acknowledged
        #expect(try await SyncFixture.lists(world.remoteLists).first?.note == "temporary")
        try await world.lists.add(milk).acknowledged
        try await world.drain()
        #expect(try await SyncFixture.lists(world.remoteLists).map(\.note) == ["server 2", nil])
        #expect(try await SyncFixture.lists(world.lists).map(\.note) == ["server 2", nil])
    }

    /// Loads a collection, and waits until it hears what changes.
    private static func follow(_ lists: RemoteDataCollection<List>) async throws {
        try await lists.populate()
        for await status in lists.liveStatuses {
            if case .live = status { return }
        }
    }

    /// It was removed and added again, somewhere else, so that what was selected or open was gone.
    @Test func aCollectionTellsThatItIsTheSameRow() async throws {
        let world = try await World()
        world.store.outbox.pause()
        let others = [List(id: "z", name: "bread"), List(id: "y", name: "cheese")]
        try await world.lists.add(contentsOf: [milk] + others)
        let lists = try await RemoteDataCollection<List>(table: world.lists, sort: "name")
        try await Self.follow(lists)
        var changes = lists.changes(buffering: .buffer(100)).makeAsyncIterator()
        var iteration = lists.makeIterator()
        #expect(iteration.next()?.name == "bread")
        try await world.drain()
        var renamed: [RowID: RowID] = [:]
        while renamed.count < 3, let change = await changes.next() {
            guard change.type != .dataLoaded else { continue }
            #expect(change.type == .updated)
            #expect(change.inserted.isEmpty && change.removedRanges.isEmpty && change.moved.isEmpty)
            renamed.merge(change.formerIDs) { first, _ in first }
        }
        #expect(Set(renamed.values) == ["temporary", "z", "y"])
        #expect(Set(lists.compactMap(\.id)).isDisjoint(with: ["temporary", "z", "y"]))
        var rest: [String] = []
        while let list = iteration.next() { rest.append(list.name) }
        #expect(rest == ["cheese", "milk"])
    }

    @Test func whatALabelHoldsHasTheNewIDAndNotTheOldOne() async throws {
        let world = try await World()
        world.store.outbox.pause()
        try await world.lists.add(milk)
        try await world.store.pin(milk, in: "lists", label: "desk")
        let desk = try await RemoteDataCollection<List>(table: world.store.table("lists", label: "desk"))
        try await Self.follow(desk)
        var changes = desk.changes(buffering: .buffer(100)).makeAsyncIterator()
        try await world.drain()
        var change = await changes.next()
        while change?.type == .dataLoaded { change = await changes.next() }
        #expect(change?.formerIDs == ["server 1": "temporary"])
        #expect(desk.map(\.id) == ["server 1"])
        #expect(try await world.store.table("lists", label: "desk").row("server 1") != nil)
    }

    /// The other one knows the rows by an id that is no more.
    @Test func aReplicaOfAReplicaFollowsTheNewID() async throws {
        let world = try await World()
        world.store.outbox.pause()
        try await world.lists.add(milk)
        let second = try await SyncedTable("lists", in: LocalStore(path: ":memory:"), remote: world.lists)
        try await second.pull()
        #expect(try await SyncFixture.lists(second).map(\.id) == ["temporary"])
        let changes = try second.store.changes(of: "lists")
        var iterator = changes.makeAsyncIterator()
        // Once this has come by an event, so does what follows.
        try await world.lists.add(List(id: "other", name: "bread"))
        #expect(await iterator.next()?.added.map(\.id) == ["other"])
        try await world.drain()
        var renamed: [RowID: RowID] = [:]
        while renamed.count < 2, let change = await iterator.next() {
            renamed.merge(change.renamed) { first, _ in first }
        }
        #expect(Set(renamed.keys) == ["temporary", "other"])
        #expect(try await Set(SyncFixture.lists(second).map(\.id)) == ["server 1", "server 2"])
        #expect(try await second.row("temporary")?.id == renamed["temporary"])
    }

    @Test func theNewIDIsKnownAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let world = try await World(path: folder.file("a.db"))
        try await world.lists.add(milk).acknowledged
        await world.store.close()
        let again = try await World(path: folder.file("a.db"))
        #expect(try await again.lists.row("temporary")?.id == "server 1")
        await again.store.close()
    }

    @Test(arguments: [1, 20]) func aServerThatMakesIDsIsSentNone(count: Int) async throws {
        let fixture = try await SyncFixture { $0.sendsIDs = false }
        let lists = (0..<count).map { List(id: "t\($0)", name: "list \($0)") }
        try await fixture.lists.add(contentsOf: lists).acknowledged
        let there = try await SyncFixture.lists(fixture.remoteLists.base)
        #expect(Set(there.map(\.name)) == Set(lists.map(\.name)))
        #expect(there.allSatisfy { UUID(uuidString: $0.id) != nil })
        #expect(try await SyncFixture.lists(fixture.lists).map(\.id) == there.map(\.id))
        let renamed = try #require(try await fixture.lists.row("t0"))
        #expect(renamed["name"] == .text("list 0"))
    }

    /// By the key the server knows that it has made the row.
    @Test func aCreationWithoutIDWhoseAnswerIsLostIsMadeOnce() async throws {
        let fixture = try await SyncFixture { $0.sendsIDs = false }
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        try await fixture.lists.add(milk).acknowledged
        #expect(try await fixture.remoteLists.base.count(nil).value == 1)
        #expect(fixture.remoteLists.count(of: .row) == 0)
    }

    /// And without keys nobody knows.
    @Test func aCreationWithoutIDOrKeyWhoseAnswerIsLostIsSetAside() async throws {
        var some = Capabilities.full
        (some.idempotency, some.idempotentCreation, some.liveChanges) = (false, false, false)
        let fixture = try await SyncFixture(capabilities: some) { $0.sendsIDs = false }
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        let write = try await fixture.lists.add(milk)
        let error = await #expect(throws: RemoteDataError.self) { try await write.acknowledged }
        #expect(error?.message.contains("under an id of its own") ?? false)
        #expect(try await fixture.remoteLists.base.count(nil).value == 1)
        try await fixture.outbox.discard(write.numbers[0])
        try await fixture.lists.pull()
        #expect(try await fixture.lists.count(nil).value == 1)
    }

    @Test func aRenamedRowIsTheSameToWhoIsToldOfChanges() async throws {
        let world = try await World()
        world.store.outbox.pause()
        try await world.lists.add(milk)
        let changes = try world.store.changes(of: "lists")
        try await world.drain()
        var reader = changes.makeAsyncIterator()
        let change = await reader.next()
        #expect(change?.modified.map(\.id) == ["server 1"])
        #expect(change?.renamed == ["temporary": "server 1"])
        #expect(change?.added.isEmpty ?? false && change?.removed.isEmpty ?? false)
    }

    @Test func aRenamedRowThatNobodyWasToldOfIsNew() throws {
        func row(_ id: RowID) -> Row { Row(id: id, json: Array("{}".utf8)[...]) }
        var summary = ChangeSummary()
        summary.add(row("old"))
        var later = ChangeSummary()
        later.remove(row("old"))
        later.add(row("new"))
        later.rename("old", to: "new")
        summary.take(later.changes(of: "t", by: .server))
        let changes = summary.changes(of: "t")
        #expect(changes.added.map(\.id) == ["new"])
        #expect(changes.removed.isEmpty && changes.modified.isEmpty && changes.renamed.isEmpty)
    }

    @Test func aRowRenamedTwiceIsNamedByWhatWasKnown() throws {
        func row(_ id: RowID) -> Row { Row(id: id, json: Array("{}".utf8)[...]) }
        var summary = ChangeSummary()
        for (old, new) in [("a", "b"), ("b", "c")] as [(RowID, RowID)] {
            var later = ChangeSummary()
            later.remove(row(old))
            later.add(row(new))
            later.rename(old, to: new)
            summary.take(later.changes(of: "t", by: .server))
        }
        let changes = summary.changes(of: "t")
        #expect(changes.modified.map(\.id) == ["c"])
        #expect(changes.renamed == ["a": "c"])
        summary.remove(row("c"))
        #expect(summary.changes(of: "t").removed.map(\.id) == ["a"])
    }
}
