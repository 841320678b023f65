import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataSQLite

@Suite(.timeLimit(.minutes(1))) struct TableChangesTests {
    private let milk = List(id: "a", name: "milk")

    /// What was told, in short.
    private static func text(_ changes: TableChanges) -> String {
        let parts = [("+", changes.added), ("-", changes.removed), ("~", changes.modified)]
            .flatMap { sign, rows in rows.map { "\(sign)\($0.id)" } }
        let origin = changes.origin == .here ? "here" : changes.origin == .server ? "server" : "both"
        return
            "\(changes.table) \(origin): \(parts.joined(separator: " "))\(changes.isIncomplete ? " …" : "")"
    }

    private static func take(_ count: Int, _ changes: ChangeStream<TableChanges>) async -> [String] {
        var texts: [String] = []
        for await change in changes {
            texts.append(text(change))
            if texts.count == count { break }
        }
        return texts
    }

    @Test func whatIsWrittenHereIsToldWithItsRows() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let changes = try fixture.store.changes(of: "lists")
        var reader = changes.makeAsyncIterator()
        try await fixture.lists.add(milk)
        #expect(await reader.next().map(Self.text) == "lists here: +a")
        try await fixture.lists.update(List(id: "a", name: "oat milk"))
        let change = await reader.next()
        #expect(change.map(Self.text) == "lists here: ~a")
        #expect(change?.modified.first?["name"] == .text("oat milk"))
        try await fixture.lists.remove(milk)
        let last = await reader.next()
        #expect(last.map(Self.text) == "lists here: -a")
        #expect(last?.removed.first?["name"] == .text("oat milk"))
    }

    @Test func whatComesFromTheServerIsToldAsSuch() async throws {
        let fixture = try await SyncFixture(rows: [milk])
        let changes = try fixture.store.changes(of: "lists")
        try await fixture.lists.pull()
        #expect(await Self.take(1, changes) == ["lists server: +a"])
    }

    /// Local writes, and the server's answers that say nothing new.
    @Test func anAnswerThatChangesNothingIsNotTold() async throws {
        let fixture = try await SyncFixture()
        let changes = try fixture.store.changes(of: "lists")
        try await fixture.lists.add(milk).acknowledged
        try await fixture.lists.add(List(id: "b", name: "bread")).acknowledged
        #expect(await Self.take(1, changes) == ["lists here: +a +b"])
    }

    @Test func aSlowReaderIsToldWhatIsLeftOfChanges() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let changes = try fixture.store.changes(of: "lists")
        try await fixture.lists.add(contentsOf: [milk, List(id: "b", name: "b"), List(id: "c", name: "c")])
        try await fixture.lists.update(List(id: "a", name: "oat milk"))
        try await fixture.lists.remove(List(id: "b", name: "b"))
        #expect(await Self.take(1, changes) == ["lists here: +a +c"])
    }

    /// The original told of each item too.
    @Test func theRemovalOfAParentIsToldOnceAndOfTheParentAlone() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        try await fixture.lists.add(milk)
        try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        let (lists, items) = (try fixture.store.changes(of: "lists"), try fixture.store.changes(of: "items"))
        try await fixture.lists.remove(milk)
        #expect(try await fixture.items.count(nil).value == 0)
        try await fixture.items.add(Item(id: "2", list: "none", name: "other"))
        #expect(await Self.take(1, lists) == ["lists here: -a"])
        #expect(await Self.take(1, items) == ["items here: +2"])
    }

    @Test(arguments: ["add", "change", "remove"])
    func aChangeInAChildMarksItsParentAsModified(kind: String) async throws {
        let fixture = try await SyncFixture(isConnected: false)
        try await fixture.lists.add(milk)
        let item = Item(id: "1", list: "a", name: "whole")
        if kind != "add" { try await fixture.items.add(item) }
        let lists = try fixture.store.changes(of: "lists")
        switch kind {
        case "add": try await fixture.items.add(item)
        case "change": try await fixture.items.update(Item(id: "1", list: "a", name: "whole", isTicked: true))
        default: try await fixture.items.remove(item)
        }
        #expect(await Self.take(1, lists) == ["lists here: ~a"])
    }

    @Test func anItemThatMovesMarksBothItsParents() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        try await fixture.lists.add(contentsOf: [milk, List(id: "b", name: "bread")])
        try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        var lists = try fixture.store.changes(of: "lists").makeAsyncIterator()
        try await fixture.items.update(Item(id: "1", list: "b", name: "whole"))
        let modified = await lists.next()?.modified ?? []
        #expect(Set(modified.map(\.id)) == ["a", "b"])
    }

    @Test func aRemovalByClauseOfATableWithoutServerIsToldWithItsRows() async throws {
        let store = try await LocalStore(path: ":memory:")
        let table = try store.table("lists")
        _ = try await table.commit(.create([try SyncFixture.draft(milk)]))
        let changes = try store.changes(of: "lists")
        _ = try await table.commit(.deleteAll(nil))
        #expect(await Self.take(1, changes) == ["lists here: -a"])
    }

    @Test func whatIsToldIsBounded() throws {
        var summary = ChangeSummary()
        for number in 0..<ChangeSummary.limit {
            summary.add(Row(id: .integer(Int64(number)), json: Array("{}".utf8)[...]))
        }
        #expect(summary.changes(of: "t").added.count == ChangeSummary.limit)
        summary.add(Row(id: .text("one more"), json: Array("{}".utf8)[...]))
        #expect(summary.changes(of: "t").isIncomplete)
        #expect(summary.changes(of: "t").added.isEmpty)
    }

    @Test func aHandlerIsCalledUntilItIsCancelled() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let (told, source) = AsyncStream.makeStream(of: String.self)
        let observation = try fixture.store.observe("lists") { source.yield(Self.text($0)) }
        var reader = told.makeAsyncIterator()
        try await fixture.lists.add(milk)
        #expect(await reader.next() == "lists here: +a")
        observation.cancel()
        let other = try fixture.store.observe("lists") { _ in source.yield("other") }
        try await fixture.lists.remove(milk)
        #expect(await reader.next() == "other")
        other.cancel()
    }

    @Test func theNotificationCenterIsToldUnderTheDocumentedNames() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let center = NotificationCenter()
        let (told, source) = AsyncStream.makeStream(of: String.self)
        let observer = center.addObserver(
            forName: Notification.Name("RemoteDataStoreDidChange"),
            object: fixture.store,
            queue: nil
        ) { notification in
            let info = notification.userInfo ?? [:]
            let (table, added) = (info["table"] as? String, info["added"] as? [Row])
            let isHere = info["origin"] as? TableChanges.Origin == .here
            source.yield("\(table ?? "") \(added?.map(\.id.description) ?? []) \(isHere)")
        }
        let posting = try fixture.store.postChanges(of: "lists", to: center)
        try await fixture.lists.add(milk)
        var reader = told.makeAsyncIterator()
        #expect(await reader.next() == #"lists ["a"] true"#)
        posting.cancel()
        center.removeObserver(observer)
    }

    @Test func theStreamEndsWithTheStore() async throws {
        let fixture = try await SyncFixture(isConnected: false)
        let changes = try fixture.store.changes(of: "lists")
        await fixture.store.close()
        #expect(await Self.take(1, changes).isEmpty)
    }
}
