import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite(.serialized) struct RowIndexPropertyTests {
    /// How many sequences of operations are tried; raise it to search longer.
    private static let sequences = Campaign.size(quick: 3_000)

    @Test func answersLikeAnArrayAfterAnyOperations() async {
        let faults = await Campaign.faults(in: Self.sequences) { number in
            var run = RowIndexRun(seed: UInt64(number), isLarge: number % 100 == 0)
            return run.fault().map { "\($0)\n\(run.trail.joined(separator: "\n"))" }
        }
        for (number, fault) in faults { Issue.record("seed \(number): \(fault)") }
    }
}

/// One sequence of operations on an index and its model.
private struct RowIndexRun {
    private var random: SeededGenerator
    private let isLarge: Bool
    private let sort: [SortTerm]
    private var index: RowIndex
    private var model = RowIndexModel()
    private(set) var trail: [String] = []
    private var isWrong = false

    init(seed: UInt64, isLarge: Bool) {
        random = SeededGenerator(seed: seed)
        self.isLarge = isLarge
        let count = random.number(0..<30)
        sort = random.chance(2) ? [] : [SortTerm("v")]
        let chunkLimit = random.chance(2) ? random.number(1..<5) : RowIndex.largestChunk
        index = RowIndex(count: count, chunkLimit: chunkLimit, sort: sort)
        model.slots = Array(repeating: nil, count: count)
    }

    mutating func fault() -> String? {
        for _ in 0..<random.number(1..<(isLarge ? 40 : 16)) {
            change()
            if random.chance(3), let fault = index.fault ?? difference() { return fault }
        }
        return index.fault ?? difference()
    }

    private mutating func change() {
        let position = random.number(0..<(model.slots.count + 1))
        switch random.number(0..<14) {
        case 10: mergePage(from: position)
        case 11: move(from: position)
        case 12: evict()
        case 13: use(position)
        case 0, 1, 2: insert(at: position)
        case 3: insertGap(at: position)
        case 4: resizeGap(at: position)
        case 5, 6: remove(at: position)
        case 7: cut(from: position)
        case 8: random.chance(2) ? forget(from: position) : removeSome()
        default: replace(at: position)
        }
    }

    private mutating func insert(at position: Int) {
        let room = model.room(at: position)
        let sizes = isLarge ? [1, 15, 16, 17, 63, 64, 65, 600] : [1, 1, 1, 2, 5, 16]
        let count = random.pick(sizes)
        guard room.count > count * 2 else { return }
        let step = Int64(room.count / count)
        let rows = (0..<Int64(count)).map { number in
            RowIndexModel.row(room.lowerBound + number * step + Int64.random(in: 0..<step, using: &random))
        }
        trail.append("insert(\(count) rows from \(rows[0].number), at: \(position))")
        index.insert(rows, at: position)
        model.slots.insert(contentsOf: rows, at: position)
    }

    private mutating func insertGap(at position: Int) {
        let size = random.number(0..<6)
        trail.append("insertGap(\(size), at: \(position))")
        index.insertGap(size, at: position)
        model.slots.insert(contentsOf: Array(repeating: nil, count: size), at: position)
    }

    private mutating func resizeGap(at position: Int) {
        let difference = random.number(-6..<6)
        trail.append("resizeGap(at: \(position), by: \(difference))")
        index.resizeGap(at: position, by: difference)
        model.resizeGap(at: position, by: difference)
    }

    private mutating func remove(at position: Int) {
        trail.append("remove(at: \(position))")
        let removed = index.remove(at: position)
        let expected = model.slots.indices.contains(position) ? model.slots[position] : nil
        if removed != expected { trail.append("removed \(String(describing: removed))") }
        if expected != nil { model.slots.remove(at: position) }
    }

    private mutating func range(from position: Int) -> Range<Int> {
        position..<random.number(position..<(model.slots.count + 1))
    }

    private mutating func cut(from position: Int) {
        let range = range(from: position)
        trail.append("remove(\(range))")
        index.remove(range)
        model.slots.removeSubrange(range)
    }

    private mutating func removeSome() {
        let (divisor, rest) = (Int64(random.number(1..<4)), Int64(random.number(0..<3)))
        trail.append("removeLoaded(where: id % \(divisor) == \(rest))")
        let isGone = { (row: Row) in row.number % divisor == rest }
        let found = index.loadedRanges(where: isGone)
        let expected = model.loaded.filter { isGone($0.row) }
        if found.rows != expected.map(\.row) || found.ranges.flatMap(\.self) != expected.map(\.position) {
            trail.append("found \(found.ranges)")
            isWrong = true
        }
        index.removeLoaded(where: isGone)
        model.slots.removeAll { $0.map(isGone) ?? false }
    }

    private mutating func forget(from position: Int) {
        let range = range(from: position)
        trail.append("forget(\(range))")
        index.forget(range)
        for position in range { model.slots[position] = nil }
    }

    /// Rows in the place of whatever is in a range, with gaps around them, as a page comes.
    private mutating func mergePage(from position: Int) {
        let range = range(from: position)
        let room = model.room(at: range.lowerBound).lowerBound..<model.room(at: range.upperBound).upperBound
        let count = random.number(1..<(isLarge ? 600 : 6))
        guard room.count > count * 2 else { return }
        let step = Int64(room.count / count)
        let rows = (0..<Int64(count)).map { RowIndexModel.row(room.lowerBound + $0 * step, version: 1) }
        let (lead, rest) = (random.number(0..<3), random.number(0..<3))
        trail.append("page of \(count) from \(rows[0].number) at \(range), gaps \(lead) and \(rest)")
        index.remove(range)
        index.insertGap(lead, at: range.lowerBound)
        index.insert(rows, at: range.lowerBound + lead)
        index.insertGap(rest, at: range.lowerBound + lead + rows.count)
        let gaps = (Array(repeating: Row?.none, count: lead), Array(repeating: Row?.none, count: rest))
        model.slots.replaceSubrange(range, with: gaps.0 + rows + gaps.1)
    }

    /// A row that goes elsewhere: out of its place, and in where its new key belongs.
    private mutating func move(from position: Int) {
        guard model.slots.indices.contains(position), let row = model.slots[position] else { return }
        let id = Int64.random(in: 0..<(1 << 60), using: &random)
        guard model.place(of: id) != .at(position) else { return }
        trail.append("move(\(row.number), to: \(id))")
        index.remove(at: position)
        model.slots.remove(at: position)
        guard case .between(let place) = index.place(of: RowIndexModel.key(id, sort: sort)),
            model.place(of: id) == .between(place)
        else { return }
        index.insert([RowIndexModel.row(id)], at: place)
        model.slots.insert(RowIndexModel.row(id), at: place)
    }

    private mutating func use(_ position: Int) {
        guard let (node, _) = index.chunk(at: position) else { return }
        index.use(node)
        if index.newest != node { isWrong = true }
    }

    private mutating func evict() {
        let limit = random.number(0..<(model.slots.count + 1))
        let kept = (0..<random.number(0..<3)).map { _ in
            range(from: random.number(0..<(model.slots.count + 1)))
        }
        trail.append("evict(to: \(limit), keeping: \(kept))")
        let oldest = index.oldest
        let first = oldest < 0 ? 0..<0 : index.range(of: oldest)
        let before = index.loadedCount
        index.evict(to: limit, keeping: kept)
        for position in model.slots.indices {
            let stays = kept.contains { $0.contains(position) } || before <= limit
            let isFirst = first.contains(position)
            if stays ? index.row(at: position) != model.slots[position] : false { isWrong = true }
            // What was used longest ago goes before anything else does.
            if !stays, isFirst, index.row(at: position) != nil { isWrong = true }
            if index.row(at: position) == nil { model.slots[position] = nil }
        }
        let others = model.loaded.filter { item in !kept.contains { $0.contains(item.position) } }
        if index.loadedCount > limit, !others.isEmpty { isWrong = true }
    }

    private mutating func replace(at position: Int) {
        let isHere = model.slots.indices.contains(position) && model.slots[position] != nil
        var id = isHere ? model.slots[position]?.number ?? 0 : -1
        if isHere, random.chance(2) {
            let room = model.room(at: position).lowerBound..<model.room(at: position + 1).upperBound
            id = Int64.random(in: room, using: &random)
        }
        let row = RowIndexModel.row(id, version: trail.count)
        trail.append("replace(\(id), at: \(position))")
        index.replace(row, at: position)
        if isHere { model.slots[position] = row }
    }
}

// MARK: - Comparing

extension RowIndexRun {
    private mutating func difference() -> String? {
        let loaded = model.loaded
        if isWrong { return "the last operation" }
        if index.count != model.slots.count { return "count \(index.count), not \(model.slots.count)" }
        if index.loadedCount != loaded.count { return "loadedCount \(index.loadedCount)" }
        if index.isComplete != (loaded.count == model.slots.count) { return "isComplete" }
        var here: [(position: Int, row: Row)] = []
        index.forEachLoaded { here.append(($0, $1)) }
        if !here.elementsEqual(loaded, by: { $0 == $1 }) { return "the loaded rows" }
        return differenceOfPositions() ?? differenceOfKeys()
    }

    /// At some positions, ends and outsides included.
    private mutating func differenceOfPositions() -> String? {
        let some = (0..<4).map { _ in random.number(0..<(model.slots.count + 1)) }
        for position in some + [-1, 0, model.slots.count - 1, model.slots.count, model.slots.count + 1] {
            let expected = model.slots.indices.contains(position) ? model.slots[position] : nil
            if index.row(at: position) != expected { return "row(at: \(position))" }
            if index.gap(at: position) != model.gap(at: position) { return "gap(at: \(position))" }
            if index.firstGap(from: position) != model.firstGap(from: position) {
                return "firstGap(from: \(position))"
            }
            let gaps = model.slots.indices.filter { model.slots[$0] == nil }
            let before = gaps.count { $0 < position }
            if index.unloadedCount(before: position) != before { return "unloadedCount(before: \(position))" }
            let unloaded = gaps.indices.contains(before) ? gaps[before] : nil
            if index.positionOfUnloaded(before) != unloaded { return "positionOfUnloaded(\(before))" }
            if index.positionOfLoaded(before) != (loadedPosition(before)) {
                return "positionOfLoaded(\(before))"
            }
            let chunk = index.chunk(at: position)
            if (chunk != nil) != (expected != nil) { return "chunk(at: \(position))" }
            if let (node, offset) = chunk, index.chunks[node][offset] != expected {
                return "the row of chunk(at: \(position))"
            }
            if let row = expected {
                if index.position(of: row.id) != position { return "position(of: \(row.id))" }
                if index.row(row.id) != row { return "row(\(row.id))" }
            }
        }
        return nil
    }

    private func loadedPosition(_ rank: Int) -> Int? {
        let loaded = model.loaded
        return loaded.indices.contains(rank) ? loaded[rank].position : nil
    }

    private mutating func differenceOfKeys() -> String? {
        var ids = (0..<3).map { _ in Int64.random(in: 0..<(1 << 60), using: &random) }
        for _ in 0..<3 where !model.slots.isEmpty {
            guard let row = model.slots[random.number(0..<model.slots.count)] else { continue }
            ids += [row.number - 1, row.number, row.number + 1]
        }
        for id in ids {
            let place = index.place(of: RowIndexModel.key(id, sort: sort))
            let expected = model.place(of: id)
            if place != expected { return "place(of: \(id)) is \(place), not \(expected)" }
            if case .at = expected { continue }
            if index.position(of: .integer(id)) != nil { return "position(of: \(id)), which is not here" }
        }
        return nil
    }
}
