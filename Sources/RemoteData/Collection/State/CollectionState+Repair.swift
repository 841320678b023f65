// Comparing what is here with the table, after changes may have been missed: each stretch of loaded rows is read again
// and the difference is told, row by row; what is not where it was is asked for by its ids; then the gaps are counted.
extension CollectionState {
    /// What a repair asks the table for.
    struct RepairRead: Sendable {
        enum Kind: Sendable {
            /// The rows of a stretch, from its beginning.
            case stretch(KeyInterval)
            /// Rows by their ids.
            case rows([RowID])
            /// How many rows lie in the gap between these keys.
            case gap(KeyInterval)
        }

        let kind: Kind
        /// The request; for a gap its query is to be counted.
        let fetch: Fetch
        /// A watch begun with it, to be ended with it.
        let watch: Int
    }

    /// What a repair does next.
    enum RepairStep: Sendable {
        case read(RepairRead)
        /// What was found has to be applied first.
        case drain
        /// Everything that is here is as it is in the table.
        case done
        /// The rows cannot be compared, and have to be read anew.
        case impossible
    }

    /// How many gaps are counted one by one; rows behind that many are forgotten.
    static var countedGapLimit: Int { 32 }

    /// Whether reads wait, because what is here is being compared.
    var isRepairing: Bool { repair != nil && expectsChanges }

    /// Begins to compare what is here with the table as of a count or later; the rows stay as they are until then.
    ///
    /// - Parameters:
    ///   - count: A count made after the feed said that changes may have been missed.
    ///   - watch: A watch begun before it was asked for.
    /// - Returns: Whether it can be done; nothing has happened otherwise.
    mutating func beginRepair(at count: Count, since watch: Int) -> Bool {
        guard following != .off, count.revision != nil, !hasUnreadable, loadedCount > 0 else { return false }
        let since = applied
        startIterationsOver()
        repeatChanges(after: count, since: watch)
        for id in cursors.keys { cursors[id]?.known = nil }
        repair = Repair(stretches: loadedStretches(), doubtful: held.rows.map(\.row.id), since: since)
        applied = count.revision
        counted = count.revision
        offsetShift = 0
        passed = nil
        unreadable = nil
        strays = 0
        log = []
        own.forgetRevisions()
        holding = [:]
        fetches = [:]
        waiting = []
        needsResync = false
        beginAnew()
        if index.isComplete { noteCounted() } else { noteDoubt() }
        return true
    }

    /// The stretches of the order of which every row is here.
    private func loadedStretches() -> [KeyInterval] {
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

    /// What to do next; a read is noted, and has to be taken or given up.
    ///
    /// - Parameters:
    ///   - limit: How many rows a page may have.
    ///   - idColumn: The column of the id.
    mutating func nextRepair(limit: Int, idColumn: String) -> RepairStep {
        guard var repair else { return .done }
        if let stretch = nextStretch(repair.stretches, limit: limit) {
            guard let query = stretch.query(within: query, idColumn: idColumn) else { return .impossible }
            return .read(read(.stretch(stretch), query, limit: limit))
        }
        guard repair.isDrained else { return .drain }
        if !repair.queue.isEmpty {
            let ids = Array(repair.queue.prefix(limit))
            let clause = Where.isIn(.column(ColumnPath(idColumn)), ids.map { .literal($0.value) })
            let parts = (query.filter.map { [$0] } ?? []) + [clause]
            let rows = Query(parts.count > 1 ? .and(parts) : clause, sort: query.sort)
            return .read(read(.rows(ids), rows, limit: ids.count))
        }
        if !repair.isCounting {
            repair.isCounting = true
            repair.isCounted = hasUnreadable
            self.repair = repair
            keepCountableGaps()
            // From here on a gap that has been counted may come to be in doubt again.
            noteCounted()
        }
        guard !repair.isCounted, let gap = nextGap(behind: repair.countedThrough) else { return .done }
        let interval = neighbours(of: gap)
        guard let query = interval.query(within: query, idColumn: idColumn) else { return .impossible }
        return .read(read(.gap(interval), query, limit: 1))
    }

    private mutating func read(_ kind: RepairRead.Kind, _ query: Query, limit: Int) -> RepairRead {
        let watch = beginWatch()
        let request = PageRequest(query, start: .offset(0), limit: limit)
        let fetch = Fetch(id: watch, request: request, expected: 0..<0, floor: applied)
        return RepairRead(kind: kind, fetch: fetch, watch: watch)
    }

    /// The stretch to compare next: what somebody looked at last, with some rows in front of it, and then all others.
    private func nextStretch(_ stretches: [KeyInterval], limit: Int) -> KeyInterval? {
        guard let first = stretches.first else { return nil }
        guard let position = lookedAt, case .base(let base) = held.location(of: position),
            let key = key(at: base), let stretch = stretches.first(where: { $0.contains(key, query.sort) })
        else { return first }
        guard let start = self.key(at: max(0, base - limit / 4)), stretch.contains(start, query.sort)
        else { return stretch }
        return KeyInterval(lower: .init(key: start, isIncluded: true), upper: stretch.upper)
    }

    /// A read came to nothing.
    mutating func giveUp(_ read: RepairRead) { endWatch(read.watch) }
}

// MARK: - Taking answers

extension CollectionState {
    /// Takes the rows of a stretch, or those that were asked for by their ids.
    ///
    /// - Returns: What was applied on the way, and whether the page could be used: one that is newer than the changes that
    ///   have come has to be read again.
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when the rows are not in the order asked for.
    mutating func take(
        _ page: Page,
        for read: RepairRead
    ) throws(RemoteDataError) -> (told: [Applied], isUsed: Bool) {
        defer { endWatch(read.watch) }
        guard repair != nil, read.fetch.id > outset else { return ([], true) }
        let page = withoutRepetitions(page)
        try check(page, read.fetch)
        guard let revision = page.revision else { return ([], false) }
        let told = applyPending(through: revision)
        guard !needsResync, let applied, revision <= applied else { return (told, needsResync) }
        let delivered = Delivered(page, limit: read.fetch.request.limit)
        if !page.failures.isEmpty { noteUnreadable() }
        tell(delivered)
        let newer = log.filter { $0.number > read.watch && isNewer($0.change, than: page) }.map(\.change)
        switch read.kind {
        case .stretch(let stretch): compare(delivered, with: stretch, newer)
        case .rows(let ids): settle(ids, page.rows, newer)
        case .gap: break
        }
        return (told, true)
    }

    /// Notes how the rows of a stretch differ from what is here.
    private mutating func compare(_ delivered: Delivered, with stretch: KeyInterval, _ newer: [Change]) {
        var covered = stretch
        if !delivered.reachesEnd {
            guard let last = delivered.page.rows.last else {
                // Nothing of it can be read, so that nobody knows what comes behind it.
                needsResync = true
                return
            }
            covered.upper = .init(key: Key(last, sort: query.sort), isIncluded: true)
        }
        let rows = roll(delivered.page.rows, forward: newer, covered)
        let shown = Set(rows.map(\.id))
        for row in rows { compare(row) }
        let start = covered.lower.map { index.start(of: $0, sort: query.sort) } ?? 0
        let end = covered.upper.map { index.end(of: $0, sort: query.sort) } ?? index.count
        var missing: [RowID] = []
        index.forEachLoaded(in: start..<max(start, end)) { _, row in
            if !shown.contains(row.id) { missing.append(row.id) }
        }
        for id in missing { repair?.doubt(id) }
        repair?.cover(covered, sort: query.sort)
    }

    /// Notes how a row of the table differs from what is here.
    private mutating func compare(_ row: Row) {
        if let known = self.row(row.id) {
            guard known.revision != row.revision || known.json != row.json else { return }
            let key = Key(known, sort: query.sort)
            repair?.note(Change(revision: applied, kind: .updated, row: row, previousKey: key))
            return
        }
        // What lies where rows are not here is none of the handlers' business.
        if case .gap = index.place(of: Key(row, sort: query.sort), sort: query.sort) { return }
        repair?.note(Change(revision: applied, kind: .created, row: row))
    }

    /// Notes what has become of rows that are not where they were.
    private mutating func settle(_ ids: [RowID], _ rows: [Row], _ newer: [Change]) {
        var now: [RowID: Row] = [:]
        for row in rows { now[row.id] = row }
        for change in newer {
            if change.kind == .bulkDeleted {
                now = now.filter { !(change.predicate?.matches($0.value) ?? true) }
            } else if let id = change.id, ids.contains(id) {
                now[id] = change.row
            }
        }
        for id in ids {
            repair?.doubtful.remove(id)
            guard let known = row(id) else { continue }
            if let row = now[id] {
                compare(row)
            } else {
                let key = Key(known, sort: query.sort)
                repair?.note(Change(revision: applied, kind: .deleted, id: id, previousKey: key))
            }
        }
        repair?.queue.removeFirst(ids.count)
    }
}

// MARK: - Gaps

extension CollectionState {
    /// Takes the number of rows in a gap.
    ///
    /// - Returns: What was applied on the way, and whether the count could be used: it has to be of the very revision that
    ///   was reached.
    mutating func take(_ count: Count, for read: RepairRead) -> (told: [Applied], isUsed: Bool) {
        defer { endWatch(read.watch) }
        guard let repair, read.fetch.id > outset, case .gap(let interval) = read.kind else {
            return ([], true)
        }
        guard let revision = count.revision else { return ([], false) }
        let told = applyPending(through: revision)
        guard !needsResync, revision == applied, let gap = nextGap(behind: repair.countedThrough),
            neighbours(of: gap) == interval
        else { return (told, needsResync) }
        let heldInside =
            (interval.upper.map { held.count(before: $0.key) } ?? held.count)
            - (interval.lower.map { held.count(before: $0.key) } ?? 0)
        let size = min(max(0, count.value - heldInside), RowIndex<Element>.countLimit)
        self.repair?.countedThrough = interval.upper?.key
        self.repair?.isCounted = interval.upper == nil
        if size != gap.count {
            isRecounted = true
            index.resizeGap(at: gap.lowerBound, by: size - gap.count)
            held.shift(from: gap.upperBound - 1, by: size - gap.count)
        }
        return (told, true)
    }

    /// Forgets rows behind the last gap that is counted by itself.
    private mutating func keepCountableGaps() {
        guard index.gapCount > Self.countedGapLimit else { return }
        var gap = index.firstGap()
        for _ in 1..<Self.countedGapLimit { gap = gap.flatMap { index.firstGap(from: $0.upperBound) } }
        if let gap { forget(from: gap.lowerBound) }
    }

    private func nextGap(behind key: Key?) -> Range<Int>? {
        index.firstGap(
            from: key.map { index.start(of: .init(key: $0, isIncluded: false), sort: query.sort) } ?? 0
        )
    }

    /// The stretch of the order that a gap stands for.
    private func neighbours(of gap: Range<Int>) -> KeyInterval {
        KeyInterval(
            lower: key(at: gap.lowerBound - 1).map { .init(key: $0, isIncluded: false) },
            upper: key(at: gap.upperBound).map { .init(key: $0, isIncluded: false) }
        )
    }

    /// Ends a repair.
    mutating func endRepair() { repair = nil }
}

extension RowIndex {
    /// The first position that can belong to a stretch with a beginning.
    func start(of bound: KeyInterval.Bound, sort: [SortTerm]) -> Int {
        switch place(of: bound.key, sort: sort) {
        case .at(let position): bound.isIncluded ? position : position + 1
        case .between(let position): position
        case .gap(let gap): gap.lowerBound
        }
    }

    /// The position behind the last that can belong to a stretch with an end.
    func end(of bound: KeyInterval.Bound, sort: [SortTerm]) -> Int {
        switch place(of: bound.key, sort: sort) {
        case .at(let position): bound.isIncluded ? position + 1 : position
        case .between(let position): position
        case .gap(let gap): gap.upperBound
        }
    }
}
