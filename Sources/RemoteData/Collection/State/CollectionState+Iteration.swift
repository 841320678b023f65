// Iterating.
extension CollectionState {
    /// What an iteration does next.
    enum Step: Sendable {
        /// Take these rows; the chunk's rows may have been decoded already.
        case rows(ChunkPart)
        /// Wait for a page, then ask again.
        case wait(Fetch)
        /// Make this fetch, wait for it, then ask again.
        case fetch(Fetch)
        /// Wait until what is here has been compared with the table, then ask again.
        case repair
        /// Nobody can tell any more which rows have been taken.
        case lost
        /// The rows have all been taken.
        case end
    }

    mutating func beginIteration() -> Int {
        let id = number()
        cursors[id] = IterationCursor()
        return id
    }

    mutating func endIteration(_ id: Int) {
        cursors[id] = nil
        // Rows that were kept for it alone.
        evict()
    }

    /// Sends every iteration back to the start, with the rows it has taken in mind: where rows went meanwhile is not known.
    ///
    /// One whose rows are no longer all here goes on behind the last one instead; but when changes up to the count will not
    /// be told, nobody can say which rows it has taken, and it ends.
    mutating func startIterationsOver(at count: Count) {
        guard !cursors.isEmpty else { return }
        index.forEachLoaded { _, row in
            let key = Key(row, sort: query.sort)
            for id in cursors.keys { cursors[id]?.remember(row.id, key, sort: query.sort) }
        }
        let isTold = following == .off || hasReached(count)
        for (id, cursor) in cursors {
            if !hasForgottenRows(of: cursor) {
                cursors[id]?.startOver()
            } else if !isTold {
                cursors[id]?.isLost = true
            } else if let applied, let counted = count.revision, counted < applied {
                cursors[id]?.expectAgain(through: applied)
            }
        }
    }

    /// Has every iteration know that held rows go to where they sort, which may be behind it.
    mutating func letHeldRowsGo() {
        for row in held.rows.map(\.row) where !cursors.isEmpty {
            let key = Key(row, sort: query.sort)
            for id in cursors.keys { cursors[id]?.letGo(row, to: key, sort: query.sort) }
        }
    }

    /// Whether the changes up to a count have been applied.
    private func hasReached(_ count: Count) -> Bool {
        guard let applied, let revision = count.revision else { return false }
        return revision <= applied
    }

    /// Whether an iteration has taken rows that are no longer here.
    var hasForgottenRows: Bool { cursors.values.contains { hasForgottenRows(of: $0) } }

    /// Moves an iteration on.
    mutating func step(_ id: Int) -> Step {
        guard var cursor = cursors[id] else { return .end }
        guard !cursor.isLost else { return .lost }
        guard !awaitsRepair else { return .repair }
        defer { cursors[id] = cursor }
        let reach = reach(of: cursor)
        let position = reach.start
        if !held.isEmpty, let next = nextHeld(&cursor), next.anchor <= position {
            cursor.heldTaken.insert(next.row.id)
            return .rows(ChunkPart(rows: [next.row]))
        }
        if let (node, offset) = index.chunk(at: position) {
            use(node)
            return .rows(take(node, from: offset, at: position, &cursor))
        }
        if position < index.count {
            switch need(base: next(cursor, reach), size: pageSize(of: cursor)) {
            case .wait(let fetch): return .wait(fetch)
            case .fetch(let fetch):
                if case .within = reach { cursor.searches += 1 }
                return .fetch(fetch)
            case .repair: return .repair
            case .nothing: return .rows(ChunkPart(rows: []))
            }
        }
        let missed = cursor.takeMissed().map { row($0.id) ?? $0 }
        if !missed.isEmpty { return .rows(ChunkPart(rows: missed)) }
        switch tailNeed() {
        case .wait(let fetch): return .wait(fetch)
        case .fetch(let fetch): return .fetch(fetch)
        case .repair: return .repair
        case .nothing: return .end
        }
    }

    /// Moves an iteration on by up to so many rows that are here.
    ///
    /// - Parameters:
    ///   - id: The iteration.
    ///   - limit: The most rows, though at least a chunk of them.
    ///   - pages: The most pages to ask for ahead.
    /// - Returns: What it does next, the chunks that it takes with the rows it takes, and pages to be asked for as well.
    mutating func step(_ id: Int, rows limit: Int, pagesAhead pages: Int) -> (
        Step, more: [ChunkPart], ahead: [Fetch]
    ) {
        let step = step(id)
        // Who may break off soon has no more pages asked for than lie ahead of the rows that have been handed out.
        let isEarly = limit < largestPage
        var ahead = isEarly ? readAhead(id, after: step, atMost: pages, isEarly: true) : []
        var more: [ChunkPart] = []
        if case .rows(let part) = step { more = takeMore(id, rows: limit - part.range.count) }
        if !isEarly { ahead = readAhead(id, after: step, atMost: pages) }
        return (step, more, ahead)
    }

    /// The chunks directly behind what an iteration has just taken, up to so many rows.
    ///
    /// None where a step would have more to do than to take the next chunk as it is.
    /// - Complexity: O(log n + chunks).
    private mutating func takeMore(_ id: Int, rows limit: Int) -> [ChunkPart] {
        guard limit > 0, held.isEmpty, newerStretches.isEmpty, var cursor = cursors[id], cursor.wantsAll,
            let known = cursor.known, known.version == index.version,
            let next = index.chunk(at: known.position), next.offset == 0
        else { return [] }
        var (parts, node, position, last) = ([ChunkPart](), next.node, known.position, -1)
        let end = position + limit
        while node >= 0, !index.nodes[node].isGap, position + index.nodes[node].weight <= end {
            use(node)
            parts.append(index.part(node))
            position += index.nodes[node].weight
            (last, node) = (node, index.successor(of: node))
        }
        guard last >= 0, let key = index.chunks[last].ends?.last else { return [] }
        cursor.pass(through: key, seenAt: nil)
        (cursor.known, cursor.reached) = ((index.version, position), position)
        cursors[id] = cursor
        return parts
    }

    /// How far an iteration has come.
    enum Reach {
        /// To this position of the index.
        case exactly(Int)
        /// To somewhere in this gap, because the last row it took is not here.
        case within(Range<Int>)

        /// The first position that it may not have come to.
        var start: Int {
            switch self {
            case .exactly(let position): position
            case .within(let gap): gap.lowerBound
            }
        }
    }

    func reach(of cursor: IterationCursor) -> Reach {
        guard let after = cursor.after else { return .exactly(0) }
        if let known = cursor.known, known.version == index.version { return .exactly(known.position) }
        switch index.place(of: after) {
        case .at(let position): return .exactly(position + 1)
        case .between(let position): return .exactly(position)
        case .gap(let gap): return .within(gap)
        }
    }

    /// The position to read for an iteration whose next row is not here.
    ///
    /// Where its last row is not here either, that is where it was, and after that further and further in front of it, until
    /// a page begins in front of it; from there on the pages lead to it.
    private func next(_ cursor: IterationCursor, _ reach: Reach) -> Int {
        guard cache != nil, case .within(let gap) = reach else { return reach.start }
        let back = cursor.searches == 0 ? 1 : pageSize << min(cursor.searches - 1, 20)
        return max(gap.lowerBound, min(cursor.reached, gap.upperBound) - back)
    }

    /// The first held row that an iteration has not taken; those in front of it are not looked at again.
    private func nextHeld(_ cursor: inout IterationCursor) -> HeldRows.Held? {
        var index = cursor.heldKnown?.version == held.version ? cursor.heldKnown?.index ?? 0 : 0
        let rows = held.rows
        while index < rows.count, !cursor.wants(rows[index].row.id) { index += 1 }
        cursor.heldKnown = (held.version, index)
        return index < rows.count ? rows[index] : nil
    }

    /// The rows of a chunk from an offset on, which is at a position of the index, up to the next held row.
    private mutating func take(
        _ node: Int,
        from offset: Int,
        at position: Int,
        _ cursor: inout IterationCursor
    ) -> ChunkPart {
        // All that are held in front of this position have been taken.
        let untilHeld = held.isEmpty ? .max : nextHeld(&cursor)?.anchor ?? .max
        // In order, so that no row is copied.
        let rows = index.part(node).rows
        let end = min(rows.count, offset + (untilHeld - position))
        if end > offset {
            let (first, last) = (rows[offset], rows[end - 1])
            cursor.pass(through: Key(last, sort: query.sort), seenAt: revision(of: first, through: last))
        }
        cursor.known = (index.version, position + end - offset)
        cursor.reached = position + end - offset
        cursor.searches = 0
        let current = cursor
        if !current.wantsAll {
            let wanted = rows[offset..<end].filter { current.wants($0.id) }
            guard wanted.count == end - offset else { return ChunkPart(rows: wanted) }
        }
        return index.part(node, offset..<end)
    }

    /// The revision at which rows were read, where changes have not come up to that; nil elsewhere.
    private func revision(of first: Row, through last: Row) -> Revision? {
        guard !newerStretches.isEmpty else { return nil }
        let (first, last) = (Key(first, sort: query.sort), Key(last, sort: query.sort))
        return newerStretches.last {
            $0.stretch.contains(first, query.sort) && $0.stretch.contains(last, query.sort)
        }?.revision
    }

    /// Keeps what chunks decoded to, as far as they are still what they were.
    mutating func keep(_ decoded: [(rows: DecodedRows, part: ChunkPart)]) {
        for (rows, part) in decoded { keep(rows, of: part) }
    }

    /// Keeps what a chunk decoded to, if the chunk is still what it was.
    mutating func keep(_ decoded: DecodedRows, of part: ChunkPart) {
        guard let node = part.node, node < index.chunks.count, index.chunks[node].decoded == nil,
            index.chunks[node].isInOrder, index.chunks[node].slots == part.rows
        else { return }
        index.setDecoded(decoded, node: node)
    }
}

/// Some rows of a chunk, and the whole of it for whoever decodes it.
struct ChunkPart: Sendable {
    let rows: [Row]
    let range: Range<Int>
    let decoded: DecodedRows?
    /// Set when `rows` is a whole chunk of the index, so that what it decodes to can be kept.
    let node: Int?

    init(rows: [Row]) {
        self.rows = rows
        range = rows.indices
        (decoded, node) = (nil, nil)
    }

    init(rows: [Row], range: Range<Int>, decoded: DecodedRows?, node: Int) {
        (self.rows, self.range, self.decoded, self.node) = (rows, range, decoded, node)
    }
}

// MARK: - All of it at once

extension CollectionState {
    /// A stretch of positions.
    enum Part: Sendable {
        case unloaded(Int)
        case rows(ChunkPart)
    }

    /// The whole collection, in order.
    mutating func parts() -> [Part] {
        var parts: [Part] = []
        var position = 0
        var next = held.rows[...]
        var node = index.first
        while node >= 0 || !next.isEmpty {
            var offset = 0
            let weight = node >= 0 ? index.nodes[node].weight : 0
            while let held = next.first, node < 0 || held.anchor < position + weight {
                append(node, offset..<max(offset, held.anchor - position), to: &parts)
                offset = max(offset, held.anchor - position)
                parts.append(.rows(ChunkPart(rows: [held.row])))
                next = next.dropFirst()
            }
            append(node, offset..<max(offset, weight), to: &parts)
            position += weight
            if node >= 0 { node = index.successor(of: node) }
        }
        return parts
    }

    private mutating func append(_ node: Int, _ range: Range<Int>, to parts: inout [Part]) {
        guard node >= 0, !range.isEmpty else { return }
        if index.nodes[node].isGap {
            parts.append(.unloaded(range.count))
        } else {
            parts.append(.rows(index.part(node, range)))
        }
    }
}
