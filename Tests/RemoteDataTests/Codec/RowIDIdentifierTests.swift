import Foundation
import Testing

@testable import RemoteData

@Suite struct RowIDIdentifierTests {
    private struct Code: RawRepresentable { var rawValue: Int }

    @Test func takesTextIntegersAndUUIDs() {
        let uuid = UUID()
        #expect(RowID(identifier: "x") == "x")
        #expect(RowID(identifier: UInt8(7)) == 7)
        #expect(RowID(identifier: Int64.min) == .integer(.min))
        #expect(RowID(identifier: uuid) == .text(uuid.uuidString))
        #expect(RowID(identifier: RowID.integer(4)) == 4)
    }

    @Test func takesOptionalsAndRawValues() {
        #expect(RowID(identifier: Optional("x") as Any) == "x")
        #expect(RowID(identifier: Optional(Optional(5)) as Any) == 5)
        #expect(RowID(identifier: Code(rawValue: 3)) == 3)
        #expect(RowID(identifier: Optional(Code(rawValue: 3)) as Any) == 3)
    }

    @Test func isNothingForNilAndForOtherTypes() {
        #expect(RowID(identifier: String?.none as Any) == nil)
        #expect(RowID(identifier: 1.5) == nil)
        #expect(RowID(identifier: UInt64.max) == nil)
        #expect(RowID(identifier: [1]) == nil)
    }

    @Test func UUIDsAreTheSameInEitherCase() {
        let uuid = UUID().uuidString
        #expect(RowID.text(uuid).isSame(as: .text(uuid.lowercased())))
        #expect(!RowID.text(uuid).isSame(as: .text(UUID().uuidString)))
        #expect(!RowID.text("a").isSame(as: "A"))
        #expect(!RowID.text("1").isSame(as: 1))
        #expect(RowID.text(uuid).spellings == [.text(uuid), .text(uuid.lowercased())])
        #expect(RowID.text("a").spellings == ["a"])
    }
}
