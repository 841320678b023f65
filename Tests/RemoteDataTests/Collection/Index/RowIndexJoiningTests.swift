import Testing

@testable import RemoteData

@Suite struct RowIndexJoiningTests {
    /// Of chunks next to each other two hold more than half of what one can, so that what is left takes few.
    @Test func chunksThatGetSmallAreJoined() {
        var index = RowIndex()
        index.insert((0..<10_000).map { RowIndexModel.row($0) }, at: 0)
        let full = index.chunks.count { !$0.isEmpty }
        for position in (0..<10_000).reversed() where position % 100 != 0 { index.remove(at: position) }

        #expect(index.count == 100)
        #expect(index.fault == nil)
        #expect(full <= 10_000 / 32)
        #expect(index.chunks.count { !$0.isEmpty } <= 2 * 100 / 32 + 1)
    }
}
