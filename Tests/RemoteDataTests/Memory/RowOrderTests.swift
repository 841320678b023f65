import RemoteDataTesting
import Testing

@testable import RemoteData

struct RowOrderTests {
    private func row(_ id: Int, _ value: Int?) -> Row {
        let json = "{\"id\":\(id)" + (value.map { ",\"v\":\($0)" } ?? "") + "}"
        return Row(id: .integer(Int64(id)), json: Array(json.utf8)[...])
    }

    private var queries: [Query] {
        let isSmall = Where.comparison(.column("v"), .less, .literal(5))
        return [
            Query(), Query(sort: [SortTerm("v")]), Query(isSmall, sort: [SortTerm("v", ascending: false)]),
            Query(.isNull(.column("v"))), Query(sort: [SortTerm("v", nullsFirst: true)]),
        ]
    }

    private func expected(_ query: Query, _ rows: [Row]) -> [RowID] {
        rows.filter { query.filter?.matches($0) ?? true }.map { Key($0, sort: query.sort) }
            .sorted { Key.order($0, $1, sort: query.sort) == .ascending }.map(\.id)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func followingEveryChangeEqualsSortingAgain(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rows: [Int: Row] = [:]
        var orders = queries.map { RowOrder($0) }
        for step in 0..<Campaign.size(quick: 3_000) {
            let id = random.number(0..<800)
            let new = row(id, random.chance(5) ? nil : random.number(0..<10))
            let effect: RowChange.Effect
            switch (rows[id], random.number(0..<1_000)) {
            case (_, 0):
                let predicate = Where.comparison(.column("v"), .equal, .literal(3))
                effect = .bulkDeleted(predicate, count: 0, counts: [:])
                rows = rows.filter { !predicate.matches($0.value) }
            case (let old?, 1..<300):
                effect = .deleted(old)
                rows[id] = nil
            case (let old?, _):
                effect = .updated(before: old, after: new)
                rows[id] = new
            case (nil, _):
                effect = .created(new)
                rows[id] = new
            }
            let change = RowChange(revision: Revision(Int64(step)), effect: effect)
            for index in orders.indices { orders[index].apply(change) }
        }
        for order in orders {
            let ids = expected(order.query, Array(rows.values))
            #expect(order.count == ids.count, "seed \(seed): \(order.query)")
            #expect(order.page(.offset(0), limit: .max).map(\.id) == ids, "seed \(seed): \(order.query)")
            let limit = random.number(1..<700)
            let offset = random.number(0..<800)
            let page = order.page(.offset(offset), limit: limit).map(\.id)
            #expect(page == Array(ids.dropFirst(offset).prefix(limit)), "seed \(seed): \(order.query)")
            guard let start = ids.indices.randomElement(using: &random) else { continue }
            let key = Key(rows.values.first { $0.id == ids[start] } ?? row(0, nil), sort: order.query.sort)
            #expect(
                order.page(.after(key), limit: limit).map(\.id) == Array(ids[(start + 1)...].prefix(limit))
            )
            #expect(order.page(.before(key), limit: limit).map(\.id) == Array(ids[..<start].suffix(limit)))
        }
    }

    @Test func removingEverythingLeavesNothing() {
        var order = RowOrder(Query())
        for id in 0..<2_000 { order.apply(RowChange(revision: .zero, effect: .created(row(id, 1)))) }
        #expect(order.count == 2_000)
        order.apply(RowChange(revision: .zero, effect: .bulkDeleted(nil, count: 2_000, counts: [:])))
        #expect(order.count == 0)
        #expect(order.page(.offset(0), limit: 10).isEmpty)
        order.apply(RowChange(revision: .zero, effect: .created(row(1, 1))))
        #expect(order.page(.after(Key(values: [], id: 0)), limit: 10).map(\.id) == [1])
    }
}
