/// The rows of a query, in order, of which only some are here: loaded runs and gaps in one order-statistics tree.
///
/// Every position of the query counts, loaded or not. Loaded rows sit in chunks of at most ``chunkLimit``; a chunk
/// or a gap is a node of a treap (Seidel and Aragon 1996) that knows how many positions lie below it. Position to
/// row, id to position, insert, remove and resize are O(log n) plus moving at most one chunk. Memory is for loaded
/// rows only.
///
/// Pure: it knows nothing of where rows come from, nor of what they decode to: so it is compiled once, for all elements.
struct RowIndex: Sendable {
    typealias Location = SlotsByHash.Location

    /// The most rows of a chunk where nothing smaller is asked for.
    static var largestChunk: Int { RowIndexChunk.limit }
    /// The most rows a query can have here; a table that tells more is not believed.
    static var countLimit: Int { 1 << 60 }

    private(set) var nodes: [RowIndexNode] = []
    /// By node; without rows for a gap.
    private(set) var chunks: [RowIndexChunk] = []
    private(set) var root = -1
    var slotsByHash = SlotsByHash()
    private(set) var gapCount = 0
    /// Grows whenever a position may have come to mean another row.
    private(set) var version = 0
    /// The chunk that was used longest ago; -1 when there is none.
    private(set) var oldest = -1
    private(set) var newest = -1
    /// The most rows of a chunk.
    let chunkLimit: Int
    /// The order the rows are in.
    let sort: [SortTerm]
    /// The rows that have come or changed.
    var arrivals = RowArrivals()
    /// The versions of rows that are no longer here and may have been read.
    var former = FormerVersions()
    /// Whether unread versions are kept as well, since changes deliver them.
    var keepsAllVersions = false
    private var free: [Int] = []
    private var randomState: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Creates an index of `count` rows, none of them loaded.
    init(count: Int = 0, chunkLimit: Int = largestChunk, sort: [SortTerm] = []) {
        self.sort = sort
        self.chunkLimit = min(max(1, chunkLimit), Self.largestChunk)
        if count > 0 { insertGap(count, at: 0) }
    }

    /// Creates an index that takes the place of another: every position has come to mean another row.
    ///
    /// - Parameters:
    ///   - count: How many rows it has, none of them loaded.
    ///   - other: The other index.
    ///   - keepsVersions: Whether versions that were read there stay known.
    init(count: Int = 0, replacing other: RowIndex, keepsVersions: Bool = true) {
        self.init(count: count, chunkLimit: other.chunkLimit, sort: other.sort)
        version += other.version + 1
        if keepsVersions { takeVersions(from: other) }
    }
}

// MARK: - Changing

extension RowIndex {
    /// Puts a loaded row where its key belongs, unless that is in a gap; takes the place of a row with that key.
    ///
    /// - Returns: Where it belongs.
    mutating func insert(_ row: Row, _ key: Key) -> Place { insert(row, row.idMark, key) }

    private mutating func insert(_ row: Row, _ mark: UInt64, _ key: Key) -> Place {
        let (place, spot) = seek(key)
        switch place {
        case .at(let position): replace(row, at: position)
        case .between(let position):
            if let spot, hasRoom(spot.node, 1) {
                insert(row, mark, key, at: spot)
            } else {
                insert(row, key, at: position)
            }
        case .gap: break
        }
        return place
    }

    /// Takes a loaded row out and puts another version of it where its new key belongs.
    ///
    /// - Parameters:
    ///   - spot: Where it is.
    ///   - row: The other version.
    ///   - mark: The hash of its id.
    ///   - key: The key of the other version.
    /// - Returns: Where it belongs, now that it is out; in a gap it is not put in.
    mutating func move(_ spot: Spot, to row: Row, _ mark: UInt64, _ key: Key) -> Place {
        keepRow(spot.node, spot.offset)
        removeRow(spot.node, spot.offset, mark)
        return insert(row, mark, key)
    }

    private mutating func insert(_ row: Row, _ mark: UInt64, _ key: Key, at spot: Spot) {
        arrivals.note(row.id, of: loadedCount)
        let slot = chunks[spot.node].insert(row, key.beginning(sort: sort), at: spot.offset, sort)
        slotsByHash.insert(mark, Location(node: spot.node, slot: slot))
        if spot.offset == 0 || spot.offset == chunks[spot.node].count - 1 { noteEnds(of: spot.node) }
        changeWeight(of: spot.node, by: 1)
    }

    /// Puts a loaded row with a key at a position, in front of what is there.
    mutating func insert(_ row: Row, _ key: Key, at position: Int) {
        if chunkForInsertion(at: position) == nil {
            let previous = nodeEnding(at: position)
            if previous < 0 || !hasRoom(previous, 1) {
                _ = add(RowIndexChunk([row], sort: sort), after: previous)
                return
            }
        }
        guard let spot = chunkForInsertion(at: position) else { return }
        insert(row, row.idMark, key, at: spot)
    }

    /// Puts loaded rows at a position, in front of what is there.
    mutating func insert(_ rows: [Row], at position: Int) {
        // A page keeps chunks of its own, so that what is decoded stays so when the next page comes.
        guard rows.count >= 16 else {
            for (offset, row) in rows.enumerated() {
                insert(row, Key(row, sort: sort), at: position + offset)
            }
            return
        }
        var previous = nodeEnding(at: position)
        let parts = (rows.count + chunkLimit - 1) / chunkLimit
        let size = (rows.count + parts - 1) / parts
        for start in stride(from: 0, to: rows.count, by: size) {
            let part = Array(rows[start..<Swift.min(rows.count, start + size)])
            previous = add(RowIndexChunk(part, sort: sort), after: previous)
        }
    }

    /// Puts a gap of `size` unloaded rows at a position, joined with a gap that touches it.
    mutating func insertGap(_ size: Int, at position: Int) {
        let size = Swift.min(size, Self.countLimit - count)
        guard size > 0 else { return }
        for touched in [position, position - 1] {
            if let (node, _) = locate(touched), nodes[node].isGap { return resizeGap(node, by: size) }
        }
        _ = attach(gap: size, after: nodeEnding(at: position))
        gapCount += 1
    }

    /// Makes the gap at a position larger or smaller; at nothing it vanishes.
    mutating func resizeGap(at position: Int, by difference: Int) {
        guard let (node, _) = locate(position), nodes[node].isGap else { return }
        resizeGap(node, by: difference)
    }

    private mutating func resizeGap(_ node: Int, by difference: Int) {
        let room = Self.countLimit - count
        changeWeight(of: node, by: Swift.max(-nodes[node].weight, Swift.min(difference, room)))
        if nodes[node].weight == 0 {
            gapCount -= 1
            detach(node)
        }
    }

    /// Takes a row out of a chunk, which goes when it was the last one.
    mutating func removeRow(_ node: Int, _ offset: Int, _ mark: UInt64) {
        let slot = chunks[node].remove(at: offset, sort)
        slotsByHash.remove(mark, Location(node: node, slot: slot))
        changeWeight(of: node, by: -1)
        if chunks[node].isEmpty {
            let position = start(of: node)
            detach(node)
            mergeGaps(around: position)
        } else {
            if offset == 0 || offset == chunks[node].count { noteEnds(of: node) }
            joinChunks(around: node)
        }
    }

    /// Puts another version of a row in its place.
    ///
    /// - Returns: The version that was there.
    mutating func replace(_ row: consuming Row, at spot: Spot) -> Row {
        let (node, offset) = (spot.node, spot.offset)
        if arrivals.isFollowed { arrivals.note(row.id, of: loadedCount) }
        let slot = chunks[node].slot(at: offset)
        if !chunks[node].slots[slot].hasSameID(as: row) {
            let location = Location(node: node, slot: slot)
            slotsByHash.remove(chunks[node].slots[slot].idMark, location)
            slotsByHash.insert(row.idMark, location)
        }
        let isRead = chunks[node].readSlots >> UInt64(slot) & 1 == 1
        let old = chunks[node].replace(row, at: offset, sort)
        if isRead || keepsAllVersions { noteReplaced(old, isRead, at: spot) }
        if offset == 0 || offset == chunks[node].count - 1 { noteEnds(of: node) }
        noteChange()
        return old
    }

    /// Takes out every position of a range, loaded or not.
    mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        _ = nodeEnding(at: range.upperBound)
        var node = nodeStarting(at: range.lowerBound)
        var remaining = range.count
        while node >= 0, remaining > 0 {
            let next = successor(of: node)
            remaining -= nodes[node].weight
            for (mark, location) in locations(in: node) { slotsByHash.remove(mark, location) }
            if nodes[node].isGap { gapCount -= 1 } else { keepRows(node) }
            detach(node)
            node = next
        }
        mergeGaps(around: range.lowerBound)
    }

    /// Takes out every loaded row of a kind.
    ///
    /// - Complexity: O(loaded rows).
    mutating func removeLoaded(where isGone: (Row) -> Bool) {
        var node = first
        var touched: [Int] = []
        while node >= 0 {
            let count = chunks[node].count
            let kept = (0..<count).filter { !isGone(chunks[node][$0]) }
            if kept.count < count {
                keepRows(node, besides: kept)
                for (row, slot) in chunks[node].keep(kept, sort) {
                    slotsByHash.remove(row.idMark, Location(node: node, slot: slot))
                }
                noteEnds(of: node)
                changeWeight(of: node, by: kept.count - count)
                touched.append(node)
            }
            node = successor(of: node)
        }
        for node in touched where nodes[node].weight == 0 {
            let position = start(of: node)
            detach(node)
            mergeGaps(around: position)
        }
        // A node that another has been joined to is free, and has no rows.
        for node in touched where !chunks[node].isEmpty { joinChunks(around: node) }
    }

    /// Joins a chunk with its neighbours while they are small.
    private mutating func joinChunks(around node: Int) {
        guard hasRoom(node, chunkLimit / 2) else { return }
        var node = node
        let previous = predecessor(of: node)
        if previous >= 0, canJoin(previous, node) {
            absorb(node, into: previous)
            node = previous
        }
        let next = successor(of: node)
        if next >= 0, canJoin(node, next) { absorb(next, into: node) }
    }

    private mutating func absorb(_ right: Int, into left: Int) {
        let (chunk, old) = (chunks[right], locations(in: right))
        detach(right)
        let slots = chunks[left].append(chunk, sort)
        for ((mark, location), slot) in zip(old, slots) {
            slotsByHash.move(mark, from: location, to: Location(node: left, slot: slot))
        }
        noteEnds(of: left)
        changeWeight(of: left, by: chunk.count)
    }

    /// Turns every position of a range into unloaded ones.
    mutating func forget(_ range: Range<Int>) {
        remove(range)
        insertGap(range.count, at: range.lowerBound)
    }

    private mutating func mergeGaps(around position: Int) {
        guard position > 0, let (right, offset) = locate(position), offset == 0, nodes[right].isGap,
            let (left, _) = locate(position - 1), nodes[left].isGap
        else { return }
        let size = nodes[right].weight
        detach(right)
        gapCount -= 1
        changeWeight(of: left, by: size)
    }

    mutating func cut(_ node: Int, at offset: Int) {
        let rest = nodes[node].weight - offset
        changeWeight(of: node, by: -rest)
        guard !nodes[node].isGap else {
            _ = attach(gap: rest, after: node)
            gapCount += 1
            return
        }
        let (chunk, slots) = chunks[node].split(at: offset, sort)
        noteEnds(of: node)
        let new = attach(chunk, after: node)
        for ((mark, location), slot) in zip(locations(in: new), slots) {
            slotsByHash.move(mark, from: Location(node: node, slot: slot), to: location)
        }
    }
}

// MARK: - Nodes

extension RowIndex {
    /// Puts a chunk of new rows behind a node.
    private mutating func add(_ chunk: RowIndexChunk, after previous: Int) -> Int {
        let node = attach(chunk, after: previous)
        for slot in 0..<chunk.count {
            slotsByHash.insert(chunk.mark(inSlot: slot), Location(node: node, slot: slot))
        }
        if arrivals.isFollowed { for row in chunk.rows { arrivals.note(row.id, of: loadedCount) } }
        return node
    }

    private mutating func attach(_ chunk: RowIndexChunk, after previous: Int) -> Int {
        let node = allocate(RowIndexNode(weight: chunk.count), chunk)
        enlist(node)
        noteEnds(of: node)
        return attach(node, after: previous)
    }

    private mutating func attach(gap: Int, after previous: Int) -> Int {
        attach(allocate(RowIndexNode(weight: gap, isGap: true), RowIndexChunk()), after: previous)
    }

    /// Makes a place for a node; the tree's own business is in `RowIndex+Tree.swift`.
    private mutating func allocate(_ node: RowIndexNode, _ chunk: RowIndexChunk) -> Int {
        var node = node
        randomState &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (randomState ^ (randomState >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        node.priority = UInt32(truncatingIfNeeded: mixed ^ (mixed >> 31))
        let new = free.popLast() ?? nodes.count
        precondition(new < SlotsByHash.nodeLimit, "more rows are here than can be")
        if new == nodes.count {
            nodes.append(node)
            chunks.append(chunk)
        } else {
            nodes[new] = node
            chunks[new] = chunk
        }
        return new
    }

    mutating func release(_ node: Int) {
        if !nodes[node].isGap { delist(node) }
        nodes[node] = RowIndexNode()
        chunks[node] = RowIndexChunk()
        free.append(node)
    }

    /// Has the node say where the keys of its rows begin.
    private mutating func noteEnds(of node: Int) {
        let last = chunks[node].count - 1
        guard last >= 0 else { return }
        nodes[node].first = chunks[node].beginning(at: 0)
        nodes[node].last = chunks[node].beginning(at: last)
    }

    /// Notes that a chunk was used just now.
    ///
    /// - Complexity: O(1).
    mutating func use(_ node: Int) {
        guard node != newest else { return }
        delist(node)
        enlist(node)
    }

    private mutating func enlist(_ node: Int) {
        nodes[node].older = newest
        nodes[node].newer = -1
        if newest < 0 { oldest = node } else { nodes[newest].newer = node }
        newest = node
    }

    private mutating func delist(_ node: Int) {
        let (older, newer) = (nodes[node].older, nodes[node].newer)
        if older < 0 { oldest = newer } else { nodes[older].newer = newer }
        if newer < 0 { newest = older } else { nodes[newer].older = older }
    }

    mutating func setRoot(_ node: Int) { root = node }

    mutating func noteChange() { version += 1 }

    mutating func withChunk<Result>(_ node: Int, _ body: (inout RowIndexChunk) -> Result) -> Result {
        body(&chunks[node])
    }

    mutating func withNode<Result>(_ node: Int, _ body: (inout RowIndexNode) -> Result) -> Result {
        body(&nodes[node])
    }
}
