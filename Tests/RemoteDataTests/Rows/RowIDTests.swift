import Foundation
import RemoteData
import Testing

@Suite struct RowIDTests {
    @Test func randomIDsAreVersion4UUIDsAndNoTwoAreAlike() throws {
        var ids: Set<RowID> = []
        for _ in 0..<1_000 {
            let id = RowID.random()
            guard case .text(let text) = id else {
                Issue.record("\(id) is no text.")
                return
            }
            let bytes = try #require(UUID(uuidString: text)).uuid
            #expect(bytes.6 >> 4 == 4)
            #expect(bytes.8 >> 6 == 2)
            ids.insert(id)
        }
        #expect(ids.count == 1_000)
    }
}
