// Putting pages in place.
extension CollectionState {
    /// What became of a page.
    enum Reception: Sendable {
        /// It is in place; these changes, applied on the way, are to be told.
        case merged([Applied])
        /// It was read after a revision whose changes have not all come yet; those that have are applied and to be told.
        case waits([Applied])
        /// The collection started over meanwhile.
        case outdated
    }

    /// Takes the answer to a fetch.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` when the rows are not in the order asked for.
    mutating func receive(_ page: Page, for fetch: Fetch) throws(RemoteDataError) -> Reception {
        guard fetches[fetch.id] != nil else { return .outdated }
        do throws(RemoteDataError) { try check(page, fetch) } catch {
            fetches[fetch.id] = nil
            throw error
        }
        var told: [Applied] = []
        if let read = page.revision, let applied, read > applied {
            told = applyPending(through: read)
            if let applied = self.applied, read > applied, expectsChanges {
                waiting.append((fetch, page))
                return .waits(told)
            }
        }
        merge(page, fetch)
        return .merged(told)
    }

    /// A fetch came to nothing.
    mutating func fail(_ fetch: Fetch) {
        fetches[fetch.id] = nil
        trimLog()
    }

    /// Puts in place the pages whose revision has been reached, or every one when `force` is set.
    ///
    /// - Returns: The fetches that are done.
    mutating func mergeWaiting(force: Bool = false) -> [Fetch] {
        let ready = waiting.filter { item in
            guard !force, expectsChanges, let applied, let read = item.page.revision else { return true }
            return read <= applied
        }
        guard !ready.isEmpty else { return [] }
        waiting.removeAll { item in ready.contains { $0.fetch.id == item.fetch.id } }
        for item in ready { merge(item.page, item.fetch) }
        return ready.map(\.fetch)
    }

    private func check(_ page: Page, _ fetch: Fetch) throws(RemoteDataError) {
        guard page.rows.count <= fetch.request.limit else {
            throw RemoteDataError(
                .invalidAnswer,
                "The table sent \(page.rows.count) rows where at most \(fetch.request.limit) were asked for."
            )
        }
        if let read = page.revision, let floor = fetch.floor, read < floor {
            throw RemoteDataError(
                .unavailable,
                "The table answered as of revision \(read), but has already told of revision \(floor)."
            )
        }
        var last: Key?
        if case .after(let key) = fetch.request.start { last = key }
        for (position, row) in page.rows.enumerated() {
            if let last, Key.order(last, row, sort: query.sort) != .ascending {
                throw RemoteDataError(
                    .invalidAnswer,
                    last.id == row.id
                        ? "Row \(position) of the page is there twice."
                        : "Row \(position) of the page is not in the order asked for."
                )
            }
            last = Key(row, sort: query.sort)
        }
    }

    private mutating func merge(_ page: Page, _ fetch: Fetch) {
        fetches[fetch.id] = nil
        let reachesEnd = page.rows.count < fetch.request.limit
        if let read = page.revision, let applied, read > applied { isCountDoubtful = true }
        let upper = reachesEnd ? nil : page.rows.last.map { Key($0, sort: query.sort) }
        let rows = rolledForward(page, fetch, through: upper)
        let start = start(of: rows, fetch)
        place(rows, from: start, through: upper)
        if reachesEnd { isEndKnown = true }
        trimLog()
    }

    /// The page as it would be had it been read at `applied`, without held rows.
    private func rolledForward(_ page: Page, _ fetch: Fetch, through upper: Key?) -> [Row] {
        var rows = held.isEmpty ? page.rows : page.rows.filter { held.index(of: $0.id) == nil }
        let first = page.rows.first.map { Key($0, sort: query.sort) }
        for (number, change) in log {
            if let read = page.revision, let revision = change.revision {
                guard revision > read else { continue }
            } else {
                guard number > fetch.id else { continue }
            }
            if change.kind == .bulkDeleted {
                rows.removeAll { change.predicate?.matches($0) ?? true }
                continue
            }
            rows.removeAll { $0.id == change.id }
            guard let row = change.row, held.index(of: row.id) == nil else { continue }
            let key = Key(row, sort: query.sort)
            guard covers(key, fetch, from: first, through: upper) else { continue }
            let place = rows.firstIndex { Key.order(key, $0, sort: query.sort) == .ascending } ?? rows.count
            rows.insert(row, at: place)
        }
        return rows
    }

    /// Whether a key lies in the stretch of the order that a page shows.
    private func covers(_ key: Key, _ fetch: Fetch, from first: Key?, through upper: Key?) -> Bool {
        if let upper, Key.order(key, upper, sort: query.sort) == .descending { return false }
        switch fetch.request.start {
        case .offset(0): return true
        case .after(let lower): return Key.order(key, lower, sort: query.sort) == .descending
        case .offset, .before:
            guard let first else { return false }
            return Key.order(key, first, sort: query.sort) != .ascending
        }
    }

    /// The position of the index where the rows of a fetch begin.
    private func start(of rows: [Row], _ fetch: Fetch) -> Int {
        switch fetch.request.start {
        case .after(let key):
            switch index.place(of: key, sort: query.sort) {
            case .at(let position): return position + 1
            case .between(let position): return position
            case .gap(let gap): return gap.lowerBound
            }
        case .offset(let offset):
            guard let first = rows.first else { return min(offset, index.count) }
            let key = Key(first, sort: query.sort)
            switch index.place(of: key, sort: query.sort) {
            case .at(let position), .between(let position): return position
            case .gap(let gap):
                let heldBefore = held.rows.count { Key.order(key, $0.row, sort: query.sort) == .descending }
                return min(max(gap.lowerBound, offset - heldBefore), gap.upperBound)
            }
        case .before: return fetch.expected.lowerBound
        }
    }

    /// Puts rows from a position of the index on, in place of everything up to a key; up to the end for nil.
    private mutating func place(_ rows: [Row], from start: Int, through upper: Key?) {
        var end = index.count
        var rest = 0
        if let upper {
            switch index.place(of: upper, sort: query.sort) {
            case .at(let position): end = position + 1
            case .between(let position): end = position
            case .gap(let gap):
                end = gap.upperBound
                rest = max(0, gap.upperBound - max(start, gap.lowerBound) - newRows(rows, behind: gap, start))
            }
        }
        end = max(end, start)
        let elsewhere = rows.compactMap { index.position(of: $0.id) }.filter { !(start..<end).contains($0) }
        for position in elsewhere.sorted(by: >) {
            index.remove(at: position)
            held.shift(from: position, by: -1)
            if position < start { return place(rows, from: start - 1, through: upper) }
        }
        index.remove(start..<end)
        index.insert(rows, at: start)
        index.insertGap(rest, at: start + rows.count)
        held.shift(from: start, by: rows.count + rest - (end - start))
    }

    /// How many rows of a page fill a gap rather than repeat what lies in front of it.
    private func newRows(_ rows: [Row], behind gap: Range<Int>, _ start: Int) -> Int {
        guard gap.lowerBound > start, let last = index.row(at: gap.lowerBound - 1) else { return rows.count }
        return rows.count { Key.order(Key($0, sort: query.sort), last, sort: query.sort) == .descending }
    }

    /// Forgets changes no page under way can need.
    mutating func trimLog() {
        guard !log.isEmpty else { return }
        guard let oldest = fetches.keys.min() else {
            log = []
            return
        }
        log.removeAll { $0.number < oldest }
    }
}
