import RemoteDataExecution
import Synchronization

/// What goes from a collection to its cache: notes of all that is put in place there, in the same order.
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
    }

    fileprivate struct State {
        var notes: [CacheNote] = []
        /// How many rows `notes` hold, roughly.
        var size = 0
        var isScheduled = false
        /// Whether the cache is to be told that there is something, once no lock is held.
        var owesSchedule = false
        /// What is being written.
        var beingWritten: [CacheNote] = []
        var isBroken = false
        /// Why writing failed, as long as there is nobody to tell.
        var failure: RemoteDataError?
        /// The first page as it was when the collection was opened, until something else is known.
        var opening: Page?
        /// What the cache was told last of the number of rows.
        var lastNumber: Number?
        var source: Source?
        var whenFailed: (@Sendable (RemoteDataError) -> Void)?
    }

    private let cache: any QueryCache
    private let options: CollectionOptions
    private let state = Mutex(State())

    /// How many rows may wait for the cache; of more none is kept, and what was kept before counts for nothing any more.
    fileprivate static let limit = 50_000

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

    /// Has what is to be noted entered, and tells how many rows the query then has; nil where nobody can tell any more or, unless it
    /// waits, where somebody else is at it.
    package typealias Source = @Sendable (_ waits: Bool) -> Number?

    /// Says where notes come from whenever they are to be written, and whom to tell when writing fails.
    func attach(_ source: @escaping Source, whenFailed: @escaping @Sendable (RemoteDataError) -> Void) {
        let failure = state.withLock { state in
            state.source = source
            if !state.isBroken { state.whenFailed = whenFailed }
            return state.failure.take()
        }
        // It may have come before there was anybody to tell.
        if let failure { whenFailed(failure) }
    }

    /// Whether there is something that the cache has not written.
    package var hasNotes: Bool { state.withLock { !$0.notes.isEmpty || !$0.beingWritten.isEmpty } }

    /// Whether what comes directly behind the start of a request may be kept once all is written that has been noted, and is not now.
    ///
    /// Of a row that is some rows behind that, or that a change brings, this does not tell.
    ///
    /// - Complexity: O(notes that are not written).
    func mayBring(_ request: PageRequest) -> Bool {
        let (beingWritten, notes) = state.withLock { ($0.beingWritten, $0.notes) }
        return [beingWritten, notes].contains { $0.contains { $0.mayBring(request, sort: query.sort) } }
    }

    /// Waits until all is written that has been noted, where that and some rows more are over half of what may wait; the other half
    /// is left to changes.
    func waitForRoom(for rows: Int) async {
        // What goes wrong is told by whoever writes.
        if state.withLock({ $0.size > 0 && $0.size + rows > Self.limit / 2 }) {
            try? await cache.written(self)
        }
    }

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
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isStale: Whether to look among what changes may have been missed for.
    ///   - isAwaited: Whether it may be brought by what has been noted and is not written; nil for what ``mayBring(_:)`` says.
    /// - Returns: The page.
    func page(
        _ request: PageRequest,
        stale isStale: Bool = false,
        awaiting isAwaited: Bool? = nil
    ) async -> Page? {
        guard keepsStretches, !state.withLock({ $0.isBroken }) else { return nil }
        if !isStale, request == firstRequest, let page = state.withLock({ $0.opening.take() }) { return page }
        do throws(RemoteDataError) {
            return try await cache.page(
                request,
                self,
                stale: isStale,
                awaiting: isAwaited ?? mayBring(request)
            )
        } catch {
            return nil
        }
    }

    // MARK: Noting

    func note(_ note: CacheNote) {
        enter([note])
        flush()
    }

    /// Notes as of which revision the collection begins, with what is kept or, for nil, without it.
    func begin(at revision: Revision?, with kept: KeptQuery?) {
        if kept == nil { note(.lost) }
        guard let revision else { return }
        guard let kept else { return note(.reached(revision)) }
        // What the cache knows already need not be written.
        state.withLock { state in
            state.lastNumber = Number(count: kept.count, isExact: kept.isOfOneMoment)
        }
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

    /// Changes and pages have been put in place: has the number of rows written, unless it is the one that was.
    package func settle() {
        let source = state.withLock(\.source)
        if let number = source?(true), let revision = number.count.revision {
            let isNews = state.withLock { $0.lastNumber != number }
            if isNews { enter([.reached(revision)]) }
        }
        flush()
    }

    // MARK: The cache's side

    /// Takes what has been noted, to be written and then ``wrote()``; nil when there is nothing.
    package func take() -> CacheBatch? {
        let (isOfRows, last, source) = state.withLock { state in
            (
                state.notes.contains { if case .reached = $0 { false } else { true } }, state.lastNumber,
                state.source
            )
        }
        // Whoever brings rows settles in the end, so that only then it is worth while to wait for who reads; without revisions
        // nobody settles.
        let waits = !isOfRows || last?.count.revision == nil
        // The number first: one that is older than the notes claims less, and is corrected.
        let known = source?(waits) ?? (waits ? nil : last)
        let notes = state.withLock { state in
            defer { (state.notes, state.size, state.isScheduled) = ([], 0, false) }
            state.beingWritten = state.notes
            if !state.notes.isEmpty { state.lastNumber = known }
            return state.notes
        }
        guard !notes.isEmpty else { return nil }
        return CacheBatch(notes: notes, number: known)
    }

    /// What was taken has been written.
    package func wrote() { state.withLock { $0.beingWritten = [] } }

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
            enter(
                some.filter { !found.contains($0) }
                    .map { .ownChange(Change(revision: page.revision, kind: .deleted, id: $0)) }
                    + page.rows.map {
                        .lateChange(Change(revision: page.revision, kind: .updated, row: $0))
                    }
            )
            flush()
        }
    }

    /// Writing failed: nothing further is noted, so that what is kept stays as it was.
    package func fail(_ error: RemoteDataError) {
        let whenFailed = state.withLock { state in
            state.isBroken = true
            (state.notes, state.size, state.beingWritten) = ([], 0, [])
            if state.whenFailed == nil, state.source == nil { state.failure = error }
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
        notes += new
        size += new.reduce(0) { $0 + $1.size }
        // Rows that are gone may be among what was not written: nothing of it counts any more.
        if size > CacheLink.limit { (notes, size) = ([.forgotten], 1) }
        defer { isScheduled = true }
        return !isScheduled
    }
}

extension CacheNote {
    /// Whether it may have anything of a request be kept that is not.
    fileprivate func mayBring(_ request: PageRequest, sort: [SortTerm]) -> Bool {
        switch self {
        case .stretch(let stretch, _, _), .staleStretch(let stretch, _, _):
            // Of a page further behind it another one may have come since it was decided to ask for this one.
            !request.start.isFurtherBehind && stretch.holds(behind: request.start.behind, sort: sort)
        // Where changes may have been missed, what was known becomes what was before that, or the other way round.
        case .lost, .verified: true
        case .rows, .change, .ownChange, .lateChange, .reached, .forgotten, .placed: false
        }
    }

    /// How many rows it holds, and one.
    fileprivate var size: Int {
        switch self {
        case .stretch(_, let rows, _), .staleStretch(_, let rows, _), .rows(let rows, _): rows.count + 1
        case .change, .ownChange, .lateChange, .reached, .lost, .forgotten, .placed, .verified: 1
        }
    }
}

extension PageRequest.Start {
    /// Whether rows lie between what it goes by and the page.
    fileprivate var isFurtherBehind: Bool {
        if case .beyond(_, let offset) = self { offset > 0 } else { false }
    }
}
