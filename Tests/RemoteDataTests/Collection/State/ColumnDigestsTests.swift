import Testing

@testable import RemoteData

/// Whether columns of rows differ, by their digests.
struct ColumnDigestsTests {
    private func digests(_ json: String) -> ColumnDigests {
        ColumnDigests(Row(id: "a", json: Array(json.utf8)[...]))
    }

    private func mayDiffer(_ old: ColumnDigests, _ new: String, _ column: String) -> Bool {
        old.mayDiffer(from: digests(new), in: column)
    }

    @Test("A column that has another value, comes or goes differs")
    func columnsThatDiffer() {
        for number in 0..<200 {
            let old = digests(#"{"c\#(number)":1,"x":5}"#)
            #expect(!mayDiffer(old, #"{"x":5,"c\#(number)":1}"#, "c\(number)"))
            #expect(mayDiffer(old, #"{"c\#(number)":2,"x":5}"#, "c\(number)"))
            #expect(mayDiffer(old, #"{"x":5}"#, "c\(number)"))
            #expect(mayDiffer(digests(#"{"x":5}"#), #"{"c\#(number)":1,"x":5}"#, "c\(number)"))
        }
    }

    @Test("Columns that exchange their values differ")
    func exchangedValues() {
        let old = digests((0..<20).map { #""c\#($0)":\#($0)"# }.joined(separator: ",").inBraces)
        let new = (0..<20).map { #""c\#($0)":\#(19 - $0)"# }.joined(separator: ",").inBraces
        for number in 0..<20 { #expect(mayDiffer(old, new, "c\(number)")) }
    }

    @Test("Few other columns look as if they differed")
    func otherColumns() {
        let old = digests(#"{"x":5}"#)
        let others = (0..<800).filter { mayDiffer(old, #"{"x":6}"#, "c\($0)") }
        #expect((50..<200).contains(others.count))
    }

    @Test("What differed once may always differ, also where the row cannot be read")
    func whatDifferedOnce() {
        var digests = digests(#"{"x":5,"y":1}"#)
        digests.formIntersection(self.digests(#"{"x":6,"y":1}"#))
        digests.formIntersection(self.digests(#"{"x":5,"y":1}"#))
        #expect(mayDiffer(digests, #"{"x":5,"y":1}"#, "x"))
        #expect(mayDiffer(self.digests("{"), #"{"x":5}"#, "x"))
        #expect(mayDiffer(self.digests(#"{"x":5}"#), "{", "x"))
    }
}

extension String {
    fileprivate var inBraces: String { "{\(self)}" }
}
