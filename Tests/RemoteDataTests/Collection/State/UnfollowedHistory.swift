import RemoteDataTesting

@testable import RemoteData

/// The state of a collection that follows no changes, its table, and the pages under way between them; each step is random.
struct UnfollowedHistory {
    /// Who writes to the table.
    enum Writers: CaseIterable {
        case nobody
        /// The collection itself, while no page is under way.
        case itself
        /// Others too, and the collection at any time.
        case everybody
    }

    var random: SeededGenerator
    let writers: Writers
    /// Whether only a few rows may stay here.
    let evicts: Bool
    let hasRevisions: Bool
    var table: ReferenceTable
    var state: CollectionState
    var asked: [Fetch] = []
    var answered: [(fetch: Fetch, page: Page)] = []
    var iterations: [Int: IterationRecord] = [:]
    /// Rows that others have written.
    private var changed: Set<Int64> = []
    var trail: [String] = []
    var faults: [String] = []

    init(seed: UInt64, writers: Writers, evicts: Bool = false) {
        var random = SeededGenerator(seed: seed)
        self.writers = writers
        self.evicts = evicts
        hasRevisions = random.chance(2)
        let filter = random.chance(2) ? nil : try? Where.parse("m = 1")
        let sort = random.pick(["", "", "v", "v desc"])
        table = ReferenceTable(query: Query(filter, sort: (try? SortTerm.parse(sort)) ?? []))
        for id in 0..<random.number(0..<40) { table.put(Int64(id * 2), CollectionHistory.content(&random)) }
        let count = hasRevisions ? table.count : Count(table.count.value)
        let pageSize = random.number(1..<8)
        let cache = evicts ? CacheLimit(rows: random.number(1..<20), ahead: pageSize) : nil
        state = .init(query: table.query, pageSize: pageSize, count: count, follows: false, cache: cache)
        self.random = random
    }

    /// Runs the history to its end.
    ///
    /// - Returns: What is wrong; nil when nothing is.
    mutating func fault() -> String? {
        for _ in 0..<random.number(5..<60) {
            step()
            if let fault = faults.first ?? state.index.fault ?? difference() { return fault }
            if trail.count.isMultiple(of: 3), let fault = state.coverageFault(table) { return fault }
        }
        readEverything()
        if let fault = faults.first ?? state.index.fault ?? difference() ?? state.coverageFault(table) {
            return fault
        }
        guard writers == .everybody else { return nil }
        startOver()
        readEverything()
        return faults.first ?? state.index.fault ?? differenceFromTable()
    }

    private mutating func step() {
        switch random.number(0..<12) {
        case 0: write()
        case 1: if writers == .everybody { writeByOthers() }
        case 2, 3: ask()
        case 4, 5: answer()
        case 6, 7: deliver()
        case 8: readPosition()
        default: iterate()
        }
    }

    /// What the page for a fetch is now.
    private func page(_ fetch: Fetch) -> Page {
        let page = table.page(fetch.request)
        return hasRevisions ? page : Page(rows: page.rows.map { Row(id: $0.id, json: $0.json) })
    }
}

// MARK: - Reading

extension UnfollowedHistory {
    private mutating func ask() {
        guard state.index.count > 0 else { return }
        let position = random.number(0..<state.index.count)
        guard case .fetch(let fetch) = state.need(base: position) else { return }
        trail.append("for \(position) asked \(fetch.request.start) limit \(fetch.request.limit)")
        asked.append(fetch)
    }

    private mutating func answer() {
        guard !asked.isEmpty else { return }
        let fetch = asked.remove(at: random.number(0..<asked.count))
        answered.append((fetch, page(fetch)))
        trail.append("read \(fetch.request.start)")
    }

    private mutating func deliver() {
        guard !answered.isEmpty else { return }
        let (fetch, page) = answered.remove(at: random.number(0..<answered.count))
        take(page, for: fetch)
    }

    private mutating func take(_ page: Page, for fetch: Fetch) {
        trail.append("page \(fetch.request.start) of \(page.rows.map(\.number))")
        let count = state.count
        let isIsolated = isIsolated(page, fetch)
        do throws(RemoteDataError) { _ = try state.receive(page, for: fetch) } catch {
            faults.append("\(error)")
        }
        if isIsolated, state.count != count {
            faults.append("a page among unloaded rows made \(state.count) rows of \(count)")
        }
    }

    /// Whether a page lies in one gap with room on both sides, so that it tells nothing of how many rows there are.
    private func isIsolated(_ page: Page, _ fetch: Fetch) -> Bool {
        let sort = state.query.sort
        guard page.rows.count == fetch.request.limit, fetch.id > state.outdated,
            let first = page.rows.first, let last = page.rows.last,
            case .gap(let gap) = state.index.place(of: Key(first, sort: sort)),
            case .gap(gap) = state.index.place(of: Key(last, sort: sort))
        else { return false }
        var start = gap.lowerBound
        switch fetch.request.start {
        case .offset(let offset): start = offset
        case .after(let key), .before(let key), .beyond(let key, _):
            guard state.index.place(of: key) == .at(start - 1) else { return false }
        }
        // A single row stays, even if others may come before it.
        if page.rows.count == 1, fetch.request.start.behind == nil { return false }
        return start >= gap.lowerBound && start + page.rows.count < gap.upperBound
    }

    /// Reads until the row at a position is here.
    private mutating func readPosition() {
        guard asked.isEmpty, answered.isEmpty, state.index.count > 0 else { return }
        let position = random.number(0..<state.index.count)
        for _ in 0..<(writers == .everybody ? 200 : 12) where faults.isEmpty {
            guard position < state.index.count else { return }
            guard case .fetch(let fetch) = state.need(base: position) else { return }
            trail.append("reading \(position)")
            take(page(fetch), for: fetch)
        }
        if faults.isEmpty, position < state.index.count, state.index.row(at: position) == nil {
            faults.append("\(position) does not come")
        }
    }

    private mutating func readEverything() {
        trail.append("reads everything")
        while !asked.isEmpty { answer() }
        while !answered.isEmpty { deliver() }
        if evicts { return readAll() }
        for _ in 0..<500 where faults.isEmpty {
            let gap = state.index.firstGap()
            let need = gap.map { state.need(base: $0.lowerBound) } ?? state.tailNeed()
            guard case .fetch(let fetch) = need else { return }
            take(page(fetch), for: fetch)
            if writers != .everybody, let fault = difference() { faults.append(fault) }
        }
        faults.append("it does not end")
    }

    /// Reads one row after another, as not all of them can be here at once.
    private mutating func readAll() {
        var position = 0
        for _ in 0..<2_000 where faults.isEmpty {
            guard position < state.index.count else {
                guard case .fetch(let fetch) = state.tailNeed() else { return }
                take(page(fetch), for: fetch)
                continue
            }
            guard state.index.row(at: position) == nil else {
                position += 1
                continue
            }
            guard case .fetch(let fetch) = state.need(base: position) else { break }
            take(page(fetch), for: fetch)
            if writers != .everybody, let fault = difference() { faults.append(fault) }
        }
        faults.append("row \(position) of \(state.index.count) does not come")
    }

    private mutating func iterate() {
        guard let id = iterations.keys.sorted().first else {
            iterations[state.beginIteration()] = IterationRecord(owed: Set(table.ids))
            return trail.append("an iteration begins")
        }
        switch state.step(id) {
        case .rows(let part):
            let ids = part.rows[part.range].map(\.number)
            trail.append("takes \(ids)")
            forgive(changed)
            if let fault = iterations[id]?.take(ids) { faults.append(fault) }
        case .wait, .repair, .changes, .lost: break
        case .fetch(let fetch):
            trail.append("iteration asked \(fetch.request.start)")
            asked.append(fetch)
        case .end:
            trail.append("the iteration ends")
            if writers != .everybody, let fault = iterations[id]?.faultAtEnd { faults.append(fault) }
            state.endIteration(id)
            iterations[id] = nil
        }
    }

    private mutating func startOver() {
        let watch = state.beginWatch()
        state.reset(to: hasRevisions ? table.count : Count(table.count.value), since: watch)
        state.endWatch(watch)
        trail.append("starts over")
    }
}

// MARK: - Writing

extension UnfollowedHistory {
    private mutating func writeByOthers() {
        let id = Int64(random.number(0..<80))
        if random.chance(20) {
            let before = Set(table.contents.keys)
            table.removeAll(from: random.number(1..<6))
            forgive(before.subtracting(table.contents.keys))
            trail.append("others removed many")
        } else {
            table.put(id, random.chance(3) ? nil : CollectionHistory.content(&random))
            changed.insert(id)
            trail.append("others put \(id)")
        }
        noteMembership()
    }

    private mutating func write() {
        guard writers != .nobody, writers == .everybody || (asked.isEmpty && answered.isEmpty) else { return }
        let watch = state.beginWatch()
        defer { state.endWatch(watch) }
        var position: Int?
        var change: Change?
        switch random.number(0..<8) {
        case 0:
            let before = Set(table.contents.keys)
            change = table.removeAll(from: random.chance(4) ? nil : random.number(1..<6), inQuery: true)
            forgive(before.subtracting(table.contents.keys))
        case 1, 2:
            if table.query.sort.isEmpty, random.chance(2) { position = random.number(0..<(state.count + 1)) }
            let id = Int64(random.number(0..<40) * 2 + 1)
            guard table.contents[id] == nil else { return }
            change = table.put(id, .init(value: random.number(0..<6), isMarked: true))
        default:
            guard let id = table.ids.randomElement(using: &random) else { return }
            change = table.put(id, random.chance(2) ? nil : CollectionHistory.content(&random))
        }
        noteMembership()
        guard let change else { return }
        trail.append("wrote \(change.kind) \(change.id?.description ?? "")")
        let plain = Change(
            revision: hasRevisions ? change.revision : nil,
            kind: change.kind,
            id: change.id,
            row: hasRevisions ? change.row : change.row.map { Row(id: $0.id, json: $0.json) },
            left: change.left,
            previousKey: change.previousKey,
            predicate: change.predicate,
            count: change.count
        )
        _ = state.wrote([plain], heldAt: position, since: watch)
    }

    /// What others do to rows that are no longer here is not known, nor which of them a bulk deletion took.
    private mutating func forgive(_ ids: Set<Int64>) {
        guard evicts else { return }
        for id in iterations.keys { iterations[id]?.forgive(ids) }
    }

    private mutating func noteMembership() {
        let members = Set(table.ids)
        for id in iterations.keys { iterations[id]?.owed.formIntersection(members) }
    }
}

// MARK: - Comparing

extension UnfollowedHistory {
    /// How what is here differs from what can be promised.
    private func difference() -> String? { writers == .everybody ? nil : differenceFromTable() }

    private func differenceFromTable() -> String? {
        // Without revisions the count may be off until everything is here.
        guard hasRevisions || state.index.isComplete else { return differenceOfLoaded() }
        guard state.count == table.count.value else {
            return "there are \(state.count) rows, not \(table.count.value)"
        }
        let held = Set(state.held.rows.map(\.row.number))
        let rows = table.rows.filter { !held.contains($0.number) }
        var fault: String?
        // How the gaps share what a bulk deletion took, and rows of a place unknown, nobody can tell.
        state.index.forEachLoaded { position, row in
            guard fault == nil, rows[position].json != row.json else { return }
            fault = "\(row.id) at \(position), where \(rows[position].id) should be"
        }
        return fault
    }

    /// Whether what is here is a part of the table's rows, in their order.
    private func differenceOfLoaded() -> String? {
        var (rest, fault): (ArraySlice<Row>, String?) = (table.rows[...], nil)
        state.index.forEachLoaded { _, row in
            guard let position = rest.firstIndex(where: { $0.json == row.json }) else {
                return fault = "\(row.id) is here, and not there or elsewhere"
            }
            rest = rest[(position + 1)...]
        }
        return fault
    }
}
