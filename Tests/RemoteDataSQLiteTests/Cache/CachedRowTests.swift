import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Rows that came through a cache: pinned ones, those of several collections, and those nothing is known of any more.
@Suite(.timeLimit(.minutes(2))) struct CachedRowTests {
    typealias Person = CacheTests.Person

    private func people(
        _ table: any Table,
        _ store: LocalStore,
        _ clause: String = ""
    ) async throws -> RemoteDataCollection<Person> {
        try await RemoteDataCollection(table: table, where: clause, cache: store)
    }

    /// Waits until a row of the store is as a condition says.
    private func until(
        _ table: any Table,
        _ id: RowID,
        _ isSo: (Row?) -> Bool
    ) async throws {
        let feed = try await table.subscribe(to: Query(), since: nil)
        while try await !isSo(table.row(id)) { _ = await feed.nextBatch() }
    }

    @Test func whatIsReadIsAskedOfflineLikeAnyTable() async throws {
        let fixture = try await CacheTests.Fixture(40)
        let store = try await LocalStore(path: ":memory:")
        let people = try await people(fixture.base, store)
        try await people.populate()
        await store.flush()
        let table = try store.table("people")
        #expect(try await table.count(nil).value == 40)
        let query = Query(
            try Where.parse("age > 30 and name like 'n%'"),
            sort: try SortTerm.parse("age desc")
        )
        let local = try await table.page(PageRequest(query)).rows.map(\.text)
        let remote = try await fixture.base.page(PageRequest(query)).rows.map(\.text)
        #expect(local == remote)
        let live = try await RemoteDataCollection<Person>(table: table, where: "age > 30")
        #expect(live.count == 9)
        var changes = live.changes.makeAsyncIterator()
        try await fixture.put(1, from: 70, age: 99)
        while live.count < 10 { _ = await changes.next() }
    }

    @Test func aPinnedRowFollowsEveryEvent() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        let people = try await people(fixture.base, store)
        let first = try await people.row(at: 3)
        try await store.pin(first, in: "people", label: "l")
        let pinned = try store.table("people", label: "l")
        try await fixture.put(1, from: 3, age: 77)
        try await until(pinned, "p1003") { $0?["age"] == 77 }
        _ = try await fixture.base.commit(.delete("p1003"))
        try await until(pinned, "p1003") { $0 == nil }
        #expect(try await store.labels().isEmpty)
    }

    @Test func aPinnedRowThatLeavesTheClauseIsAskedForAgain() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        let people = try await people(fixture.base, store, "age < 50")
        try await store.pin(try await people.row(at: 3), in: "people", label: "l")
        try await people.populate()
        await store.flush()
        try await fixture.put(1, from: 3, age: 77)
        try await until(store.table("people", label: "l"), "p1003") { $0?["age"] == 77 }
        try await until(store.table("people"), "p1003") { $0?["age"] == 77 }
    }

    @Test func aRowThatLeavesTheClauseAndNobodyHoldsGoes() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        let people = try await people(fixture.base, store, "age < 50")
        try await people.populate()
        await store.flush()
        try await fixture.put(1, from: 3, age: 77)
        try await until(store.table("people"), "p1003") { $0 == nil }
    }

    @Test func collectionsOfOneTableSeeTheNewestVersion() async throws {
        let fixture = try await CacheTests.Fixture(60)
        let folder = try TemporaryFolder()
        let store = try await LocalStore(path: folder.file("a.db"))
        do {
            let young = try await people(fixture.base, store, "age < 40")
            try await young.populate()
        }
        try await fixture.put(5, from: 10, age: 20)
        _ = try await fixture.base.commit(.delete("p1011"))
        do {
            let all = try await people(fixture.base, store)
            try await all.populate()
        }
        await store.flush()
        // What the second one read is newer than what the first one knew.
        let offline = FaultyTable(fixture.base)
        for call in FaultyTable.Call.allCases { offline.fail(call) }
        let young = try await people(offline, store, "age < 40")
        let seen = try await CacheTests.seen(young)
        let expected = try await fixture.expected("age < 40")
        #expect(seen == expected)
        offline.heal()
        let online = try await people(fixture.base, store, "age < 40")
        try await online.untilLive()
        let again = try await CacheTests.seen(online)
        #expect(again == expected)
        #expect(online.count == expected.count)
    }

    @Test func anOlderAnswerReplacesNothingNewer() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        let slow = FaultyTable(fixture.base)
        let first = try await people(slow, store, "age < 100")
        slow.hold(.page, .beforeAnswering)
        async let reading: Void = first.populate()
        await slow.waitForHeld()
        try await fixture.put(1, from: 3, age: 77)
        let second = try await people(fixture.base, store)
        try await second.populate()
        await store.flush()
        slow.letAllGo()
        try await reading
        await store.flush()
        #expect(try await store.table("people").row("p1003")?["age"] == 77)
    }

    @Test func whatWasWrittenHereIsNotReplaced() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        _ = try await store.table("people").commit(
            .create([draft(#"{"objectId":"p1003","name":"mine","age":1}"#)])
        )
        let people = try await people(fixture.base, store)
        try await people.populate()
        await store.flush()
        #expect(try await store.table("people").row("p1003")?["name"] == "mine")
        #expect(try await store.table("people").count(nil).value == 10)
    }

    @Test func ownWritesAreKept() async throws {
        let fixture = try await CacheTests.Fixture(10)
        let store = try await LocalStore(path: ":memory:")
        let people = try await people(fixture.base, store)
        let added = try await people.add(Person(id: "x", name: "new", age: 5))
        _ = try await people.update(Person(id: "p1003", name: "changed", age: 6))
        _ = try await people.remove(Person(id: "p1004", name: "", age: 0))
        await store.flush()
        let table = try store.table("people")
        #expect(try await table.row("x")?["name"] == "new")
        #expect(try await table.row("p1003")?["name"] == "changed")
        #expect(try await table.row("p1004") == nil)
        #expect(added?.id == "x")
    }

    @Test func aCacheThatFailsIsToldOfAndStopsNobody() async throws {
        let fixture = try await CacheTests.Fixture(200)
        let folder = try TemporaryFolder()
        let store = try await LocalStore(path: folder.file("a.db"))
        let people = try await people(fixture.base, store)
        let (errors, report) = AsyncStream.makeStream(of: RemoteDataError.self)
        people.errorHandler = { report.yield($0) }
        try await store.execute("PRAGMA max_page_count = 1")
        let (seen, expected) = (try await CacheTests.seen(people), try await fixture.expected())
        #expect(seen == expected)
        var iterator = errors.makeAsyncIterator()
        let error = await iterator.next()
        #expect(error?.code == .storage)
        #expect(error?.message.contains("disk is full") == true)
    }
}
