import RemoteDataExecution
import Synchronization

/// What goes from a collection to its cache: notes of all it reads and hears, in order.
///
/// Noting never blocks and never waits for the cache, which takes what there is when it gets to it.
package final class CacheLink: Sendable {
    /// The table.
    package let table: any Table
    /// The query of the collection.
    package let query: Query

    /// How many rows a collection has.
    package struct Number: Sendable, Hashable {
        /// How many, as of the changes that have been applied.
        package let count: Count
        /// Whether that is known to be right.
        package let isExact: Bool
        /// Whether all of them are here.
        package let isLoaded: Bool
    }

    fileprivate struct State {
        var notes: [CacheNote] = []
        /// How many rows `notes` hold, roughly.
        var size = 0
        var isScheduled = false
        /// Whether the cache is to be told that there is something, once no lock is held.
        var owesSchedule = false
        var isWriting = false
        var isBroken = false
        /// Why writing failed, as long as there is nobody to tell.
        var failure: RemoteDataError?
        /// Requests under way, by the number of the last change before each.
        var requests: [Int: Int] = [:]
        /// Those of them since which changes may have been missed: what they bring is kept, but not as a stretch that is whole.
        var overtaken: Set<Int> = []
        var lastRequest = 0
        /// Changes since the first of those.
        var log: [(number: Int, change: Change)] = []
        var lastChange = 0
        var hasHeard = false
        /// The first page as it was when the collection was opened, until something else is known.
        var opening: Page?
        /// Changes up to this revision have been noted.
        var reached: Revision?
        /// What the cache was told last of the number of rows.
        var lastNumber: Number?
        var number: NumberSource?
        var whenFailed: (@Sendable (RemoteDataError) -> Void)?
    }

    private let cache: any QueryCache
    private let options: CollectionOptions
    private let state = Mutex(State())

    /// How many rows may wait for the cache; more are not kept, and what is kept counts as out of date.
    fileprivate static let limit = 50_000
    /// How many changes are kept for pages under way; pages under way for longer are not kept.
    private static let logLimit = 10_000

    init(_ cache: any QueryCache, table: any Table, query: Query, options: CollectionOptions) {
        self.cache = cache
        self.options = options
        self.table = table
        self.query = query
    }

    /// Whether stretches of the query can be kept, because its rows and their order are the same here and there.
    var keepsStretches: Bool {
        (table.capabilities.binaryOrder || isPlaced) && query.filter?.hasSubQuery != true
    }

    /// Whether the order cannot be reproduced, so that each row comes with its place.
    package var isPlaced: Bool { !table.capabilities.binaryOrder && table.capabilities.keysetPages }

    /// Tells how many rows the query has; nil where nobody can tell any more or, unless it waits, where somebody else is at it.
    package typealias NumberSource = @Sendable (_ waits: Bool) -> Number?

    /// Says how many rows the query has whenever that is to be written, and whom to tell when writing fails.
    func attach(
        number: @escaping NumberSource,
        whenFailed: @escaping @Sendable (RemoteDataError) -> Void
    ) {
        let failure = state.withLock { state in
            state.number = number
            if !state.isBroken { state.whenFailed = whenFailed }
            return state.failure.take()
        }
        // It may have come before there was anybody to tell.
        if let failure { whenFailed(failure) }
    }

    /// Whether there is something that the cache has not written.
    package var hasNotes: Bool { state.withLock { !$0.notes.isEmpty || $0.isWriting } }

    /// Whether the table has not said anything of changes yet, so that what is kept is all there is.
    var isUnheard: Bool { state.withLock { !$0.hasHeard } }

    func restore() async -> KeptQuery? {
        guard keepsStretches else { return nil }
        do throws(RemoteDataError) {
            let kept = try await cache.restore(self)
            // Places are made anew, and may be others.
            if kept == nil, isPlaced { note(.forgotten) }
            state.withLock { $0.opening = kept?.firstPage }
            return kept
        } catch {
            fail(error)
            return nil
        }
    }

    /// What a collection asks for first, and so what comes along with the number of rows; nil where that is much.
    package var firstRequest: PageRequest? {
        options.pageSize <= 200 ? PageRequest(query, limit: options.pageSize) : nil
    }

    /// The page that is kept; nil when none is.
    func page(_ request: PageRequest, stale isStale: Bool = false) async -> Page? {
        guard keepsStretches, !state.withLock({ $0.isBroken }) else { return nil }
        if !isStale, request == firstRequest, let page = state.withLock({ $0.opening.take() }) { return page }
        do throws(RemoteDataError) { return try await cache.page(request, self, stale: isStale) } catch {
            return nil
        }
    }

    // MARK: Noting

    func note(_ note: CacheNote) { self.note([note]) }

    /// Notes as of which revision the collection begins, with what is kept or, for nil, without it.
    func begin(at revision: Revision?, with kept: KeptQuery?) {
        if kept == nil { note(.lost) }
        guard let revision else { return }
        state.withLock { state in
            state.reach(revision)
            // What the cache knows already need not be written.
            guard let kept else { return }
            state.lastNumber = Number(count: kept.count, isExact: kept.isOfOneMoment, isLoaded: false)
        }
        if kept == nil { note(.reached(revision)) }
    }

    private func note(_ notes: [CacheNote]) {
        let needsSchedule = state.withLock { $0.add(notes) }
        if needsSchedule { cache.schedule(self) }
    }

    /// Notes something under the lock of a collection; whoever does calls ``flush()`` when it has been let go of.
    func enter(_ notes: [CacheNote]) { state.withLock { $0.owesSchedule = $0.add(notes) || $0.owesSchedule } }

    /// Has the cache take what was entered.
    func flush() {
        let needsSchedule = state.withLock { state in
            defer { state.owesSchedule = false }
            return state.owesSchedule
        }
        if needsSchedule { cache.schedule(self) }
    }

    /// Notes what the table tells; see ``enter(_:)-([CacheNote])``.
    func enter(_ events: [ChangeEvent]) {
        state.withLock { state in
            var notes: [CacheNote] = []
            for event in events {
                switch event {
                case .change(let change):
                    notes.append(.change(change))
                    state.reach(change.revision)
                    if !state.remember(change, limit: Self.logLimit) { notes.append(.lost) }
                case .progress(let revision):
                    if revision != state.reached { notes.append(.reached(revision)) }
                    state.reach(revision)
                case .live(let revision):
                    state.hasHeard = true
                    // Nothing has happened since: there is nothing to write.
                    guard let revision, revision != state.reached else { continue }
                    // Opened at a later revision than was reached: what lies between was missed.
                    if let reached = state.reached, revision > reached { notes.append(.lost) }
                    notes.append(.reached(revision))
                    state.reach(revision)
                case .reset:
                    state.hasHeard = true
                    notes.append(.lost)
                case .interrupted: break
                }
            }
            state.owesSchedule = state.add(notes) || state.owesSchedule
        }
    }

    /// Notes that a page is being asked for.
    func beginRequest() -> Int {
        state.withLock { state in
            state.lastRequest += 1
            state.requests[state.lastRequest] = state.lastChange
            return state.lastRequest
        }
    }

    func endRequest(_ number: Int) {
        state.withLock { state in
            state.requests[number] = nil
            state.overtaken.remove(number)
            guard let first = state.requests.values.min() else { return state.log = [] }
            state.log.removeAll { $0.number <= first }
        }
    }

    /// Notes the answer to a page that was asked for, after the changes that have come meanwhile; to be called before
    /// ``endRequest(_:)``.
    func note(_ page: Page, for request: PageRequest, _ number: Int) {
        let needsSchedule = state.withLock { state -> Bool in
            guard let start = state.requests[number] else { return false }
            let newer = state.log.filter { $0.number > start }.map(\.change)
                .filter { change in
                    guard let read = page.revision, let revision = change.revision else { return true }
                    return revision > read
                }
            guard request.query == query, keepsStretches, !state.overtaken.contains(number),
                let shown = page.stretch(for: request)
            else {
                return state.add([.rows(page.rows(after: newer, in: nil, query.sort), page.revision)])
            }
            return state.add([.stretch(shown, page.rows(after: newer, in: shown, query.sort), page.revision)])
        }
        if needsSchedule { cache.schedule(self) }
    }

    /// Changes and pages have been put in place: has the number of rows written, unless it is the one that was.
    package func settle() {
        guard let number = state.withLock({ $0.number })?(true), let revision = number.count.revision else {
            return
        }
        let needsSchedule = state.withLock { state -> Bool in
            guard state.lastNumber != number else { return false }
            return state.add([.reached(revision)])
        }
        if needsSchedule { cache.schedule(self) }
    }

    // MARK: The cache's side

    /// Takes what has been noted, to be written and then ``wrote()``; nil when there is nothing.
    package func take() -> CacheBatch? {
        let (notes, number, last) = state.withLock { state in
            defer { (state.notes, state.size, state.isScheduled) = ([], 0, false) }
            state.isWriting = !state.notes.isEmpty
            return (state.notes, state.number, state.lastNumber)
        }
        guard !notes.isEmpty else { return nil }
        // Whoever brings rows settles in the end, so that only then it is worth while to wait for who reads; without revisions
        // nobody settles.
        let settles = notes.allSatisfy { if case .reached = $0 { true } else { false } }
        let waits = settles || last?.count.revision == nil
        let known = number?(waits) ?? (waits ? nil : last)
        state.withLock { $0.lastNumber = known }
        return CacheBatch(notes: notes, number: known)
    }

    /// What was taken has been written.
    package func wrote() { state.withLock { $0.isWriting = false } }

    /// Asks the table how rows are now that are known to have changed, but not how.
    package func refresh(_ ids: [RowID]) {
        options.surroundings.start { [weak self] in await self?.ask(for: ids) }
    }

    private func ask(for ids: [RowID]) async {
        let size = max(1, table.capabilities.maximumPageSize)
        for start in stride(from: 0, to: ids.count, by: size) {
            let some = Array(ids[start..<min(start + size, ids.count)])
            let clause = Where.isIn(.column(ColumnPath(table.idColumn)), some.map { .literal($0.value) })
            let request = PageRequest(Query(clause), limit: size)
            let answer = try? await within(options.deadline, options.surroundings) {
                [table] () async throws(RemoteDataError) in try await table.page(request)
            }
            // What cannot be asked for now stays out of date until somebody reads it.
            guard let page = answer, page.failures.isEmpty, !page.endsEarly else { return }
            let found = Set(page.rows.map(\.id))
            note(
                some.filter { !found.contains($0) }
                    .map { .ownChange(Change(revision: page.revision, kind: .deleted, id: $0)) }
                    + [.rows(page.rows, page.revision)]
            )
        }
    }

    /// Writing failed: nothing further is noted, so that what is kept stays as it was.
    package func fail(_ error: RemoteDataError) {
        let whenFailed = state.withLock { state in
            state.isBroken = true
            (state.notes, state.size, state.isWriting) = ([], 0, false)
            if state.whenFailed == nil, state.number == nil { state.failure = error }
            return state.whenFailed.take()
        }
        whenFailed?(error)
    }
}

extension CacheLink.State {
    /// Whether the cache has to be told that there is something.
    fileprivate mutating func add(_ new: [CacheNote]) -> Bool {
        guard !isBroken, !new.isEmpty else { return false }
        opening = nil
        if new.contains(where: { if case .lost = $0 { true } else { false } }) {
            overtaken.formUnion(requests.keys)
        }
        notes += new
        size += new.reduce(0) { $0 + $1.size }
        if size > CacheLink.limit { (notes, size) = ([.lost], 1) }
        defer { isScheduled = true }
        return !isScheduled
    }

    fileprivate mutating func reach(_ revision: Revision?) {
        guard let revision else { return }
        reached = max(revision, reached ?? revision)
    }

    /// Keeps a change for the pages under way.
    ///
    /// - Returns: False when it is one too many, so that those pages cannot be kept.
    fileprivate mutating func remember(_ change: Change, limit: Int) -> Bool {
        lastChange += 1
        guard !requests.isEmpty else { return true }
        guard log.count < limit else {
            (log, requests) = ([], [:])
            return false
        }
        log.append((lastChange, change))
        return true
    }
}

extension CacheNote {
    /// How many rows it holds, and one.
    fileprivate var size: Int {
        switch self {
        case .stretch(_, let rows, _), .rows(let rows, _): rows.count + 1
        case .change, .ownChange, .reached, .lost, .forgotten, .verified: 1
        }
    }
}

extension Page {
    /// The stretch of the order that the page shows whole; nil where it shows none.
    func stretch(for request: PageRequest) -> KeyInterval? {
        guard failures.isEmpty else { return nil }
        let sort = request.query.sort
        let reachesEnd = rows.count < request.limit && !endsEarly
        let first = rows.first.map { KeyInterval.Bound(key: Key($0, sort: sort), isIncluded: true) }
        let last = rows.last.map { KeyInterval.Bound(key: Key($0, sort: sort), isIncluded: true) }
        if !reachesEnd, last == nil { return nil }
        let upper = reachesEnd ? nil : last
        switch request.start {
        case .offset(0): return KeyInterval(lower: nil, upper: upper)
        case .offset, .beyond: return first.map { KeyInterval(lower: $0, upper: upper) }
        case .after(let key):
            return KeyInterval(lower: .init(key: key, isIncluded: false), upper: upper)
        case .before: return nil
        }
    }

    /// The rows after changes that the page does not show; those that came to a stretch as well, for nil those that were there.
    fileprivate func rows(after changes: [Change], in stretch: KeyInterval?, _ sort: [SortTerm]) -> [Row] {
        var rows = rows
        for change in changes {
            if change.kind == .bulkDeleted {
                rows.removeAll { change.predicate?.matches($0) ?? true }
                continue
            }
            let count = rows.count
            rows.removeAll { change.concerns($0.id) }
            guard let row = change.row else { continue }
            let belongs = stretch.map { $0.contains(Key(row, sort: sort), sort) } ?? (rows.count < count)
            if belongs { rows.append(row) }
        }
        return rows
    }
}
