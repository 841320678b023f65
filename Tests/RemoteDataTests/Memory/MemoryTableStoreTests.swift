import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

struct MemoryTableStoreTests {
    private func draft(_ text: String) throws -> Draft {
        try Draft(Array(text.utf8)[...], idColumn: "objectId")
    }

    @Test func aTableComesIntoBeingWithItsFirstRow() async throws {
        let store = MemoryTableStore()
        #expect(try await store.table("people", creating: false) == nil)
        let people = try #require(await store.table("people", creating: true))
        #expect(try await store.table("people", creating: false) == nil)
        #expect(try await store.tableNames() == [])
        _ = try await people.commit(.create([draft("{}")]))
        #expect(try await store.table("people", creating: false) != nil)
        let cities = try #require(await store.table("cities", creating: true))
        _ = try await cities.commit(.create([draft("{}")]))
        #expect(try await store.tableNames() == ["cities", "people"])
    }

    @Test func tablesShareTheirRevisions() async throws {
        let epoch = Epoch.random()
        let store = MemoryTableStore(epoch: epoch)
        func revision(_ number: Int64) -> Revision { Revision(number, epoch: epoch) }
        let one = try #require(await store.table("one", creating: true))
        let two = try #require(await store.table("two", creating: true))
        #expect(try await one.commit(.create([draft("{}"), draft("{}")])).revision == revision(2))
        #expect(try await two.commit(.create([draft("{}")])).revision == revision(3))
        #expect(try await one.commit(.create([draft("{}")])).revision == revision(4))
        #expect(try await two.count(nil).revision == revision(3))
        #expect(try await one.changes(since: revision(2), limit: 10).changes.map(\.revision) == [revision(4)])
        #expect(try await two.changes(since: revision(4), limit: 10).changes.isEmpty)
    }

    @Test("Every store has an epoch of its own")
    func everyStoreHasItsOwnEpoch() async throws {
        let first = try await MemoryTableStore().table("t", creating: true)?.count(nil).revision
        let second = try await MemoryTableStore().table("t", creating: true)?.count(nil).revision
        #expect(first?.epoch != nil && second?.epoch != nil && first?.epoch != second?.epoch)
        #expect(try await MemoryTable("t").count(nil).revision == .zero)
    }

    @Test func idsAreMadeAsAsked() async throws {
        let last = Mutex(Int64(0))
        let table = MemoryTable("rows") {
            last.withLock { last in
                last += 1
                return .integer(last)
            }
        }
        let outcome = try await table.commit(
            .create([draft("{}"), draft(#"{"objectId":"x"}"#), draft(#"{"a":1}"#)])
        )
        #expect(outcome.ids == [1, "x", 2])
        #expect(
            outcome.rows.map(\.text) == [#"{"objectId":1}"#, #"{"objectId":"x"}"#, #"{"objectId":2,"a":1}"#]
        )
        let other = try await MemoryTable("rows").commit(.create([draft("{}")]))
        #expect(other.ids.first?.description.count == 36)
        #expect(other.ids.first?.description == other.ids.first?.description.uppercased())
    }

    @Test func aRowKeepsItsBytes() async throws {
        let table = MemoryTable("rows")
        let text = #"{ "objectId" : "a" , "x" : 1.00, "y":"\u00e9" }"#
        _ = try await table.commit(.create([draft(text)]))
        #expect(try await table.row("a")?.text == text)
    }
}
