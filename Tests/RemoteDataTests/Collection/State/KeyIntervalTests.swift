import RemoteDataTesting
import Testing

@testable import RemoteData

/// Stretches of an order, and the clauses that say the same.
struct KeyIntervalTests {
    private static let sorts = [
        "", "a", "a desc", "a nulls first", "a desc nulls first", "a, b desc",
        "a desc nulls first, b nulls first",
    ]

    private func row(_ random: inout SeededGenerator, _ id: Int) -> Row {
        func value() -> String { random.pick(["null", "1", "2", "2.5", #""x""#, #""y""#, "true"]) }
        let json = #"{"objectId":\#(id),"a":\#(value()),"b":\#(value())}"#
        return Row(id: .integer(Int64(id)), revision: nil, json: Array(json.utf8)[...])
    }

    private func bound(_ random: inout SeededGenerator, _ sort: [SortTerm]) -> KeyInterval.Bound? {
        guard !random.chance(4) else { return nil }
        let id = random.number(0..<12)
        return .init(key: Key(row(&random, id), sort: sort), isIncluded: random.chance(2))
    }

    @Test(arguments: sorts) func theClauseIsTrueForTheRowsInsideAndNoOthers(sort: String) throws {
        let sort = try SortTerm.parse(sort)
        for seed in 0..<UInt64(Campaign.size(quick: 2_000)) {
            var random = SeededGenerator(seed: seed)
            let interval = KeyInterval(lower: bound(&random, sort), upper: bound(&random, sort))
            let conditions = try #require(interval.conditions(sort: sort, idColumn: "objectId"))
            for id in 0..<12 {
                let row = row(&random, id)
                let isInside = interval.contains(Key(row, sort: sort), sort)
                #expect(conditions.allSatisfy { $0.matches(row) } == isInside, "\(row) in \(interval)")
            }
        }
    }

    @Test(arguments: sorts) func whatIsLeftIsTheOneWithoutTheOther(sort: String) throws {
        let sort = try SortTerm.parse(sort)
        for seed in 0..<UInt64(Campaign.size(quick: 2_000)) {
            var random = SeededGenerator(seed: seed)
            let one = KeyInterval(lower: bound(&random, sort), upper: bound(&random, sort))
            let other = KeyInterval(lower: bound(&random, sort), upper: bound(&random, sort))
            let rest = one.without(other, sort: sort)
            for id in 0..<12 {
                let key = Key(row(&random, id), sort: sort)
                let isLeft = one.contains(key, sort) && !other.contains(key, sort)
                #expect(
                    rest.contains { $0.contains(key, sort) } == isLeft,
                    "\(key) in \(one) without \(other)"
                )
            }
        }
    }

    @Test func noClauseNamesAListOrAnObject() throws {
        let sort = try SortTerm.parse("a")
        let row = Row(id: .integer(1), revision: nil, json: Array(#"{"objectId":1,"a":[1]}"#.utf8)[...])
        let interval = KeyInterval(lower: .init(key: Key(row, sort: sort), isIncluded: true))
        #expect(interval.conditions(sort: sort, idColumn: "objectId") == nil)
    }
}
