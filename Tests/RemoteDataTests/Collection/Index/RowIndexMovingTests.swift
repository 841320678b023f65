import RemoteDataTesting
import Testing

@testable import RemoteData

/// Rows that find their places by their keys, in any order and among any values.
@Suite(.serialized) struct RowIndexMovingTests {
    private static let sequences = Campaign.size(quick: 1_000)

    @Test func rowsAreWhereTheirKeysBelongHoweverTheyCameThere() async {
        let faults = await Campaign.faults(in: Self.sequences) { number in
            var run = MovingRun(seed: UInt64(number))
            return run.fault().map { "\($0)\n\(run.trail.joined(separator: "\n"))" }
        }
        for (number, fault) in faults { Issue.record("seed \(number): \(fault)") }
    }
}

/// One sequence of operations on an index and on an array in order.
private struct MovingRun {
    private var random: SeededGenerator
    private let sort: [SortTerm]
    /// Whether ids are texts of which two and two hash alike, written with one character or with two.
    private let collides: Bool
    private var index: RowIndex
    private var slots: [Row?] = []
    private var lastID: Int64 = 0
    private(set) var trail: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let term = SortTerm("v", ascending: random.chance(2), nullsFirst: random.chance(2))
        sort = random.chance(5) ? [] : random.chance(2) ? [term] : [term, SortTerm("w")]
        collides = random.chance(3)
        index = RowIndex(chunkLimit: random.pick([2, 3, 8, RowIndex.largestChunk]), sort: sort)
    }

    mutating func fault() -> String? {
        // Some fill whole chunks.
        for _ in 0..<random.number(1..<(random.chance(40) ? 300 : 60)) {
            let wrong =
                switch random.number(0..<9) {
                case 0, 1, 2: insert()
                case 3, 4: move()
                case 5: replace()
                case 6: remove()
                case 7: arrange()
                default: insertGap()
                }
            if let wrong = wrong ?? index.fault ?? difference() { return wrong }
        }
        return nil
    }

    private mutating func value() -> String {
        let texts = [
            "\"\"", "\"a\"", "\"a\\u0000\"", "\"abcdefgh\"", "\"abcdefghi\"", "\"é\"", "[1]", "true", "false",
        ]
        let numbers = [
            "0", "-0.0", "1", "1.0", "0.5", "-1", "-2.5", "9007199254740993", "9007199254740992.0", "1e300",
        ]
        return random.pick(["null"] + texts + numbers)
    }

    private mutating func row(_ id: RowID) -> Row {
        let json = #"{"v":\#(value()),"w":\#(value())}"#
        return Row(id: id, json: Array(json.utf8)[...])
    }

    private mutating func newID() -> RowID {
        lastID += 1
        guard collides else {
            return .integer(Int64.random(in: 0..<1_000_000, using: &random) * 1_000 + lastID)
        }
        return .text(
            "\(lastID / 2 * 37 % 101)-\(lastID / 2)\(lastID.isMultiple(of: 2) ? "\u{E9}" : "e\u{301}")"
        )
    }

    private mutating func insert() -> String? {
        let row = row(newID())
        trail.append("insert \(row.text)")
        let key = Key(row, sort: sort)
        return arrive(row, key, at: index.insert(row, key))
    }

    private mutating func move() -> String? {
        guard let (old, position) = loaded(), let spot = index.spot(of: old.id) else { return nil }
        guard index.row(at: spot) == old, index.position(of: spot) == position else { return "the spot" }
        let row = row(old.id)
        let key = Key(row, sort: sort)
        trail.append("move \(old.text) to \(row.text)")
        guard index.hasKey(key, at: spot) == (Key(old, sort: sort) == key) else {
            return "whether it has the key"
        }
        slots.remove(at: position)
        return arrive(row, key, at: index.move(spot, to: row, row.id.mark, key))
    }

    private mutating func arrive(_ row: Row, _ key: Key, at place: Place) -> String? {
        let expected = self.place(of: key)
        guard place == expected else { return "it came to \(place), not \(expected)" }
        if case .between(let position) = place { slots.insert(row, at: position) }
        return nil
    }

    /// Another version with the same key.
    private mutating func replace() -> String? {
        guard let (old, position) = loaded() else { return nil }
        let row = old.at(Revision(Int64(trail.count)))
        trail.append("replace \(old.text)")
        index.replace(row, at: position)
        slots[position] = row
        return nil
    }

    private mutating func arrange() -> String? {
        guard let (_, position) = loaded(), let (node, _) = index.chunk(at: position) else { return nil }
        trail.append("arrange \(position)")
        index.arrange(node)
        return nil
    }

    private mutating func remove() -> String? {
        guard let (row, position) = loaded() else { return nil }
        trail.append("remove \(row.text)")
        slots.remove(at: position)
        return index.remove(at: position) == row ? nil : "another row went"
    }

    private mutating func insertGap() -> String? {
        let (position, size) = (random.number(0..<(slots.count + 1)), random.number(1..<4))
        trail.append("gap of \(size) at \(position)")
        index.insertGap(size, at: position)
        slots.insert(contentsOf: Array(repeating: nil, count: size), at: position)
        return nil
    }

    private mutating func loaded() -> (Row, Int)? {
        let positions = slots.indices.filter { slots[$0] != nil }
        guard !positions.isEmpty else { return nil }
        let position = random.pick(positions)
        return slots[position].map { ($0, position) }
    }

    private func place(of key: Key) -> Place {
        let keys = slots.map { row in row.map { Key($0, sort: sort) } }
        func order(_ other: Key?) -> Order? { other.map { Key.order(key, $0, sort: sort) } }
        let before = (keys.lastIndex { order($0) == .descending } ?? -1) + 1
        let behind = keys.firstIndex { order($0) == .ascending } ?? keys.count
        return before == behind ? .between(before) : .gap(before..<behind)
    }

    private func difference() -> String? {
        var rows: [Row?] = Array(repeating: nil, count: index.count)
        index.forEachLoaded { rows[$0] = $1 }
        guard rows == slots else { return "the rows" }
        for (position, row) in slots.enumerated() {
            guard let row else { continue }
            if index.place(of: Key(row, sort: sort)) != .at(position) { return "the place of \(row.text)" }
            if index.position(of: row.id) != position { return "the position of \(row.text)" }
        }
        return nil
    }
}
