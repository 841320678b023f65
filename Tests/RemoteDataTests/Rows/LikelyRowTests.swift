import Testing

@testable import RemoteData

struct LikelyRowTests {
    private func takes(_ text: String, _ likely: inout LikelyRow) -> Bool {
        let bytes = Array(text.utf8)
        var position = 0
        let isTaken = likely.takeRow(bytes.span, &position) != nil
        #expect(position == (isTaken ? bytes.count : 0))
        return isTaken
    }

    @Test func rowsAlikeAreTaken() {
        var likely = LikelyRow(idColumn: "id")
        for number in 0..<100 { #expect(takes(#"{"id":"\#(number)","n":\#(number)}"#, &likely)) }
    }

    /// A connection tells of many tables.
    @Test func rowsThatCannotBeLearnedDoNotEndIt() {
        var likely = LikelyRow(idColumn: "id")
        for _ in 0..<200 { #expect(!takes(#"{"id":"a","ä":1}"#, &likely)) }
        let taken = (0..<20).map { takes(#"{"id":"\#($0)","n":1}"#, &likely) }
        #expect(taken.suffix(10).allSatisfy { $0 })
    }

    @Test func rowsOfTwoKindsInTurnDoNotEndIt() {
        var likely = LikelyRow(idColumn: "id")
        for number in 0..<200 {
            _ = takes(number % 2 == 0 ? #"{"id":"a","n":1}"# : #"{"n":1,"id":"a"}"#, &likely)
        }
        let taken = (0..<20).map { _ in takes(#"{"n":1,"id":"a"}"#, &likely) }
        #expect(taken.suffix(10).allSatisfy { $0 })
    }
}
