import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData
@testable import RemoteDataSQLite

/// What is kept of a server that has begun anew is shown until it is compared, and never taken for right.
@Suite(.timeLimit(.minutes(2))) struct CacheEpochTests {
    typealias Person = CacheTests.Person
    private static let epochs = (Epoch(rawValue: 0xA), Epoch(rawValue: 0xB))

    private func rows(_ ids: Range<Int>, _ name: String, at revision: Revision?) -> [Row] {
        ids.map { number in
            let id = "p\(1_000 + number)"
            let json = "{\"objectId\":\"\(id)\",\"name\":\"\(name)\",\"age\":\(number)}"
            return Row(id: .text(id), revision: revision, json: Array(json.utf8)[...])
        }
    }

    /// Writes notes of the whole table as a collection makes them.
    private func write(_ notes: [CacheNote], _ count: Count?, to store: LocalStore) async throws {
        let number = count.map { CacheLink.Number(count: $0, isExact: true) }
        _ = try await store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.write(
                CacheBatch(notes: notes, number: number),
                of: Query(),
                "people",
                isPlaced: false
            )
        }
    }

    private func kept(_ store: LocalStore) async throws -> KeptQuery? {
        try await store.core.read { (connection) throws(RemoteDataError) in
            try KeptReader(connection, table: 1, idColumn: "objectId", isPlaced: false).kept(Query())
        }
    }

    private func page(_ store: LocalStore, stale: Bool) async throws -> Page? {
        try await store.core.read { (connection) throws(RemoteDataError) in
            try KeptReader(connection, table: 1, idColumn: "objectId", isPlaced: false)
                .page(PageRequest(Query(), limit: 100), stale: stale)
        }
    }

    @Test("What is kept has the epoch it was read in, in another launch too")
    func whatIsKeptHasItsEpoch() async throws {
        let folder = try TemporaryFolder()
        let revision = Revision(500, epoch: Self.epochs.0)
        var store = try await LocalStore(path: folder.file("a.db"))
        let notes: [CacheNote] = [
            .stretch(KeyInterval(), rows(0..<10, "a", at: revision), revision), .reached(revision),
        ]
        try await write(notes, Count(10, revision: revision), to: store)
        await store.close()
        store = try await LocalStore(path: folder.file("a.db"))
        #expect(try await kept(store)?.count == Count(10, revision: revision))
        #expect(try await kept(store)?.isOfOneMoment == true)
        let page = try await page(store, stale: false)
        #expect(page?.revision == revision)
        #expect(page?.rows.map(\.revision) == Array(repeating: revision, count: 10))
        await store.close()
    }

    @Test("A lower revision of another epoch replaces what is kept", arguments: [3, 500, 900] as [Int64])
    func anotherEpochReplaces(number: Int64) async throws {
        let store = try await LocalStore(path: ":memory:")
        let (old, new) = (Revision(500, epoch: Self.epochs.0), Revision(number, epoch: Self.epochs.1))
        let first: [CacheNote] = [
            .stretch(KeyInterval(), rows(0..<10, "old", at: old), old), .reached(old),
        ]
        try await write(first, Count(10, revision: old), to: store)
        // The collection has received that there is another history, and has read a part of it.
        try await write([.rows(rows(3..<5, "new", at: new), new)], nil, to: store)
        #expect(try await page(store, stale: false) == nil)
        let stale = try await page(store, stale: true)
        #expect(stale?.rows.count == 10 && stale?.revision == nil)
        #expect(stale?.rows.map { $0["name"] } == (0..<10).map { (3..<5).contains($0) ? "new" : "old" })
        #expect(stale?.rows.compactMap(\.revision) == [new, new])
        #expect(try await kept(store)?.isOfOneMoment != true)
        // What it has not seen of the new one is gone.
        let second: [CacheNote] = [
            .stretch(KeyInterval(), rows(3..<6, "new", at: new), new), .reached(new),
        ]
        try await write(second, Count(3, revision: new), to: store)
        let page = try await page(store, stale: false)
        #expect(page?.rows.map { $0["name"] } == ["new", "new", "new"] && page?.revision == new)
        #expect(try await kept(store)?.isOfOneMoment == true)
        await store.close()
    }

    @Test("Rows of an earlier history replace nothing")
    func rowsOfAnEarlierHistoryReplaceNothing() async throws {
        let store = try await LocalStore(path: ":memory:")
        let (old, new) = (Revision(500, epoch: Self.epochs.0), Revision(3, epoch: Self.epochs.1))
        try await write([.stretch(KeyInterval(), rows(0..<4, "new", at: new), new)], nil, to: store)
        try await write([.staleStretch(KeyInterval(), rows(0..<9, "old", at: old), nil)], nil, to: store)
        let page = try await page(store, stale: false)
        #expect(page?.rows.map { $0["name"] } == ["new", "new", "new", "new"])
        await store.close()
    }

    @Test("A change of another epoch counts, whatever its number", arguments: [3, 900] as [Int64])
    func aChangeOfAnotherEpochCounts(number: Int64) async throws {
        let store = try await LocalStore(path: ":memory:")
        let (old, new) = (Revision(500, epoch: Self.epochs.0), Revision(number, epoch: Self.epochs.1))
        try await write([.stretch(KeyInterval(), rows(0..<4, "old", at: old), old)], nil, to: store)
        let removal = Change(revision: new, kind: .deleted, id: "p1000")
        let update = Change(revision: new.next, kind: .updated, row: rows(1..<2, "new", at: new.next)[0])
        try await write([.change(removal), .change(update)], nil, to: store)
        let stale = try await page(store, stale: true)
        #expect(stale?.rows.map { $0["name"] } == ["new", "old", "old"])
        #expect(stale?.rows.map(\.revision) == [new.next, nil, nil])
        await store.close()
    }

    @Test("The next launch compares what is kept with a server that has begun anew", arguments: [0, 400])
    func theNextLaunchComparesAll(writes: Int) async throws {
        let fixture = try await CacheTests.Fixture(120, epoch: Self.epochs.0)
        try await fixture.launch { people, _, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen.count == 120)
        }
        let next = try await CacheTests.Fixture(
            0,
            epoch: Self.epochs.1,
            folder: fixture.folder
        )
        for _ in 0..<writes { try await next.put(1, from: 500) }
        try await next.put(90, from: 20, age: 7)
        let expected = try await next.expected()
        try await next.launch { people, _, _ in
            for await status in people.liveStatuses where status.isLive { break }
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
        }
        try await next.launch(online: false) { people, _, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
        }
    }
}
