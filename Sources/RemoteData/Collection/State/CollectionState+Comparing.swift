// Taking the answers of a repair.
extension CollectionState {
    /// What became of an answer: what was applied on the way and is to be told, and whether it could be used.
    ///
    /// A page that is newer than the changes that have come has to be read again, and a count that is not of the very
    /// revision that was reached.
    typealias Comparison = (told: [Applied], isUsed: Bool)

    /// Takes rows to compare with.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when the rows are not in the order asked for.
    mutating func take(_ page: Page, for read: RepairRead) throws(RemoteDataError) -> Comparison {
        defer { endWatch(read.watch) }
        guard repair != nil, read.fetch.id > outset else { return ([], true) }
        let answer = Answer(page, to: read.fetch.request)
        try check(answer, read.fetch)
        let page = answer.page
        var told: [Applied] = []
        if let revision = page.revision, applied != nil {
            told = applyPending(through: revision)
            guard !needsResync, let applied, revision <= applied else { return (told, needsResync) }
        }
        guard !needsResync else { return ([], true) }
        let delivered = Delivered(page, limit: read.fetch.request.limit)
        noteUnreadable(page.failures)
        tell(delivered)
        let newer = changes(since: read.watch, newerThan: page)
        guard !isUnplaced(newer, in: page) else { return (told, false) }
        note(page, after: newer)
        switch read.kind {
        case .written: compareWritten(delivered, newer)
        case .stretch(let stretch): compare(delivered, with: stretch, newer)
        case .rows(let ids): settle(ids, page.rows, newer)
        case .size, .gap, .total: break
        }
        if !page.failures.isEmpty { repair?.readAll() }
        return (told, true)
    }

    /// Notes how rows that were written lately differ from what is here.
    private mutating func compareWritten(_ delivered: Delivered, _ newer: [Change]) {
        let changed = Set(newer.compactMap(\.id))
        let gone = newer.filter { $0.kind == .bulkDeleted }
        for row in delivered.page.rows where !changed.contains(row.id) {
            if !gone.contains(where: { $0.predicate?.matches(row) ?? true }) { compare(row) }
        }
        if delivered.reachesEnd {
            repair?.endScan()
        } else if let last = delivered.page.rows.last, let sort = repair?.scan?.sort {
            repair?.scan?.after = Key(last, sort: sort)
        } else {
            // Nothing of it can be read, so that nobody knows what comes behind it: everything is read.
            repair?.scan = nil
        }
    }

    /// Notes how the rows of a stretch differ from what is here.
    private mutating func compare(_ delivered: Delivered, with stretch: KeyInterval, _ newer: [Change]) {
        var covered = stretch
        if !delivered.reachesEnd {
            guard let last = delivered.page.rows.last else {
                // Nothing of it can be read, so that nobody knows what comes behind it.
                repair?.isImpossible = true
                return
            }
            covered = stretch.through(Key(last, sort: query.sort), sort: query.sort)
        }
        var rows = takeForward(delivered.page.rows, newer, covered)
        // A page of the query may go on behind the stretch.
        if ordersByPlace { rows.removeAll { !covered.contains(Key($0, sort: query.sort), query.sort) } }
        let shown = Set(rows.map(\.id))
        for row in rows { compare(row) }
        var missing: [RowID] = []
        index.forEachLoaded(in: positions(in: covered)) { _, row in
            if !shown.contains(row.id) { missing.append(row.id) }
        }
        for id in missing { repair?.doubt(id) }
        let before = repair?.stretches
        repair?.cover(covered, sort: query.sort)
        // Rows that are not of the stretch lead nowhere.
        if repair?.stretches == before { repair?.isImpossible = true }
    }

    /// Notes how a row of the table differs from what is here.
    private mutating func compare(_ row: Row) {
        if let known = self.row(row.id) {
            // What is the same is put in place where its bytes or its history are others, and not delivered:
            // the one that is here in the end is the table's.
            let isElsewhere = ordersByPlace && row.place != nil && row.place != known.place
            guard
                isElsewhere || known.json != row.json || !known.isSame(as: row)
                    || isOfFormerHistory(known.revision)
            else { return }
            let key = Key(known, sort: query.sort)
            repair?.note(Change(revision: applied, kind: .updated, row: row, previousKey: key))
            return
        }
        let key = Key(row, sort: query.sort)
        // It may have been there before an iteration began, also where its rows are no longer here.
        for id in cursors.keys { cursors[id]?.appeared(row, at: key, sort: query.sort) }
        // What lies where rows are not here is none of the handlers' business.
        if case .gap = index.place(of: key) { return }
        repair?.note(Change(revision: applied, kind: .created, row: row))
    }

    /// Notes what has become of rows that are not where they were.
    private mutating func settle(_ ids: [RowID], _ rows: [Row], _ newer: [Change]) {
        var now: [RowID: Row] = [:]
        for row in rows { now[row.id] = row }
        for change in newer {
            if let former = change.formerID { now[former] = nil }
            if change.kind == .bulkDeleted {
                now = now.filter { !(change.predicate?.matches($0.value) ?? true) }
            } else if let id = change.id, repair?.doubtful.contains(id) == true {
                now[id] = change.row
            }
        }
        for id in ids {
            repair?.doubtful.remove(id)
            if let row = now[id] {
                // It may have been taken away meanwhile by what it was here.
                compare(row)
            } else if let known = row(id) {
                let key = Key(known, sort: query.sort)
                // Whether it is gone, or is only no longer one of the query's, nobody has said.
                let isLeft = query.filter != nil
                repair?.note(
                    Change(revision: applied, kind: .deleted, id: id, left: isLeft, previousKey: key)
                )
            }
        }
        repair?.queue.removeFirst(ids.count)
    }

    /// The positions of the index that can belong to a stretch.
    func positions(in interval: KeyInterval) -> Range<Int> {
        let start = interval.lower.map { index.start(of: $0) } ?? 0
        let end = interval.upper.map { index.end(of: $0) } ?? index.count
        return start..<max(start, end)
    }

    /// The gaps in which a row may have been that was where a key lies; two at most.
    func gaps(around key: Key) -> [Range<Int>] {
        guard case .within(let before, let after) = key.certainty else {
            return if case .gap(let gap) = index.place(of: key) { [gap] } else { [] }
        }
        let positions = positions(
            in: KeyInterval(
                lower: before.map { .init(key: key.at($0), isIncluded: false) },
                upper: after.map { .init(key: key.at($0), isIncluded: false) }
            )
        )
        var (gaps, position) = ([Range<Int>](), positions.lowerBound)
        while gaps.count < 2, let gap = index.firstGap(from: position), gap.lowerBound < positions.upperBound
        {
            gaps.append(gap)
            position = gap.upperBound
        }
        return gaps
    }
}

// MARK: - Counting

extension CollectionState {
    /// Takes a count that was made because gaps may be of a wrong size.
    ///
    /// - Returns: Whether it could be used; otherwise it was made at another moment, and has to be made again.
    mutating func settle(_ count: Count) -> Bool {
        // It counts rows that cannot be read. And what is being compared has rows that are gone; that counts by itself.
        if isUncountable || repair != nil { return true }
        guard isOfThisHistory(count.revision) else {
            loseTrack()
            return false
        }
        if let counted = count.revision, let applied, counted != applied { return false }
        // An own write whose event has not come may be here and not counted.
        if let ahead, let applied, ahead > applied { return false }
        noteCounted()
        if !setTotal(count) { loseTrack() }
        return true
    }

    /// Has the gaps stand for as many rows as a count has more than there are here.
    ///
    /// - Returns: False where more rows are here than there are, or no gap is for those that are missing:
    ///   what is here cannot be right. Without revisions that may be what changed while they were counted.
    private mutating func setTotal(_ count: Count) -> Bool {
        forgetBehindFirstGap()
        let unloaded = min(max(0, count.value), RowIndex.countLimit) - loadedCount
        guard unloaded >= 0, unloaded == 0 || !index.isComplete else { return count.revision == nil }
        // Without revisions the count may be newer than the loaded rows: only a page closes a gap.
        setUnloaded(count.revision == nil ? max(1, unloaded) : unloaded)
        return true
    }

    /// Takes the number of rows in a gap, or in a stretch in which nothing is new.
    mutating func take(_ count: Count, for read: RepairRead) -> Comparison {
        defer { endWatch(read.watch) }
        guard let repair, read.fetch.id > outset else { return ([], true) }
        guard isOfThisHistory(count.revision) else {
            loseTrack()
            return ([], true)
        }
        var told: [Applied] = []
        if let revision = count.revision, applied != nil {
            told = applyPending(through: revision)
            guard !needsResync else { return (told, true) }
            guard revision == applied else {
                if case .size = read.kind { self.repair?.noteUnusedCount() }
                return (told, false)
            }
        } else if !isUndisturbed(since: read.watch), !repair.isTooBusyToCount {
            self.repair?.noteUnusedCount()
            return ([], false)
        }
        switch read.kind {
        case .total:
            // Compared once more, it would be no other.
            if !setTotal(count) { self.repair?.isImpossible = true }
            self.repair?.isCounted = true
        case .size(let stretch) where !count.isExact:
            self.repair?.uncounted.removeAll { $0 == stretch }
            self.repair?.stretches.append(stretch)
        case .size(let stretch): return (told, noteSize(count, of: stretch))
        case .gap(let interval):
            guard let gap = nextGap(behind: repair.countedThrough), neighbours(of: gap) == interval else {
                return (told, false)
            }
            if count.isExact {
                setSize(of: gap, to: count, interval)
            } else {
                // The table cannot be asked for a stretch alone: all rows are counted at the end.
                self.repair?.isCounted = true
                noteDoubt()
            }
        case .written, .stretch, .rows: break
        }
        return (told, true)
    }

    /// Whether nothing has changed since a watch began, as far as that is known without revisions.
    private func isUndisturbed(since watch: Int) -> Bool {
        pendingCount == 0 && !log.contains { $0.number > watch }
    }

    /// Rows are missing from a stretch where its number is another than here: it is halved, or read where it is small.
    private mutating func noteSize(_ count: Count, of stretch: KeyInterval) -> Bool {
        guard let repair, repair.isDrained else { return false }
        let positions = positions(in: stretch)
        let unloaded =
            index.unloadedCount(before: positions.upperBound)
            - index.unloadedCount(before: positions.lowerBound)
        let here = positions.count - unloaded
        self.repair?.uncounted.removeAll { $0 == stretch }
        if unloaded == 0, count.value == here + heldCount(in: stretch) { return true }
        let middle = positions.lowerBound + positions.count / 2
        if here > pageSize, unloaded == 0, let key = key(at: middle) {
            self.repair?.uncounted += [
                KeyInterval(lower: stretch.lower, upper: .init(key: key, isIncluded: false)),
                KeyInterval(lower: .init(key: key, isIncluded: true), upper: stretch.upper),
            ]
        } else {
            self.repair?.stretches.append(stretch)
        }
        return true
    }

    private mutating func setSize(of gap: Range<Int>, to count: Count, _ interval: KeyInterval) {
        let least = count.revision == nil ? 1 : 0
        let size = min(max(least, count.value - heldCount(in: interval)), RowIndex.countLimit)
        repair?.countedThrough = interval.upper?.key
        repair?.isCounted = interval.upper == nil
        resize(gap, to: size)
    }

    /// How many held rows sort into a stretch whose ends are not held rows.
    private func heldCount(in interval: KeyInterval) -> Int {
        (interval.upper.map { held.count(before: $0.key) } ?? held.count)
            - (interval.lower.map { held.count(before: $0.key) } ?? 0)
    }
}

extension RowIndex {
    /// The first position that can belong to a stretch with a beginning.
    func start(of bound: KeyInterval.Bound) -> Int {
        switch place(of: bound.key) {
        case .at(let position): bound.isIncluded ? position : position + 1
        case .between(let position): position
        case .gap(let gap): gap.lowerBound
        }
    }

    /// The position behind the last that can belong to a stretch with an end.
    func end(of bound: KeyInterval.Bound) -> Int {
        switch place(of: bound.key) {
        case .at(let position): bound.isIncluded ? position + 1 : position
        case .between(let position): position
        case .gap(let gap): gap.upperBound
        }
    }
}

extension Row {
    /// Whether another row has the same contents, and the same revision where both have one of the same
    /// history.
    ///
    /// The order of its columns is not of its contents: where an answer has no rows, they are here in the
    /// order they were written in.
    func isSame(as other: Row) -> Bool {
        // What is known is compared before bytes are read that may be far away.
        if let revision, let last = other.revision, revision != last, revision.isOfSameHistory(as: last) {
            return false
        }
        return hasSameColumns(as: other)
    }

    /// Whether another row has the same contents, at whatever revision.
    func hasSameColumns(as other: Row) -> Bool {
        if json == other.json { return true }
        guard json.count == other.json.count,
            let members = try? JSONObject.members(of: json),
            let others = try? JSONObject.members(of: other.json)
        else { return false }
        return members.count == others.count
            && members.allSatisfy { JSONObject.json(of: $0.name, in: others) == $0.json }
    }
}
