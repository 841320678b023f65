import RemoteDataTesting
import Testing

@testable import RemoteData

/// Long lists mean what short ones do.
@Suite struct SortedValuesTests {
    @Test func manyLiteralsAreFoundLikeFew() throws {
        var generator = WhereGenerator(seed: 5)
        var found: [Truth: Int] = [:]
        for _ in 0..<500 {
            let list = (0..<12).map { _ in generator.value() }
            let values = try #require(SortedValues(list.map { .literal($0) }))
            for value in list + (0..<4).map({ _ in generator.value() }) {
                let truth = values.truth(of: value)
                #expect(truth == Where.isIn(value, list), "\(value) in \(list)")
                found[truth, default: 0] += 1
            }
        }
        #expect(found.count == 3)
        #expect(SortedValues([.literal(1)]) == nil)
        #expect(SortedValues(Array(repeating: .column("a"), count: 20)) == nil)
    }
}
