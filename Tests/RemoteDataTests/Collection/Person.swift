import Foundation
import RemoteData

/// A row to test with.
struct Person: Codable, Identifiable, Hashable, Sendable {
    var id: String?
    var name: String
    var age: Int?
}

/// Fills a table with people called p000, p001, …, aged 0, 1, …, and with ids in the same order.
func makePeople(_ count: Int, in table: any Table) async throws {
    guard count > 0 else { return }
    let drafts = try (0..<count).map { number in
        let name = String(format: "p%05d", number)
        return try Draft(
            [UInt8](#"{"objectId":"\#(name)","name":"\#(name)","age":\#(number)}"#.utf8)[...],
            idColumn: "objectId"
        )
    }
    _ = try await table.commit(.create(drafts))
}
