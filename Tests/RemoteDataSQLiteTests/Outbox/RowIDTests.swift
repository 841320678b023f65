import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Rows that are created offline have ids that their server takes.
@Suite(.timeLimit(.minutes(1))) struct RowIDTests {
    /// A server's table with ids of 15 small letters and digits.
    private struct ShortIDTable: ForwardingTable {
        private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

        let base = MemoryTable("lists")
        var wrapped: any Table { base }

        func makeRowID() -> RowID? {
            .text(String((0..<15).map { _ in Self.letters[Int.random(in: Self.letters.indices)] }))
        }

        func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {
            guard case .create(let drafts)? = mutation else { return }
            for draft in drafts {
                guard case .text(let id)? = draft.id, id.utf8.count == 15 else {
                    throw RemoteDataError(.invalidRow, "An id has 15 small letters and digits.")
                }
            }
        }
    }

    @Test("A row that is created offline gets an id that the server takes")
    func offlineCreation() async throws {
        let fixture = try await SyncFixture(remote: ShortIDTable())
        fixture.outbox.networkIs(available: false)
        let writes = try await fixture.lists.add(contentsOf: (0..<3).map { List(id: "", name: "list \($0)") })
        let ids = try await SyncFixture.lists(fixture.lists).map(\.id)
        fixture.outbox.networkIs(available: true)
        try await writes.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.id) == ids)
        #expect(try await SyncFixture.lists(fixture.lists).map(\.id) == ids)
    }
}
