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
        /// Wait until changes have come without which rows could be left out or come twice, then ask again.
        case changes
        /// Nobody can tell any more which rows have been taken.
        case lost
        /// The rows have all been taken.
        case end
    }

    mutating func beginIteration() -> Int {
        let id = number()
        let isInTouch = following == .off || (applied == nil ? isLive && !awaitsInterruption : self.isInTouch)
        cursors[id] = IterationCursor(isInTouch: isInTouch)
        return id
    }

    mutating func endIteration(_ id: Int) {
        cursors[id] = nil
        // Rows that were kept for it alone.
        evict()
    }

    /// Sends every iteration back to the start, with the rows it has taken in mind: where rows went meanwhile is not known.
    ///
    /// One whose rows are no longer all here goes on after the last one instead if the changes up to the count will be applied.
    mutating func startIterationsOver(at count: Count) {
        guard !cursors.isEmpty else { return }
        // Of rows that were still to be compared the changes do not show what was missed.
        let isTold = following == .off || (hasReached(count) && repair == nil)
        let going = cursors.filter { isTold && hasForgottenRows(of: $0.value) }.map(\.key)
        let begun = cursors.keys.filter { !going.contains($0) }
        index.forEachLoaded { _, row in
            let key = Key(row, sort: query.sort)
            for id in going { cursors[id]?.forget(row.id, at: key, sort: query.sort) }
            for id in begun { cursors[id]?.unloaded(row.id, at: key, sort: query.sort) }
        }
        for id in begun { cursors[id]?.startOver() }
        if following == .off { for id in going { cursors[id]?.expectPast() } }
        guard let applied, let counted = count.revision, counted < applied else { return }
        for id in going { cursors[id]?.expectAgain(through: applied) }
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
        cursor.awaited = nil
        if let rows = cursor.takeDelivered() { return give(rows) }
        let reach = reach(of: cursor)
        let position = reach.start
        if !held.isEmpty, let next = nextHeld(&cursor), next.anchor <= position {
            cursor.take(held: next.row.id)
            return .rows(ChunkPart(rows: [next.row]))
        }
        if let (node, offset) = index.chunk(at: position) {
            if let revision = newerRevision(node, from: offset) {
                cursor.awaited = .through(revision)
                return .changes
            }
            use(node)
            return .rows(take(node, from: offset, at: position, &cursor))
        }
        if position < index.count {
            return step(for: need(of: cursor, reach), whenHere: .rows(ChunkPart(rows: [])))
        }
        let missed = cursor.takeMissed().map { row($0.id) ?? $0 }
        if !missed.isEmpty { return give(missed) }
        let need = tailNeed()
        guard case .nothing = need, !mayEnd(id) else { return step(for: need, whenHere: .end) }
        cursor.awaited = .proof
        return .changes
    }

    /// Rows for an iteration that may not be here: from now on callers have elements of them.
    private mutating func give(_ rows: [Row]) -> Step {
        for row in rows { noteRead(row) }
        return .rows(ChunkPart(rows: rows))
    }

    private func step(for need: Need, whenHere step: Step) -> Step {
        switch need {
        case .wait(let fetch): .wait(fetch)
        case .fetch(let fetch): .fetch(fetch)
        case .repair: .repair
        case .nothing: step
        }
    }

    /// Whether an iteration that has passed every row may end: the rows are those of the table at a moment since it began.
    private func mayEnd(_ id: Int) -> Bool {
        guard following != .off, restoration != .offline else { return true }
        guard !needsResync, repair == nil, !isBehindReads else { return false }
        guard applied != nil else { return isLive && !awaitsInterruption }
        return proof.reached > id || (isInTouch && cursors[id]?.beganInTouch == true)
    }

    /// Whether the feed has caught up since it came alive, so that it is behind the table by no more than its own delay.
    private var isInTouch: Bool {
        isLive && !knowsGap && (resumedAt.map { proof.reached > $0 } ?? true) && !awaitsInterruption
    }

    /// Notes the revision of an answer that was asked for at a number, when a revision had been reached.
    ///
    /// - Returns: Whether it proves how recent the rows here are; one of another history does not, nor does
    ///   one that is older than what was known then.
    @discardableResult
    mutating func prove(_ revision: Revision?, asked number: Int, at floor: Revision?) -> Bool {
        guard let revision, let applied, isOfThisHistory(revision), revision >= floor ?? revision else {
            return false
        }
        proof.note(revision, asked: number, applied: applied)
        for id in cursors.keys where id < number { cursors[id]?.noteBegin(notAfter: revision) }
        return true
    }

    /// Whether an iteration needs an answer that proves how recent the rows here are, and none has come since it began.
    func needsProof(_ id: Int) -> Bool {
        guard case .proof? = cursors[id]?.awaited, applied != nil || restoration == .restored, !mayEnd(id)
        else { return false }
        return proof.newest <= id
    }

    /// Whether something was read at a later revision than the changes have come to.
    var isBehindReads: Bool {
        guard let applied, let ahead else { return false }
        return ahead > applied
    }

    /// Whether what an iteration waits for has come.
    func mayGoOn(_ id: Int) -> Bool {
        guard let cursor = cursors[id], let awaited = cursor.awaited, !cursor.isLost else { return true }
        return switch awaited {
        case .through(let revision): !isToCome(revision)
        case .proof: mayEnd(id) || awaitsRepair
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
        guard limit > 0, held.isEmpty, newer.isEmpty, var cursor = cursors[id], cursor.wantsAll,
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
        cursor.pass(through: key)
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
        guard !cursor.isAtEnd else { return .exactly(index.count) }
        guard let after = cursor.after else { return .exactly(0) }
        if let known = cursor.known, known.version == index.version { return .exactly(known.position) }
        switch index.place(of: after) {
        case .at(let position): return .exactly(position + 1)
        case .between(let position): return .exactly(position)
        case .gap(let gap): return .within(gap)
        }
    }

    /// What it takes to have the next row of an iteration, which is not here.
    ///
    /// Where its last row is not here either, and others lie between, it is asked for by its key: the page then goes to the
    /// iteration itself, since nothing tells which position it has.
    private mutating func need(of cursor: IterationCursor, _ reach: Reach) -> Need {
        let size = pageSize(of: cursor)
        guard case .within(let gap) = reach, let after = cursor.after,
            min(cursor.reached, gap.upperBound) - gap.lowerBound >= size
        else { return need(base: reach.start, size: size) }
        return need(after: after, guess: min(cursor.reached, gap.upperBound - 1), in: gap, size: size)
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
            cursor.pass(through: Key(rows[end - 1], sort: query.sort))
        }
        cursor.known = (index.version, position + end - offset)
        cursor.reached = position + end - offset
        let current = cursor
        if !current.wantsAll {
            let wanted = rows[offset..<end].filter { current.wants($0.id) }
            guard wanted.count == end - offset else { return ChunkPart(rows: wanted) }
        }
        return index.part(node, offset..<end)
    }

    /// The revision at which rows of a chunk were read, where changes have not come up to that; nil elsewhere.
    private mutating func newerRevision(_ node: Int, from offset: Int) -> Revision? {
        guard !newer.isEmpty else { return nil }
        let rows = index.part(node).rows
        guard offset < rows.count, let last = rows.last else { return nil }
        let (first, final) = (Key(rows[offset], sort: query.sort), Key(last, sort: query.sort))
        return newer.revision(of: first, through: final, query.sort)
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
    ///
    /// - Parameter isRead: Whether callers get elements of the rows.
    /// - Returns: Its parts.
    mutating func parts(isRead: Bool = true) -> [Part] {
        var parts: [Part] = []
        var position = 0
        var next = held.rows[...]
        var node = index.first
        while node >= 0 || !next.isEmpty {
            var offset = 0
            let weight = node >= 0 ? index.nodes[node].weight : 0
            while let held = next.first, node < 0 || held.anchor < position + weight {
                append(node, offset..<max(offset, held.anchor - position), isRead, to: &parts)
                offset = max(offset, held.anchor - position)
                parts.append(.rows(ChunkPart(rows: [held.row])))
                next = next.dropFirst()
            }
            append(node, offset..<max(offset, weight), isRead, to: &parts)
            position += weight
            if node >= 0 { node = index.successor(of: node) }
        }
        return parts
    }

    private mutating func append(
        _ node: Int,
        _ range: Range<Int>,
        _ isRead: Bool,
        to parts: inout [Part]
    ) {
        guard node >= 0, !range.isEmpty else { return }
        if index.nodes[node].isGap {
            parts.append(.unloaded(range.count))
        } else {
            parts.append(.rows(index.part(node, range, isRead: isRead)))
        }
    }
}
