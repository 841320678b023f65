// How a page finds its place among the rows that are here.
extension CollectionState {
    /// Puts the rows of a page in the place of what the index has there.
    mutating func merge(_ page: Page, _ fetch: Fetch) {
        fetches[fetch.id] = nil
        let (count, gaps) = (index.count, index.gapCount)
        defer {
            trimLog()
            if index.count != count { noteOthers() }
        }
        guard fetch.id > outset else { return }
        if !fetch.isKept { prove(page.revision, asked: fetch.id, at: fetch.floor) }
        guard fetch.id > outdated else { return deliver(page, fetch) }
        lastMerge = number()
        // An end that was seen and is not here any more has to be seen again.
        if index.gap(at: index.count - 1) != nil { isEndKnown = false }
        noteAhead(page.revision)
        noteDoubt(about: page)
        let delivered = Delivered(page, limit: fetch.request.limit)
        let newer = changes(since: fetch.id, newerThan: page)
        guard !mayHaveComeBehindDeletion(page, newer) else { return }
        guard !isUnplaced(newer, in: page) else {
            loseTrack()
            return
        }
        note(page, by: fetch, after: newer)
        if delivered.isUnreadable {
            return skip(delivered, fetch)
        }
        switch fetch.request.start {
        case .offset(let offset) where offset > 0: return mergeAt(offset, delivered, fetch, newer)
        case .beyond(let key, let offset):
            guard let start = start(after: key) else { return }
            // Where the key's row stood when the page was read.
            let rank = start + held.count(before: key) - shift(of: key, by: newer, isIncluded: true)
            return mergeAt(rank + offset, delivered, fetch, newer)
        default:
            var key: Key?
            if case .after(let after) = fetch.request.start { key = after }
            guard let start = start(after: key) else { return deliver(page, fetch) }
            mergeBehind(key, from: start, delivered.page.rows, delivered, newer)
        }
        // It led to rows that are here, so what is far away may be looked for again.
        if index.gapCount < gaps { strays = 0 }
    }

    /// Hands a page that has no place among the rows here to the iterations that wait for it.
    private mutating func deliver(_ page: Page, _ fetch: Fetch) {
        let key = fetch.request.start.behind
        if case .beyond = fetch.request.start { return }
        if case .offset(let offset) = fetch.request.start, offset > 0 { return }
        let delivered = Delivered(page, limit: fetch.request.limit)
        guard cursors.values.contains(where: { $0.isBehind(key) }), !delivered.isUnreadable,
            page.revision.map({ read in applied.map { read <= $0 } ?? true }) ?? true
        else { return }
        let newer = changes(since: fetch.id, newerThan: page)
        guard !isUnplaced(newer, in: page), !mayHaveComeBehindDeletion(page, newer) else { return }
        tell(delivered)
        let upper = upper(of: delivered)
        let stretch = KeyInterval(
            lower: key.map { .init(key: $0, isIncluded: false) },
            upper: upper.map { .init(key: $0, isIncluded: true) }
        )
        let rows = roll(delivered.page.rows, forward: newer, stretch)
        // What is here and has come from elsewhere, nothing else tells of.
        let here = rows.map { row in index.row(row.id).map { Key($0, sort: query.sort) } }
        let elsewhere = loadedRows(in: stretch, but: Set(rows.map(\.id)))
        for (id, cursor) in cursors where cursor.isBehind(key) {
            cursors[id]?.deliver(rows, from: here, but: elsewhere, through: upper, sort: query.sort)
        }
    }

    /// The rows that are here in a stretch, without some.
    ///
    /// - Complexity: O(rows of the stretch).
    private func loadedRows(in stretch: KeyInterval, but shown: Set<RowID>) -> [Row] {
        var rows: [Row] = []
        index.forEachLoaded(in: positions(in: stretch)) { _, row in
            guard !shown.contains(row.id), stretch.contains(Key(row, sort: query.sort), query.sort) else {
                return
            }
            rows.append(row)
        }
        return rows
    }

    /// Puts a page in place that begins at a position of the query.
    private mutating func mergeAt(_ offset: Int, _ delivered: Delivered, _ fetch: Fetch, _ newer: [Change]) {
        // How many of the rows in front of the page a bulk deletion took, nobody can tell: it is read again.
        guard !newer.contains(where: { $0.kind == .bulkDeleted }) else { return }
        // What was learned of positions led too far.
        if delivered.page.rows.isEmpty { (offsetShift, strays) = (0, strays + 1) }
        // Nor whether rows have come since to where there were none.
        guard newer.isEmpty || !delivered.page.rows.isEmpty else { return }
        merge(delivered, from: offset, fetch, newer)
    }

    /// Whether it is unknown if a row of a page was deleted with many others, or came to match their clause
    /// later and is still there: the page is read again then.
    private func mayHaveComeBehindDeletion(_ page: Page, _ changes: [Change]) -> Bool {
        guard page.revision == nil else { return false }
        return changes.contains { change in
            change.kind == .bulkDeleted && page.rows.contains { change.predicate?.matches($0) ?? false }
        }
    }

    /// Whether a row of a page has changed since, and nothing tells where it is now.
    func isUnplaced(_ changes: [Change], in page: Page) -> Bool {
        guard ordersByPlace else { return false }
        return changes.contains { change in
            guard let row = change.row, row.place == nil,
                let known = page.rows.first(where: row.hasSameID)
            else { return false }
            return isElsewhere(row, than: known)
        }
    }

    /// Whether a row that comes without a place, because it has stayed where it was, was not where another version is.
    func isElsewhere(_ row: Row, than known: Row) -> Bool {
        ordersByPlace && row.place == nil && Key(known, sort: query.sort) != Key(row, sort: query.sort)
    }

    /// Puts a page from a position of the query on in place.
    private mutating func merge(_ delivered: Delivered, from offset: Int, _ fetch: Fetch, _ newer: [Change]) {
        tell(delivered)
        guard let first = delivered.page.rows.first.map({ Key($0, sort: query.sort) }) else {
            // Where rows cannot be read, positions do not tell the end: the rows are read one page after another.
            if hasUnreadable { strays = Self.strayLimit } else { endsBefore(offset) }
            return
        }
        let upper = upper(of: delivered)
        let shown = KeyInterval(
            lower: .init(key: first, isIncluded: true),
            upper: upper.map { .init(key: $0, isIncluded: true) }
        )
        noteAhead(delivered.page.revision, shown)
        let rows = takeForward(delivered.page.rows, newer, shown)
        // The unreadable rows in front of the first no longer count.
        let rank = offset + shift(of: first, by: newer)
        let start = start(of: first, rank: rank)
        let end = rank + delivered.page.rows.count + delivered.counted.count
        // Others have written where the table has another position or another end than are here.
        let isElsewhere = start + held.count(before: first) != rank || (delivered.reachesEnd && end != count)
        if following == .off, isElsewhere { noteDoubt() }
        let isWhole = place(
            rows,
            from: start,
            through: upper,
            isLoose: touchesGap(first),
            leavingOut: delivered.counted.count
        )
        learn(fetch, rank: rank, start: start)
        if isWhole, !rows.isEmpty { pass(through: upper) }
        if delivered.reachesEnd { isEndKnown = true }
    }

    /// Puts a page in place that begins behind a key; at the start of the query for nil.
    mutating func mergeBehind(
        _ key: Key?,
        from start: Int,
        _ rows: [Row],
        _ delivered: Delivered,
        _ newer: [Change]
    ) {
        tell(delivered)
        let upper = upper(of: delivered)
        let shown = KeyInterval(
            lower: key.map { .init(key: $0, isIncluded: false) },
            upper: upper.map { .init(key: $0, isIncluded: true) }
        )
        noteAhead(delivered.page.revision, shown)
        let rows = takeForward(rows, newer, shown)
        if place(rows, from: start, through: upper, leavingOut: delivered.counted.count) {
            pass(through: upper)
        }
        if delivered.reachesEnd { isEndKnown = true }
    }

    /// Where the stretch that a page shows ends; nil for the end of the query.
    private func upper(of delivered: Delivered) -> Key? {
        delivered.reachesEnd ? nil : delivered.page.rows.last.map { Key($0, sort: query.sort) }
    }

    /// The position of the index behind a key; nil when its row is gone, so that nobody knows: the page is read again.
    func start(after key: Key?) -> Int? {
        guard let key else { return 0 }
        switch index.place(of: key) {
        case .at(let position): return position + 1
        case .between(let position): return position
        case .gap(let gap):
            let before = index.row(at: gap.lowerBound - 1).map { Key($0, sort: query.sort) }
            guard let passed, passed.through == key, passed.after == before else { return nil }
            return gap.lowerBound
        }
    }

    /// Rows that were not read at the revision that was reached may make the gaps of a wrong size.
    private mutating func noteDoubt(about page: Page) {
        guard let counted else { return }
        let isExact = page.revision.map { read in applied.map { read <= $0 } ?? (read == counted) }
        if isExact != true { noteDoubt() }
    }

    /// A page that ended with held rows showed more than it brought; the next one goes on behind them.
    private mutating func pass(through upper: Key?) {
        guard let upper, held.contains(upper.id) else { return }
        switch index.place(of: upper) {
        case .gap(let gap): passed = (key(at: gap.lowerBound - 1), upper)
        case .between(index.count): passed = (key(at: index.count - 1), upper)
        case .at, .between: break
        }
    }

    /// A page from a position on was empty: there are fewer rows, but which ones are gone it does not tell.
    private mutating func endsBefore(_ offset: Int) {
        let position = min(max(0, offset - held.count), index.count)
        // Where the count is exact, rows have come since the page was read.
        guard !isExact, position < index.count else { return }
        if following == .off {
            forget(from: position)
        } else if !knowsMembership {
            noteDoubt()
        }
        // Which rows are gone the changes will show, or a comparison; only the size of a gap is learned here.
        if let gap = index.gap(at: position) { resize(gap, to: max(1, position - gap.lowerBound)) }
    }

    /// The position of the index of the row at a key, which is at a position of the query.
    private func start(of key: Key, rank: Int) -> Int {
        switch index.place(of: key) {
        case .at(let position), .between(let position): return position
        case .gap(let gap):
            let heldBefore = held.count(before: key)
            return min(max(gap.lowerBound, rank - heldBefore), gap.upperBound)
        }
    }

    /// Whether a key lies where rows are not here.
    private func touchesGap(_ key: Key) -> Bool {
        if case .gap = index.place(of: key) { return true }
        return false
    }

    /// Remembers how far a page from a position on came from where it was expected, for the next one.
    private mutating func learn(_ fetch: Fetch, rank: Int, start: Int) {
        if case .offset = fetch.request.start { offsetShift = rank - start }
        let wanted = fetch.expected.lowerBound
        strays = wanted < index.count && index.row(at: wanted) == nil ? strays + 1 : 0
    }

    /// How rows fit where they are to be put.
    private struct Fit {
        /// Where what they replace ends.
        var end: Int
        /// How many unloaded rows are left behind them; less than none when there are more rows than were thought.
        var room = 0
        /// Whether they end in a gap.
        var endsInGap = false
        /// Whether only the next page can show that nothing lies between them and what follows.
        var isUnsure = false
        /// How many of them fill the gap that they end in.
        var filling = 0
    }

    private func fit(_ rows: [Row], from start: Int, through upper: Key?) -> Fit {
        guard let upper else { return Fit(end: index.count) }
        switch index.place(of: upper) {
        case .at(let position): return Fit(end: max(start, position + 1))
        case .between(let position): return Fit(end: max(start, position))
        case .gap(let gap):
            let filling = newRows(rows, behind: gap, start)
            return Fit(
                end: max(start, gap.upperBound),
                room: gap.upperBound - max(start, gap.lowerBound) - filling,
                endsInGap: true,
                isUnsure: !isExact,
                filling: filling
            )
        }
    }

    /// Puts rows from a position of the index on, in place of everything up to a key; up to the end for nil.
    ///
    /// Where the size of gaps is not known for sure, rows that fill one to the last leave their own last one out, for the
    /// next page to begin with: it shows whether more lies behind, and the count stays what it was meanwhile.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - start: Where the first of them goes.
    ///   - upper: Where the stretch that they replace ends.
    ///   - isLoose: Whether other rows may lie in front of them.
    ///   - unreadable: How many rows among them cannot be read, and no longer count.
    /// - Returns: Whether every row was put in place.
    @discardableResult
    private mutating func place(
        _ rows: [Row],
        from start: Int,
        through upper: Key?,
        isLoose: Bool = false,
        leavingOut unreadable: Int = 0
    ) -> Bool {
        var (rows, start) = (rows, start)
        let elsewhere = elsewhere(rows, start..<fit(rows, from: start, through: upper).end)
        if !isExact { noteSilentChanges(rows, in: start..<fit(rows, from: start, through: upper).end) }
        for position in elsewhere.sorted(by: >) {
            index.remove(at: position)
            held.shift(from: position, by: -1)
            if position < start { start -= 1 }
        }
        var fit = fit(rows, from: start, through: upper)
        fit.room -= unreadable
        // What came here from elsewhere was not among those that were not here.
        if !isExact { fit.room += elsewhere.count }
        // Nor can a page from a position on tell what lies in front of it, unless a gap does.
        var lead = 0
        if !isExact, isLoose, start == 0 || index.gap(at: start - 1) == nil {
            lead = 1
            if rows.count > 1 { leaveOut(rows.removeFirst()) } else { fit.room -= lead }
        }
        var isWhole = true
        if fit.isUnsure, fit.room <= 0 {
            if rows.count > 1, fit.filling > 1, rows.last.map({ Key($0, sort: query.sort) }) == upper {
                leaveOut(rows.removeLast())
                isWhole = false
            }
            fit.room = 1
        }
        let rest = fit.endsInGap ? max(0, fit.room) : 0
        index.remove(start..<fit.end)
        index.insertGap(lead, at: start)
        index.insert(rows, at: start + lead)
        index.insertGap(rest, at: start + lead + rows.count)
        held.shift(from: start, by: lead + rows.count + rest - (fit.end - start))
        return isWhole
    }

    /// A row of a page is not put in place.
    private mutating func leaveOut(_ row: Row) {
        let key = Key(row, sort: query.sort)
        for id in cursors.keys { cursors[id]?.unloaded(row.id, at: key, sort: query.sort) }
    }

    /// Where rows are that are here, but outside the range that a page shows.
    private func elsewhere(_ rows: [Row], _ range: Range<Int>) -> [Int] {
        func search() -> [Int] {
            rows.compactMap { index.position(ofOneLike: $0) }.filter { !range.contains($0) }
        }
        // In the order of the ids a row is never anywhere else.
        guard query.sort.isEmpty, !ordersByPlace else { return search() }
        assert(search().isEmpty, "a row is here twice")
        return []
    }

    /// How many rows of a page fill a gap rather than repeat what lies in front of it.
    private func newRows(_ rows: [Row], behind gap: Range<Int>, _ start: Int) -> Int {
        guard gap.lowerBound > start, let last = index.row(at: gap.lowerBound - 1) else { return rows.count }
        let key = Key(last, sort: query.sort)
        return rows.count { Key.order(key, $0, sort: query.sort) == .ascending }
    }

    /// A page that was not read at the moment of the index shows changes that nothing else tells.
    private mutating func noteSilentChanges(_ rows: [Row], in range: Range<Int>) {
        var missing: [RowID: (position: Int, row: Row)] = [:]
        index.forEachLoaded(in: range) { position, row in missing[row.id] = (position, row) }
        var isChanged = false
        for (offset, row) in rows.enumerated() {
            let new = Key(row, sort: query.sort)
            let known = missing.removeValue(forKey: new.id)
            guard let old = known?.row ?? index.row(new.id) else {
                for id in cursors.keys { cursors[id]?.appeared(row, at: new, sort: query.sort) }
                continue
            }
            if known?.position != range.lowerBound + offset { isChanged = true }
            // Its own change, if one comes, will find it as it is then.
            if !old.isSame(as: row) { isRecounted = true }
            let oldKey = Key(old, sort: query.sort)
            guard oldKey != new else { continue }
            for id in cursors.keys { cursors[id]?.moved(row, from: oldKey, to: new, sort: query.sort) }
        }
        for (row, known) in missing {
            for id in cursors.keys {
                cursors[id]?.removed(row, from: Key(known.row, sort: query.sort), sort: query.sort)
            }
        }
        if isChanged || !missing.isEmpty { noteOthers() }
    }

    /// A page shows what nothing else tells.
    private mutating func noteOthers() {
        isRecounted = true
        if following == .off { noteDoubt() }
    }
}
