// How a page finds its place among the rows that are here.
extension CollectionState {
    /// The stretch of the order that a page shows in full.
    private struct Stretch {
        /// Where it begins; nil for the start of the query.
        var lower: Key?
        /// Whether a row with the key `lower` belongs to it.
        var includesLower = false
        /// Where it ends, itself included; nil for the end of the query.
        var upper: Key?

        func contains(_ key: Key, _ sort: [SortTerm]) -> Bool {
            if let upper, Key.order(key, upper, sort: sort) == .descending { return false }
            guard let lower else { return true }
            let order = Key.order(key, lower, sort: sort)
            return order == .descending || (includesLower && order == .same)
        }
    }

    /// Puts the rows of a page in the place of what the index has there.
    mutating func merge(_ page: Page, _ fetch: Fetch) {
        fetches[fetch.id] = nil
        let count = index.count
        defer {
            trimLog()
            if index.count != count { isRecounted = true }
        }
        guard fetch.id > outdated else { return }
        noteDoubt(about: page)
        let reachesEnd = page.rows.count < fetch.request.limit
        let first = page.rows.first.map { Key($0, sort: query.sort) }
        let upper = reachesEnd ? nil : page.rows.last.map { Key($0, sort: query.sort) }
        let newer = log.filter { $0.number > fetch.id && isNewer($0.change, than: page) }.map(\.change)
        switch fetch.request.start {
        case .offset(let offset) where offset > 0:
            // How many of the rows in front of the page a bulk deletion took, nobody can tell: it is read again.
            guard !newer.contains(where: { $0.kind == .bulkDeleted }) else { return }
            guard let first else { return endsBefore(offset) }
            let rows = roll(
                page.rows,
                forward: newer,
                Stretch(lower: first, includesLower: true, upper: upper)
            )
            let rank = offset + shift(of: first, by: newer)
            let start = start(of: first, rank: rank)
            place(rows, from: start, through: upper, isLoose: touchesGap(first))
            learn(fetch, rank: rank, start: start)
            if !rows.isEmpty { pass(through: upper) }
        case .after(let key):
            guard let start = start(after: key) else { return }
            place(
                roll(page.rows, forward: newer, Stretch(lower: key, upper: upper)),
                from: start,
                through: upper
            )
            pass(through: upper)
        case .offset, .before:
            place(roll(page.rows, forward: newer, Stretch(upper: upper)), from: 0, through: upper)
            pass(through: upper)
        }
        if reachesEnd { isEndKnown = true }
    }

    /// The position of the index behind a key; nil when its row is gone, so that nobody knows: the page is read again.
    private func start(after key: Key) -> Int? {
        switch index.place(of: key, sort: query.sort) {
        case .at(let position): return position + 1
        case .between(let position): return position
        case .gap(let gap):
            let before = index.row(at: gap.lowerBound - 1).map { Key($0, sort: query.sort) }
            guard let passed, passed.through == key, passed.after == before else { return nil }
            return gap.lowerBound
        }
    }

    private func isNewer(_ change: Change, than page: Page) -> Bool {
        guard let read = page.revision, let revision = change.revision else { return true }
        return revision > read
    }

    /// Rows that were not read at the revision that was reached may make the gaps of a wrong size.
    private mutating func noteDoubt(about page: Page) {
        guard let counted else { return }
        let isExact = page.revision.map { read in applied.map { read <= $0 } ?? (read == counted) }
        if isExact != true { isCountDoubtful = true }
    }

    /// A page that ended with held rows showed more than it brought; the next one goes on behind them.
    private mutating func pass(through upper: Key?) {
        guard let upper, held.index(of: upper.id) != nil,
            case .gap(let gap) = index.place(of: upper, sort: query.sort)
        else { return }
        passed = (index.row(at: gap.lowerBound - 1).map { Key($0, sort: query.sort) }, upper)
    }

    /// A page from a position on was empty.
    private mutating func endsBefore(_ offset: Int) {
        // Where the count is exact, rows have come since the page was read.
        guard !isExact else { return }
        place([], from: min(max(0, offset - held.count), index.count), through: nil)
        isEndKnown = true
    }

    /// The rows of a stretch after some changes, without held rows.
    private func roll(_ rows: [Row], forward changes: [Change], _ stretch: Stretch) -> [Row] {
        var rows = held.isEmpty ? rows : rows.filter { held.index(of: $0.id) == nil }
        for change in changes {
            if change.kind == .bulkDeleted {
                rows.removeAll { change.predicate?.matches($0) ?? true }
                continue
            }
            rows.removeAll { $0.id == change.id }
            guard let row = change.row, held.index(of: row.id) == nil else { continue }
            let key = Key(row, sort: query.sort)
            guard stretch.contains(key, query.sort) else { continue }
            let place = rows.firstIndex { Key.order(key, $0, sort: query.sort) == .ascending } ?? rows.count
            rows.insert(row, at: place)
        }
        return rows
    }

    /// How far changes have moved what lies at a key.
    private mutating func shift(of key: Key, by changes: [Change]) -> Int {
        var shift = 0
        for change in changes {
            if let row = change.row, Key.order(key, row, sort: query.sort) == .descending { shift += 1 }
            guard change.kind != .created else { continue }
            if let previous = change.previousKey {
                if Key.order(previous, key, sort: query.sort) == .ascending { shift -= 1 }
            } else {
                isCountDoubtful = counted != nil
            }
        }
        return shift
    }

    /// The position of the index of the row at a key, which is at a position of the query.
    private func start(of key: Key, rank: Int) -> Int {
        switch index.place(of: key, sort: query.sort) {
        case .at(let position), .between(let position): return position
        case .gap(let gap):
            let heldBefore = held.rows.count { Key.order(key, $0.row, sort: query.sort) == .descending }
            return min(max(gap.lowerBound, rank - heldBefore), gap.upperBound)
        }
    }

    /// Whether a key lies where rows are not here.
    private func touchesGap(_ key: Key) -> Bool {
        if case .gap = index.place(of: key, sort: query.sort) { return true }
        return false
    }

    /// Remembers how far a page from a position on came from where it was expected, for the next one.
    private mutating func learn(_ fetch: Fetch, rank: Int, start: Int) {
        offsetShift = rank - start
        let wanted = fetch.expected.lowerBound
        strays = wanted < index.count && index.row(at: wanted) == nil ? strays + 1 : 0
    }

    /// Puts rows from a position of the index on, in place of everything up to a key; up to the end for nil.
    ///
    /// With `isLoose` the rows need not follow what lies in front of the position.
    private mutating func place(_ rows: [Row], from start: Int, through upper: Key?, isLoose: Bool = false) {
        var end = index.count
        var rest = 0
        if let upper {
            switch index.place(of: upper, sort: query.sort) {
            case .at(let position): end = position + 1
            case .between(let position): end = position
            case .gap(let gap):
                end = gap.upperBound
                rest = max(0, gap.upperBound - max(start, gap.lowerBound) - newRows(rows, behind: gap, start))
                // Whether nothing lies between the page and what follows, the next page has to show.
                if !isExact, gap.upperBound < index.count || following != .off { rest = max(1, rest) }
            }
        }
        end = max(end, start)
        let elsewhere = rows.compactMap { index.position(of: $0.id) }.filter { !(start..<end).contains($0) }
        if !isExact { noteSilentChanges(rows, in: start..<end) }
        for position in elsewhere.sorted(by: >) {
            index.remove(at: position)
            held.shift(from: position, by: -1)
            if position < start { return place(rows, from: start - 1, through: upper, isLoose: isLoose) }
        }
        // Nor can a page from a position on tell what lies in front of it.
        let lead = !isExact && isLoose ? 1 : 0
        index.remove(start..<end)
        index.insertGap(lead, at: start)
        index.insert(rows, at: start + lead)
        index.insertGap(rest, at: start + lead + rows.count)
        held.shift(from: start, by: lead + rows.count + rest - (end - start))
    }

    /// How many rows of a page fill a gap rather than repeat what lies in front of it.
    private func newRows(_ rows: [Row], behind gap: Range<Int>, _ start: Int) -> Int {
        guard gap.lowerBound > start, let last = index.row(at: gap.lowerBound - 1) else { return rows.count }
        return rows.count { Key.order(Key($0, sort: query.sort), last, sort: query.sort) == .descending }
    }

    /// A page that was not read at the moment of the index shows changes that nothing else tells.
    private mutating func noteSilentChanges(_ rows: [Row], in range: Range<Int>) {
        var missing: [RowID: (position: Int, key: Key)] = [:]
        for position in range {
            guard let row = index.row(at: position) else { continue }
            missing[row.id] = (position, Key(row, sort: query.sort))
        }
        for (offset, row) in rows.enumerated() {
            let known = missing.removeValue(forKey: row.id)
            guard let old = known?.key ?? index.row(row.id).map({ Key($0, sort: query.sort) }) else {
                continue
            }
            if known?.position != range.lowerBound + offset { isRecounted = true }
            let new = Key(row, sort: query.sort)
            guard old != new else { continue }
            for id in cursors.keys { cursors[id]?.moved(row.id, from: old, to: new, sort: query.sort) }
        }
        if !missing.isEmpty { isRecounted = true }
        for (row, known) in missing {
            for id in cursors.keys { cursors[id]?.removed(row, from: known.key, sort: query.sort) }
        }
    }
}
