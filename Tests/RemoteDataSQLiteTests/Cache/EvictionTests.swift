import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A cache that may grow to a limit only.
@Suite(.timeLimit(.minutes(2))) struct EvictionTests {
    typealias Person = CacheTests.Person

    private func store(_ folder: TemporaryFolder, limit: Int?) async throws -> LocalStore {
        try await LocalStore(path: folder.file("a.db"), cacheLimit: limit)
    }

    private func size(_ store: LocalStore) async throws -> Int {
        var size = 0
        let table = try store.table("people")
        for start in [0, 1_000] {
            let page = try await table.page(PageRequest(Query(), start: .offset(start), limit: 1_000))
            size += page.rows.reduce(0) { $0 + $1.json.count }
        }
        return size
    }

    private func read(
        _ table: any Table,
        _ store: LocalStore,
        _ range: Range<Int>,
        sort: String = ""
    ) async throws {
        var options = CollectionOptions()
        options.pageSize = 50
        let people = try await RemoteDataCollection<Person>(
            table: table,
            sort: sort,
            options: options,
            cache: store
        )
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
            try await people.prefetch(start..<min(start + 50, range.upperBound))
            await store.flush()
        }
    }

    @Test func whatWasReadLongestAgoGoesFirst() async throws {
        let fixture = try await CacheTests.Fixture(800)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: 10_000)
        try await read(fixture.base, store, 0..<800)
        let table = try store.table("people")
        #expect(try await size(store) <= 10_000)
        #expect(try await table.row("p1000") == nil)
        #expect(try await table.row("p1799") != nil)
    }

    @Test(arguments: ["", "age desc"]) func whatIsLeftIsShownAndNothingElse(sort: String) async throws {
        let fixture = try await CacheTests.Fixture(400)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: 10_000)
        try await read(fixture.base, store, 0..<400, sort: sort)
        let offline = FaultyTable(fixture.base)
        offline.fail(.page)
        let people = try await RemoteDataCollection<Person>(table: offline, sort: sort, cache: store)
        #expect(people.count == 400)
        let error = await failure { () async throws(RemoteDataError) in try await people.row(at: 0) }
        #expect(error?.code == .unreachable)
        offline.heal()
        let (seen, expected) = (try await CacheTests.seen(people), try await fixture.expected(sort: sort))
        #expect(seen == expected)
    }

    /// The collection has all rows, the cache does not.
    @Test func whatIsGoneIsNotTakenToBeHereOnceAllIsCompared() async throws {
        let fixture = try await CacheTests.Fixture(400)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: 10_000)
        let table = FaultyTable(fixture.base)
        let people = try await RemoteDataCollection<Person>(table: table, cache: store)
        for start in stride(from: 0, to: 400, by: 50) {
            try await people.prefetch(start..<(start + 50))
            await store.flush()
        }
        try await people.untilLive()
        table.hold(.count)
        table.send(.reset)
        await table.waitForHeld()
        table.letAllGo()
        try await people.untilLive()
        await store.flush()
        let again = try await RemoteDataCollection<Person>(table: fixture.base, cache: store)
        let (seen, expected) = (try await CacheTests.seen(again), try await fixture.expected())
        #expect(seen == expected)
    }

    @Test func whatALabelHoldsStays() async throws {
        let fixture = try await CacheTests.Fixture(400)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: 5_000)
        try await store.pinAll([RowID("p1000"), RowID("p1001")], in: "people")
        try await read(fixture.base, store, 0..<400)
        #expect(try await store.table("people").row("p1001") != nil)
        #expect(try await store.table("people").row("p1002") == nil)
        try await store.unpinAll()
        try await fixture.put(1, from: 2)
        try await read(fixture.base, store, 0..<400)
        #expect(try await store.table("people").row("p1001") == nil)
    }

    @Test func whatWasWrittenHereStays() async throws {
        let fixture = try await CacheTests.Fixture(400)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: 0)
        _ = try await store.table("people").commit(.create([draft(#"{"objectId":"mine"}"#)]))
        try await read(fixture.base, store, 0..<400)
        #expect(try await store.table("people").count(nil).value == 1)
    }

    @Test func withoutALimitEverythingStays() async throws {
        let fixture = try await CacheTests.Fixture(400)
        let folder = try TemporaryFolder()
        let store = try await store(folder, limit: nil)
        try await read(fixture.base, store, 0..<400)
        #expect(try await store.table("people").count(nil).value == 400)
    }
}
