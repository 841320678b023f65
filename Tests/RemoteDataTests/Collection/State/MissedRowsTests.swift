import Testing

@testable import RemoteData

@Suite struct MissedRowsTests {
    private func row(_ id: Int64, _ value: Int = 0) -> Row {
        Row(id: .integer(id), json: Array(#"{"objectId":\#(id),"v":\#(value)}"#.utf8)[...])
    }

    @Test func rowsStayInTheOrderInWhichTheyWent() {
        var missed = MissedRows()
        for id in [5, 3, 9, 1] as [Int64] { missed.put(row(id)) }
        missed.put(row(3, 7))
        #expect(missed.inOrder == [row(5), row(3, 7), row(9), row(1)])
        #expect([missed.remove(.integer(5)), missed.remove(.integer(5))] == [true, false])
        missed.put(row(5))
        #expect(missed.inOrder.map(\.id) == [3, 9, 1, 5])
        missed.removeAll { $0.id == 9 || $0.id == 5 }
        #expect(missed.inOrder.map(\.id) == [3, 1])
        #expect(missed.contains(.integer(3)))
        #expect(!missed.contains(.integer(9)))
    }
}
