import RemoteDataTesting
import Testing

struct CheckCollectionTests {
    /// A collection of numbers with one thing wrong.
    private struct Faulty: BidirectionalCollection {
        enum Fault: CaseIterable { case none, count, subscriptValue, distance, slice, backward, secondPass }

        final class Passes { var count = 0 }

        let fault: Fault
        let passes = Passes()

        var startIndex: Int { 0 }
        var endIndex: Int { 5 }
        var count: Int { fault == .count ? 6 : 5 }

        func index(after index: Int) -> Int { index + 1 }
        func index(before index: Int) -> Int { fault == .backward ? index : index - 1 }
        func distance(from start: Int, to end: Int) -> Int { end - start + (fault == .distance ? 1 : 0) }

        subscript(index: Int) -> Int { fault == .subscriptValue && index == 3 ? 0 : index * 10 }

        subscript(bounds: Range<Int>) -> Slice<Faulty> {
            Slice(base: self, bounds: fault == .slice ? bounds.lowerBound..<endIndex : bounds)
        }

        func makeIterator() -> IndexingIterator<[Int]> {
            passes.count += 1
            return (fault == .secondPass && passes.count > 1 ? [] : [0, 10, 20, 30, 40]).makeIterator()
        }
    }

    private let expected = [0, 10, 20, 30, 40]

    @Test func arraysSlicesAndStringsPass() {
        checkCollection(bidirectional: expected, contains: expected)
        checkCollection(bidirectional: expected[1..<4], contains: [10, 20, 30])
        checkCollection(bidirectional: "né\u{301}e", contains: ["n", "é\u{301}", "e"])
        checkCollection(Set([7]), contains: [7])
        checkCollection(bidirectional: [Int](), contains: [])
        checkCollection(bidirectional: Faulty(fault: .none), contains: expected)
    }

    @Test(arguments: Faulty.Fault.allCases.filter { $0 != .none && $0 != .backward })
    private func findsTheFault(_ fault: Faulty.Fault) {
        withKnownIssue { checkCollection(Faulty(fault: fault), contains: expected) }
    }
}
