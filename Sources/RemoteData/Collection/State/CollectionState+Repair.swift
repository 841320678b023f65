// Comparing what is here with the table, after changes may have been missed.
//
// Where a column tells when rows were written, those are read that were written since; then stretches of loaded rows are
// counted, and halved, to find those in which rows are missing. These, and where there is no such column all, are read
// again. The difference is told row by row. What is not where it was is asked for by its ids: it has moved, or is gone.
// At last the gaps are counted.
//
// Without revisions a page is taken for what the table has at the moment it comes, as when it is read for the
// first time. An order that cannot be reproduced is read as pages of the query itself, since clauses cannot
// tell a part of it.
extension CollectionState {
    /// How many gaps are counted one by one; rows behind that many are forgotten.
    static var countedGapLimit: Int { 32 }

    /// Whether what is here is being compared.
    var isRepairing: Bool { repair != nil && expectsChanges }

    /// Whether reads wait, because what is here is being compared, or will be at once.
    var awaitsRepair: Bool { isRepairing || (needsResync && isLive) }

    /// Begins to compare what is here with the table as of a count or later; the rows stay as they are until then.
    ///
    /// - Parameters:
    ///   - count: A count made after the feed said that changes may have been missed.
    ///   - watch: A watch begun before it was asked for.
    ///   - stamp: The column that tells when rows were written.
    ///   - dates: How it tells that.
    /// - Returns: Whether it can be done; nothing has happened otherwise.
    mutating func beginRepair(
        at count: Count,
        since watch: Int,
        stamp: StampColumn? = nil,
        dates: DateConvention = .epochMilliseconds
    ) -> Bool {
        // Gaps in which rows cannot be read have to be made out by reading, since no count has their size.
        guard watch > outset, following != .off, count.revision != nil || applied == nil, loadedCount > 0,
            !hasUnreadable || index.isComplete
        else { return false }
        enterHistory(of: count, askedAt: reached(at: watch))
        let wasOfOneMoment = isOfOneMoment
        startIterationsOver(at: count)
        repeatChanges(after: count, since: watch)
        for id in cursors.keys { cursors[id]?.known = nil }
        // Rows that were still to be compared were right before that.
        let since = repair.map(\.since) ?? applied
        let stretches = loadedStretches()
        keepShown(in: stretches)
        repair = Repair(stretches: stretches, doubtful: held.rows.map(\.row.id), since: since)
        // What has been written since says it all only where the rows were right before, and stretches can be
        // counted.
        if wasOfOneMoment, !hasUnreadable, !ordersByPlace, let stamp, let date = lastDate(in: stamp.column),
            let start = dates.value(date, movedBackBy: stamp.overlap)
        {
            repair?.scan = StampScan(stamp.column, since: start)
        }
        beginAnew(at: count, since: watch)
        if index.isComplete { noteCounted() } else { noteDoubt() }
        return true
    }

    /// Ends a repair, unless more is known to have been missed since; what waits is applied up to then.
    ///
    /// - Returns: What was applied on the way and is to be told, and whether all is right again.
    mutating func endRepair(idColumn: String) -> (told: [Applied], isOver: Bool) {
        let told = awaitsGap ? applyPending() : []
        guard !needsResync else { return (told, false) }
        if repair?.isSure == true { noteCounted() }
        repair = nil
        noteVerified(idColumn: idColumn)
        return (told, true)
    }

    /// A read came to nothing.
    mutating func giveUp(_ read: RepairRead) { endWatch(read.watch) }

    /// A read shows that the rows cannot be compared.
    mutating func abandonRepair(_ read: RepairRead) {
        giveUp(read)
        if read.fetch.id > outset { repair?.isImpossible = true }
    }

    /// The latest date at which one of the rows that are here was written.
    private func lastDate(in column: ColumnPath) -> Value? {
        var last: Value?
        func note(_ row: Row) {
            let date = row[column]
            guard date != .null, last.map({ Value.order($0, date) == .ascending }) ?? true else { return }
            last = date
        }
        index.forEachLoaded { _, row in note(row) }
        for held in held.rows { note(held.row) }
        return last
    }

    /// The stretches of the order of which every row is here.
    func loadedStretches() -> [KeyInterval] {
        guard index.count > 0 else { return [KeyInterval()] }
        var stretches: [KeyInterval] = []
        var position = 0
        while position < index.count {
            let gap = index.firstGap(from: position)
            let end = gap?.lowerBound ?? index.count
            if position < end, let first = key(at: position), let last = key(at: end - 1) {
                stretches.append(
                    KeyInterval(
                        lower: position == 0 ? nil : .init(key: first, isIncluded: true),
                        upper: gap == nil ? nil : .init(key: last, isIncluded: true)
                    )
                )
            }
            position = gap?.upperBound ?? index.count
        }
        return stretches
    }
}

// MARK: - What to ask for

extension CollectionState {
    /// What to do next; a read is noted, and has to be taken or given up.
    ///
    /// - Parameters:
    ///   - limit: How many rows a page may have.
    ///   - idColumn: The column of the id.
    /// - Returns: The step.
    mutating func nextRepair(limit: Int, idColumn: String) -> RepairStep {
        guard let repair else { return .done }
        guard !repair.isImpossible else { return .impossible }
        if let scan = repair.scan {
            let start = scan.after.map { PageRequest.Start.after($0) }
            return .read(read(.written, both(scan.clause, sort: scan.sort), limit: limit, start: start))
        }
        if !repair.uncounted.isEmpty {
            guard repair.isDrained else { return .drain }
            return readInside(looked(at: repair.uncounted) ?? repair.uncounted[0], idColumn) { .size($0) }
        }
        if let stretch = nextStretch(repair.stretches, limit: limit) {
            guard !ordersByPlace else { return readInOrder(stretch, limit: limit, idColumn: idColumn) }
            return readInside(stretch, idColumn, limit: limit) { .stretch($0) }
        }
        guard repair.isDrained else { return .drain }
        if !repair.queue.isEmpty {
            let ids = Array(repair.queue.prefix(limit))
            let clause = Where.isIn(.column(ColumnPath(idColumn)), ids.map { .literal($0.value) })
            return .read(read(.rows(ids), both(clause, sort: query.sort), limit: ids.count))
        }
        if !repair.isCounting { beginCountingGaps() }
        guard self.repair?.isCounted == false, let gap = nextGap(behind: repair.countedThrough) else {
            return .done
        }
        guard !ordersByPlace else { return .read(read(.total, query, limit: 1)) }
        return readInside(neighbours(of: gap), idColumn) { .gap($0) }
    }

    /// Reads a stretch as a page of the query.
    private mutating func readInOrder(_ stretch: KeyInterval, limit: Int, idColumn: String) -> RepairStep {
        var stretch = stretch
        if let first = stretch.lower, first.isIncluded {
            // A page begins after a row. That row is asked for by its id.
            repair?.doubt(first.key.id)
            repair?.cover(KeyInterval(lower: first, upper: first), sort: query.sort)
            stretch.lower = .init(key: first.key, isIncluded: false)
        }
        guard !stretch.isEmpty(query.sort) else { return nextRepair(limit: limit, idColumn: idColumn) }
        let start = stretch.lower.map { PageRequest.Start.after($0.key) }
        // One more shows what comes behind them.
        let size = min(limit, positions(in: stretch).count + 1)
        return .read(read(.stretch(stretch), query, limit: size, start: start))
    }

    private mutating func readInside(
        _ interval: KeyInterval,
        _ idColumn: String,
        limit: Int = 1,
        _ kind: (KeyInterval) -> RepairRead.Kind
    ) -> RepairStep {
        guard let query = interval.query(within: query, idColumn: idColumn) else { return .impossible }
        return .read(read(kind(interval), query, limit: limit))
    }

    private mutating func read(
        _ kind: RepairRead.Kind,
        _ query: Query,
        limit: Int,
        start: PageRequest.Start? = nil
    ) -> RepairRead {
        let watch = beginWatch()
        let request = PageRequest(query, start: start ?? .offset(0), limit: limit)
        let fetch = Fetch(id: watch, request: request, expected: 0..<0, floor: applied)
        return RepairRead(kind: kind, fetch: fetch, watch: watch)
    }

    /// The rows of the query for which something else is true as well.
    private func both(_ clause: Where, sort: [SortTerm]) -> Query {
        Query(query.filter.map { .and([$0, clause]) } ?? clause, sort: sort)
    }

    /// The stretch to compare next: what somebody looked at last, with some rows in front of it, and then all others.
    private func nextStretch(_ stretches: [KeyInterval], limit: Int) -> KeyInterval? {
        guard let stretch = looked(at: stretches) else { return stretches.first }
        guard let position = positionLookedAt, let start = key(at: max(0, position - limit / 4)),
            stretch.contains(start, query.sort)
        else { return stretch }
        return KeyInterval(lower: .init(key: start, isIncluded: true), upper: stretch.upper)
    }

    /// The stretch with the row that was read last.
    private func looked(at stretches: [KeyInterval]) -> KeyInterval? {
        guard let key = positionLookedAt.flatMap({ key(at: $0) }) else { return nil }
        return stretches.first { $0.contains(key, query.sort) }
    }

    /// Where in the index the row is that was read last.
    private var positionLookedAt: Int? {
        guard let lookedAt, case .base(let base) = held.location(of: lookedAt) else { return nil }
        return base
    }

    private mutating func beginCountingGaps() {
        repair?.isCounting = true
        let cannotCount = isUncountable
        repair?.isCounted = cannotCount
        if index.gapCount > Self.countedGapLimit {
            var gap = index.firstGap()
            for _ in 1..<Self.countedGapLimit { gap = gap.flatMap { index.firstGap(from: $0.upperBound) } }
            if let gap { forget(from: gap.lowerBound) }
        }
        repair?.isSure = true
    }

    func nextGap(behind key: Key?) -> Range<Int>? {
        let start = key.map { index.start(of: .init(key: $0, isIncluded: false)) } ?? 0
        return index.firstGap(from: start)
    }

    /// The stretch of the order that a gap stands for.
    func neighbours(of gap: Range<Int>) -> KeyInterval {
        KeyInterval(
            lower: key(at: gap.lowerBound - 1).map { .init(key: $0, isIncluded: false) },
            upper: key(at: gap.upperBound).map { .init(key: $0, isIncluded: false) }
        )
    }
}
