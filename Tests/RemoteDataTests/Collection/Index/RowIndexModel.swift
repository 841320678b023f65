import RemoteDataTesting

@testable import RemoteData

/// What a row index is, said plainly: an array of positions, each with a row or without.
struct RowIndexModel {
    var slots: [Row?] = []

    /// A row whose value `v` sorts like its id.
    static func row(_ id: Int64, version: Int = 0) -> Row {
        let json = #"{"v":\#(id / 10)}"#
        return Row(id: .integer(id), revision: Revision(Int64(version)), json: Array(json.utf8)[...])
    }

    /// The key of a row in an order by that value, or by ids alone.
    static func key(_ id: Int64, sort: [SortTerm]) -> Key {
        Key(values: sort.isEmpty ? [] : [.integer(id / 10)], id: .integer(id))
    }

    /// The ids that may be put at a position, which leaves the rows in order.
    func room(at position: Int) -> Range<Int64> {
        let before = slots[..<position].last { $0 != nil }.flatMap { $0?.number }
        let behind = slots[position...].first { $0 != nil }.flatMap { $0?.number }
        return ((before ?? -1) + 1)..<(behind ?? 1 << 60)
    }

    var loaded: [(position: Int, row: Row)] {
        slots.enumerated().compactMap { position, row in row.map { (position, $0) } }
    }

    func gap(at position: Int) -> Range<Int>? {
        guard slots.indices.contains(position), slots[position] == nil else { return nil }
        let lower = (slots[..<position].lastIndex { $0 != nil } ?? -1) + 1
        let upper = slots[position...].firstIndex { $0 != nil } ?? slots.count
        return lower..<upper
    }

    func firstGap(from position: Int) -> Range<Int>? {
        guard slots.indices.contains(position) else { return nil }
        return slots[position...].firstIndex { $0 == nil }.flatMap(gap(at:))
    }

    func place(of id: Int64) -> Place {
        if let position = slots.firstIndex(where: { $0?.number == id }) { return .at(position) }
        let before = (slots.lastIndex { ($0?.number).map { $0 < id } ?? false } ?? -1) + 1
        let behind = slots.firstIndex { ($0?.number).map { $0 > id } ?? false } ?? slots.count
        return before == behind ? .between(before) : .gap(before..<behind)
    }

    mutating func resizeGap(at position: Int, by difference: Int) {
        guard let gap = gap(at: position) else { return }
        let size = max(0, gap.count + difference)
        slots.replaceSubrange(gap, with: repeatElement(nil, count: size))
    }
}

extension Row {
    /// The number that the rows of these tests have as their id.
    var number: Int64 {
        guard case .integer(let number) = id else { return -1 }
        return number
    }
}

extension RowIndex {
    /// What is broken in the tree; nil when nothing is.
    var fault: String? {
        var count = 0
        var seen: Set<Int> = []
        var ids: [RowID: Spot] = [:]
        var wasGap = false
        var gaps = 0
        var node = first
        while node >= 0 {
            guard seen.insert(node).inserted else { return "node \(node) comes twice" }
            if let fault = faultOfLinks(at: node) { return fault }
            let rows = chunks[node].rows
            if nodes[node].isGap {
                if wasGap { return "two gaps side by side" }
                if !rows.isEmpty { return "a gap with rows" }
                gaps += 1
            } else {
                if rows.count > chunkLimit { return "a chunk of \(rows.count) rows" }
                if rows.count != nodes[node].weight { return "a chunk of another weight" }
            }
            if let fault = chunks[node].fault(sort: sort) { return "\(fault) of node \(node)" }
            let ends = (first: chunks[node].beginnings.first, last: chunks[node].beginnings.last)
            if !nodes[node].isGap, nodes[node].first != ends.first || nodes[node].last != ends.last {
                return "where the keys of node \(node) begin"
            }
            if nodes[node].weight <= 0 { return "an empty node" }
            for (offset, row) in rows.enumerated() {
                let spot = Spot(node: node, offset: offset)
                guard ids.updateValue(spot, forKey: row.id) == nil else { return "\(row) is there twice" }
            }
            wasGap = nodes[node].isGap
            count += nodes[node].weight
            node = successor(of: node)
        }
        if count != self.count { return "\(count) positions, but a count of \(self.count)" }
        if gaps != gapCount { return "\(gaps) gaps, but a gap count of \(gapCount)" }
        if ids.count != slotsByHash.count { return "how many ids have slots" }
        for (id, spot) in ids where self.spot(of: id) != spot { return "the spot of \(id)" }
        return faultOfUse
    }

    /// What is wrong with the order in which chunks were used.
    private var faultOfUse: String? {
        var chunks: Set<Int> = []
        var (node, previous) = (oldest, -1)
        while node >= 0 {
            if nodes[node].older != previous { return "node \(node) has a wrong older one" }
            guard !nodes[node].isGap, chunks.insert(node).inserted else {
                return "node \(node) is used twice"
            }
            (node, previous) = (nodes[node].newer, node)
        }
        if previous != newest { return "the chunk used last" }
        let all = Set(nodes.indices.filter { !self.chunks[$0].rows.isEmpty })
        return chunks == all ? nil : "the chunks used"
    }

    private func faultOfLinks(at node: Int) -> String? {
        let (left, right) = (nodes[node].left, nodes[node].right)
        var sum = nodes[node].weight
        var unloaded = nodes[node].isGap ? nodes[node].weight : 0
        for child in [left, right] where child >= 0 {
            if nodes[child].parent != node { return "node \(child) has a wrong parent" }
            if nodes[child].priority > nodes[node].priority { return "node \(child) is no heap" }
            sum += nodes[child].sum
            unloaded += nodes[child].unloaded
        }
        if unloaded != nodes[node].unloaded { return "node \(node) has a wrong number of unloaded rows" }
        if sum != nodes[node].sum { return "node \(node) has a wrong sum" }
        if nodes[node].parent < 0, node != root { return "node \(node) has no parent" }
        let previous = predecessor(of: node)
        if previous >= 0, successor(of: previous) != node { return "node \(node) has a wrong predecessor" }
        return nil
    }
}

extension RowIndexChunk {
    /// What does not fit the rows.
    fileprivate func fault(sort: [SortTerm]) -> String? {
        for (offset, row) in rows.enumerated() {
            let slot = slot(at: offset)
            if self.offset(ofSlot: slot) != offset || slots[slot].id != row.id
                || mark(inSlot: slot) != row.id.mark
            {
                return "the slot of \(row)"
            }
        }
        let keys = rows.map { Key($0, sort: sort) }
        if beginnings != keys.map({ $0.beginning(sort: sort) }) { return "the beginnings" }
        return ends?.first == keys.first && ends?.last == keys.last ? nil : "the ends"
    }

    fileprivate var beginnings: [UInt64] { (0..<count).map { beginning(at: $0) } }
}
