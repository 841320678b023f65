import Foundation
import RemoteData
import Testing

private struct Entry: Codable, Identifiable, Sendable {
    var id: String
}

struct FarSubscriptTests {
    @Test(.timeLimit(.minutes(1)))
    func aRowThatIsNotHereComesWithOneRequest() async throws {
        let table = MemoryTable("entries")
        let drafts = try (1000..<2000).map {
            try Draft(Array(#"{"objectId":"\#($0)"}"#.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        let entries = try await RemoteDataCollection<Entry>(table: table)
        // The subscript blocks, so it gets a thread that may be blocked.
        let id = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: entries[777].id) }
        }
        #expect(id == "1777")
        #expect(entries.loadedCount == 100)
    }
}
