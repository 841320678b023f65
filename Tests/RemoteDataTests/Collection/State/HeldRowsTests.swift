import RemoteDataTesting
import Testing

@testable import RemoteData

/// Held rows said plainly: an array of rows with their anchors.
private struct HeldRowsModel {
    var rows: [(row: Row, anchor: Int)] = []

    mutating func insert(_ new: [Row], at position: Int) {
        let index = rows.indices.first { rows[$0].anchor + $0 >= position } ?? rows.count
        rows.insert(contentsOf: new.map { ($0, position - index) }, at: index)
    }

    mutating func shift(from base: Int, by difference: Int) {
        for index in rows.indices where rows[index].anchor > base {
            rows[index].anchor = max(base, rows[index].anchor + difference)
        }
    }

    func position(ofBase base: Int) -> Int { base + rows.count { $0.anchor <= base } }
}

@Suite struct HeldRowsTests {
    @Test func answersLikeAnArrayAfterAnyOperations() async {
        for seed in 0..<UInt64(Campaign.size(quick: 600)) {
            if seed.isMultiple(of: 20) { await Task.yield() }
            var random = SeededGenerator(seed: seed)
            var (held, model, trail) = (HeldRows(), HeldRowsModel(), [String]())
            for number in 0..<random.number(1..<40) {
                let position = random.number(0..<30)
                switch random.number(0..<6) {
                case 0, 1:
                    let ids = (0..<random.number(1..<4)).map { Int64((number * 31 % 40) * 10 + $0) }
                    guard ids.allSatisfy({ !held.contains(.integer($0)) }) else { continue }
                    trail.append("insert(\(ids), at: \(position))")
                    held.insert(ids.map { RowIndexModel.row($0) }, at: position)
                    model.insert(ids.map { RowIndexModel.row($0) }, at: position)
                case 2:
                    guard !model.rows.isEmpty else { continue }
                    let index = random.number(0..<model.rows.count)
                    trail.append("remove(at: \(index))")
                    held.remove(at: index)
                    model.rows.remove(at: index)
                case 3:
                    guard !model.rows.isEmpty else { continue }
                    let index = random.number(0..<model.rows.count)
                    let row = RowIndexModel.row(model.rows[index].row.number, version: number)
                    held.replace(row, at: index)
                    model.rows[index].row = row
                default:
                    let difference = random.number(-6..<6)
                    trail.append("shift(from: \(position), by: \(difference))")
                    held.shift(from: position, by: difference)
                    model.shift(from: position, by: difference)
                }
                if let fault = difference(held, model) {
                    Issue.record("seed \(seed): \(fault)\n\(trail.joined(separator: "\n"))")
                    return
                }
            }
        }
    }

    private func difference(_ held: HeldRows, _ model: HeldRowsModel) -> String? {
        if held.count != model.rows.count { return "count" }
        if !held.rows.map(\.row).elementsEqual(model.rows.map(\.row)) { return "the rows" }
        if held.rows.map(\.anchor) != model.rows.map(\.anchor) {
            return "the anchors \(held.rows.map(\.anchor))"
        }
        for (index, item) in model.rows.enumerated() {
            if held.index(of: item.row.id) != index { return "index(of: \(item.row.id))" }
            let position = item.anchor + index
            if held.position(ofHeld: index) != position { return "position(ofHeld: \(index))" }
            if held.location(of: position) != .held(index) { return "location(of: \(position))" }
            let key = Key(item.row, sort: [])
            let before = model.rows.count { $0.row.number < item.row.number }
            if held.count(before: key) != before { return "count(before: \(item.row.id))" }
        }
        for base in 0..<40 {
            let position = model.position(ofBase: base)
            if held.position(ofBase: base) != position { return "position(ofBase: \(base))" }
            if held.location(of: position) != .base(base) { return "location(of: \(position))" }
        }
        let ranges = held.positions(ofBase: 3..<20)
        if ranges.flatMap(\.self) != (3..<20).map({ model.position(ofBase: $0) }) {
            return "positions(ofBase:)"
        }
        return nil
    }

    /// A cost of rows times rows would be hundreds of millions of comparisons here.
    @Test func twentyThousandAreHeldAndFoundInTheTimeOfATest() throws {
        var held = HeldRows()
        held.insert((0..<10_000).map { RowIndexModel.row($0) }, at: 500_000)
        for id in 10_000..<20_000 as Range<Int64> { held.insert([RowIndexModel.row(id)], at: 100_000) }
        for id in 0..<20_000 as Range<Int64> {
            let index = try #require(held.index(of: .integer(id)))
            #expect(held.rows[index].row.number == id)
            held.shift(from: 50_000, by: id.isMultiple(of: 2) ? 1 : -1)
        }
        #expect(held.location(of: 100_000) == .held(0))
        #expect(held.rows[0].row.number == 19_999)
    }

    @Test func anIterationOverHeldRowsLooksAtEachOnce() throws {
        var fixture = try StateFixture(rows: 0, isLive: false)
        let rows = (0..<10_000).map { RowIndexModel.row($0) }
        let changes = rows.map { Change(revision: nil, kind: .created, row: $0) }
        _ = fixture.state.wrote(changes, heldAt: 0, since: fixture.state.beginWatch())
        let iteration = fixture.state.beginIteration()
        var taken: [Int64] = []
        while case .rows(let part) = fixture.state.step(iteration) {
            taken += part.rows[part.range].map(\.number)
        }
        #expect(taken == Array(0..<10_000))
    }
}
