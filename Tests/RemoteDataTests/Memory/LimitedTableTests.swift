import RemoteData
import RemoteDataTesting
import Testing

struct LimitedTableTests {
    private static let variants: [Capabilities] = {
        var offsetsOnly = Capabilities()
        offsetsOnly.maximumPageSize = 7
        var live = Capabilities.full
        live.revisions = false
        live.resume = false
        live.conditionalWrites = false
        live.reportsLeaving = false
        var plain = Capabilities.full
        plain.liveChanges = false
        plain.idempotency = false
        plain.filteredDeletes = false
        plain.filteredUpdates = false
        plain.binaryOrder = false
        return [offsetsOnly, live, plain]
    }()

    @Test(arguments: variants) func keepsTheContractAsFarAsDeclared(capabilities: Capabilities) async {
        await checkTable { LimitedTable(MemoryTable("rows"), to: capabilities) }
    }

    @Test func whatIsNotDeclaredIsRefused() async throws {
        let table = LimitedTable(MemoryTable("rows"), to: Capabilities())
        let start = PageRequest.Start.after(Key(values: [], id: "a"))
        await #expect(throws: RemoteDataError.self) {
            try await table.page(PageRequest(Query(), start: start))
        }
        await #expect(throws: RemoteDataError.self) { try await table.subscribe(to: Query(), since: nil) }
        await #expect(throws: RemoteDataError.self) { try await table.changes(since: .zero, limit: 1) }
        await #expect(throws: RemoteDataError.self) { try await table.commit(.deleteAll(nil)) }
    }
}
