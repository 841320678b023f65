/// The rows of a query, in order, of which only some are here: loaded runs and gaps in one order-statistics tree.
///
/// Every position of the query counts, loaded or not. Loaded rows sit in chunks of at most ``chunkLimit``; a chunk
/// or a gap is a node of a treap (Seidel and Aragon 1996) that knows how many positions lie below it. Position to
/// row, id to position, insert, remove and resize are O(log n) plus moving at most one chunk. Memory is for loaded
/// rows only.
///
/// Pure: it knows nothing of where rows come from.
struct RowIndex<Element: Sendable>: Sendable {
    /// The loaded rows of a node; none for a gap.
    struct Chunk: Sendable {
        var rows: [Row] = []
        /// What the rows decode to; nil until somebody looked, and again after a change.
        var decoded: DecodedChunk<Element>?
    }

    /// The keys of the first and the last row of a chunk.
    struct Ends: Sendable {
        var first: Key
        var last: Key
    }

    /// The most rows of a chunk where nothing smaller is asked for.
    static var largestChunk: Int { 256 }
    /// The most rows a query can have here; a table that tells more is not believed.
    static var countLimit: Int { 1 << 60 }

    private(set) var nodes: [RowIndexNode] = []
    /// By node.
    private(set) var chunks: [Chunk] = []
    /// The keys at both ends of a chunk, by node, so that finding a place reads few rows; none without a sort.
    private(set) var ends: [Ends?] = []
    /// A part of each row's id, by node, that few others share, so that finding a row in its chunk reads few ids.
    private(set) var marks: [[UInt64]] = []
    private(set) var root = -1
    private(set) var nodeOfID: [RowID: Int] = [:]
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
    private var free: [Int] = []
    private var randomState: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Creates an index of `count` rows, none of them loaded.
    init(count: Int = 0, chunkLimit: Int = largestChunk, sort: [SortTerm] = []) {
        self.sort = sort
        self.chunkLimit = min(max(1, chunkLimit), Self.largestChunk)
        if count > 0 { insertGap(count, at: 0) }
    }

    /// How many rows the query has.
    var count: Int { root < 0 ? 0 : nodes[root].sum }

    /// How many rows are here.
    var loadedCount: Int { nodeOfID.count }

    /// Whether every row is here.
    var isComplete: Bool { gapCount == 0 }
}

// MARK: - Changing

extension RowIndex {
    /// Puts a loaded row at a position, in front of what is there.
    mutating func insert(_ row: Row, at position: Int) { insert([row], at: position) }

    /// Puts loaded rows at a position, in front of what is there.
    mutating func insert(_ rows: [Row], at position: Int) {
        guard !rows.isEmpty else { return }
        // A page keeps chunks of its own, so that what is decoded stays so when the next page comes.
        if rows.count < 16, let (node, offset) = chunkForInsertion(at: position, of: rows.count) {
            chunks[node].rows.insert(contentsOf: rows, at: offset)
            marks[node].insert(contentsOf: rows.lazy.map(\.id.mark), at: offset)
            chunks[node].decoded = nil
            nodes[node].weight += rows.count
            for row in rows { nodeOfID[row.id] = node }
            noteEnds(of: node)
            updateSums(from: node)
            return
        }
        var previous = nodeEnding(at: position)
        if rows.count < 16, previous >= 0, hasRoom(previous, rows.count) {
            return insert(rows, at: position)
        }
        let parts = (rows.count + chunkLimit - 1) / chunkLimit
        let size = (rows.count + parts - 1) / parts
        for start in stride(from: 0, to: rows.count, by: size) {
            previous = attach(rows: Array(rows[start..<Swift.min(rows.count, start + size)]), after: previous)
            for row in chunks[previous].rows { nodeOfID[row.id] = previous }
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
        let difference = Swift.min(difference, Self.countLimit - count)
        nodes[node].weight = Swift.max(0, nodes[node].weight + difference)
        updateSums(from: node)
        if nodes[node].weight == 0 {
            gapCount -= 1
            detach(node)
        }
    }

    /// Takes out the loaded row at a position.
    @discardableResult
    mutating func remove(at position: Int) -> Row? {
        guard let (node, offset) = locate(position), !nodes[node].isGap else { return nil }
        let row = chunks[node].rows.remove(at: offset)
        marks[node].remove(at: offset)
        chunks[node].decoded = nil
        nodes[node].weight -= 1
        nodeOfID[row.id] = nil
        updateSums(from: node)
        if chunks[node].rows.isEmpty {
            detach(node)
            mergeGaps(around: position)
        } else {
            noteEnds(of: node)
            joinChunks(around: node)
        }
        return row
    }

    /// Puts another version of a row in its place.
    mutating func replace(_ row: Row, at position: Int) {
        guard let (node, offset) = locate(position), !nodes[node].isGap else { return }
        nodeOfID[chunks[node].rows[offset].id] = nil
        chunks[node].rows[offset] = row
        marks[node][offset] = row.id.mark
        chunks[node].decoded = nil
        nodeOfID[row.id] = node
        if offset == 0 || offset == chunks[node].rows.count - 1 {
            ends[node] = nil
            noteEnds(of: node)
        }
        version += 1
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
            for row in chunks[node].rows { nodeOfID[row.id] = nil }
            if nodes[node].isGap { gapCount -= 1 }
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
            let gone = chunks[node].rows.filter(isGone)
            if !gone.isEmpty {
                for row in gone { nodeOfID[row.id] = nil }
                chunks[node].rows.removeAll { nodeOfID[$0.id] == nil }
                chunks[node].decoded = nil
                marks[node] = chunks[node].rows.map(\.id.mark)
                nodes[node].weight = chunks[node].rows.count
                noteEnds(of: node)
                updateSums(from: node)
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
        for node in touched where !chunks[node].rows.isEmpty { joinChunks(around: node) }
    }

    /// Joins a chunk with its neighbours while they are small.
    private mutating func joinChunks(around node: Int) {
        var node = node
        let previous = predecessor(of: node)
        if previous >= 0, canJoin(previous, node) {
            absorb(node, into: previous)
            node = previous
        }
        let next = successor(of: node)
        if next >= 0, canJoin(node, next) { absorb(next, into: node) }
    }

    private func canJoin(_ left: Int, _ right: Int) -> Bool {
        !nodes[left].isGap && hasRoom(right, nodes[left].weight)
    }

    private mutating func absorb(_ right: Int, into left: Int) {
        let rows = chunks[right].rows
        marks[left] += marks[right]
        detach(right)
        chunks[left].rows += rows
        chunks[left].decoded = nil
        nodes[left].weight += rows.count
        for row in rows { nodeOfID[row.id] = left }
        noteEnds(of: left)
        updateSums(from: left)
    }

    /// Turns every position of a range into unloaded ones.
    mutating func forget(_ range: Range<Int>) {
        remove(range)
        insertGap(range.count, at: range.lowerBound)
    }

    /// Keeps what the rows of a chunk decode to.
    mutating func setDecoded(_ decoded: DecodedChunk<Element>, node: Int) { chunks[node].decoded = decoded }

    private mutating func mergeGaps(around position: Int) {
        guard position > 0, let (right, offset) = locate(position), offset == 0, nodes[right].isGap,
            let (left, _) = locate(position - 1), nodes[left].isGap
        else { return }
        let size = nodes[right].weight
        detach(right)
        gapCount -= 1
        nodes[left].weight += size
        updateSums(from: left)
    }

    /// A chunk with room for `count` more rows that a position touches.
    private func chunkForInsertion(at position: Int, of count: Int) -> (node: Int, offset: Int)? {
        if position > 0, let (node, offset) = locate(position - 1), hasRoom(node, count) {
            return (node, offset + 1)
        }
        if let (node, offset) = locate(position), hasRoom(node, count) { return (node, offset) }
        return nil
    }

    private func hasRoom(_ node: Int, _ count: Int) -> Bool {
        !nodes[node].isGap && nodes[node].weight + count <= chunkLimit
    }

    /// The node that ends at a position, after cutting the one that spans it; -1 at the front.
    private mutating func nodeEnding(at position: Int) -> Int {
        guard position > 0, let (node, offset) = locate(position - 1) else { return -1 }
        if offset + 1 < nodes[node].weight { cut(node, at: offset + 1) }
        return node
    }

    /// The node that starts at a position, after cutting the one that spans it; -1 at the end.
    private mutating func nodeStarting(at position: Int) -> Int {
        let previous = nodeEnding(at: position)
        return previous < 0 ? first : successor(of: previous)
    }

    private mutating func cut(_ node: Int, at offset: Int) {
        let rest = nodes[node].weight - offset
        nodes[node].weight = offset
        updateSums(from: node)
        guard !nodes[node].isGap else {
            _ = attach(gap: rest, after: node)
            gapCount += 1
            return
        }
        let rows = Array(chunks[node].rows[offset...])
        chunks[node].rows.removeSubrange(offset...)
        marks[node].removeSubrange(offset...)
        chunks[node].decoded = nil
        noteEnds(of: node)
        let new = attach(rows: rows, after: node)
        for row in rows { nodeOfID[row.id] = new }
    }
}

// MARK: - Nodes

extension RowIndex {
    private mutating func attach(rows: [Row], after previous: Int) -> Int {
        attach(allocate(RowIndexNode(weight: rows.count), Chunk(rows: rows)), after: previous)
    }

    private mutating func attach(gap: Int, after previous: Int) -> Int {
        attach(allocate(RowIndexNode(weight: gap, isGap: true), Chunk()), after: previous)
    }

    /// Makes a place for a node; the tree's own business is in `RowIndex+Tree.swift`.
    private mutating func allocate(_ node: RowIndexNode, _ chunk: Chunk) -> Int {
        var node = node
        randomState &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (randomState ^ (randomState >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        node.priority = mixed ^ (mixed >> 31)
        let new = free.popLast() ?? nodes.count
        if new == nodes.count {
            nodes.append(node)
            chunks.append(chunk)
            ends.append(nil)
            marks.append([])
        } else {
            nodes[new] = node
            chunks[new] = chunk
        }
        if !node.isGap {
            enlist(new)
            noteEnds(of: new)
            marks[new] = chunk.rows.map(\.id.mark)
        }
        return new
    }

    mutating func release(_ node: Int) {
        if !nodes[node].isGap { delist(node) }
        nodes[node] = RowIndexNode()
        chunks[node] = Chunk()
        ends[node] = nil
        marks[node] = []
        free.append(node)
    }

    /// Brings the keys at the ends of a chunk in line with its rows, reading those that are new there.
    private mutating func noteEnds(of node: Int) {
        guard !sort.isEmpty else { return }
        guard let first = chunks[node].rows.first, let last = chunks[node].rows.last else {
            ends[node] = nil
            return
        }
        if let known = ends[node] {
            if known.first.id != first.id { ends[node]?.first = Key(first, sort: sort) }
            if known.last.id != last.id { ends[node]?.last = Key(last, sort: sort) }
        } else {
            ends[node] = Ends(first: Key(first, sort: sort), last: Key(last, sort: sort))
        }
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

    mutating func withNode<Result>(_ node: Int, _ body: (inout RowIndexNode) -> Result) -> Result {
        body(&nodes[node])
    }
}
