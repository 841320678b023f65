import Testing

@testable import RemoteData

@Suite struct RowIndexMemoryTests {
    /// A row in the middle of some others.
    private func shared(_ id: Int64) -> Row {
        let (lead, json) = (Array(#"[{"id":0},"#.utf8), Array(#"{"id":\#(id)}"#.utf8))
        let memory = lead + json + Array("]".utf8)
        let range = lead.count..<(lead.count + json.count)
        return Row(id: .integer(id), revision: nil, in: memory, range)
    }

    private func key(_ id: Int64) -> Key { Key(values: [], id: .integer(id)) }

    /// The others that a row came with would stay in memory as long as it.
    @Test func aRowThatComesByItselfKeepsNoOthersInMemory() throws {
        #expect(shared(1).json.startIndex > 0)
        var index = RowIndex()
        index.insert(shared(5), key(5), at: 0)
        _ = index.insert(shared(7), key(7))
        _ = index.insert(shared(6), key(6))
        let spot = try #require(index.spot(of: .integer(5)))
        _ = index.replace(shared(5), at: spot)
        _ = index.insert(shared(7), key(7))
        #expect((0..<3).map { index.row(at: $0)?.id } == [.integer(5), .integer(6), .integer(7)])
        #expect((0..<3).map { index.row(at: $0)?.text } == ["5", "6", "7"].map { #"{"id":\#($0)}"# })
        #expect((0..<3).allSatisfy { index.row(at: $0)?.json.startIndex == 0 })
        #expect(index.fault == nil)
    }

    @Test func theRowsOfAPageShareIts() {
        var index = RowIndex()
        index.insert((0..<100).map { shared($0) }, at: 0)
        #expect((0..<100).allSatisfy { index.row(at: $0)?.json.startIndex ?? 0 > 0 })
    }
}
