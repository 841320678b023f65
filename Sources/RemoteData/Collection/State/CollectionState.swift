/// Everything a collection knows, and every decision about it: a value without I/O.
///
/// With a live table the state is always exactly the server's at one revision, ``applied``, restricted to the rows that
/// are here. Changes advance it in order; a page read earlier is rolled forward through the log of changes, a page
/// read later waits until the changes up to it have come (the fence). An own write is applied when its event comes, in
/// its turn among the others; only where no events come, by the table's answer.
struct CollectionState: Sendable {
    let query: Query
    let pageSize: Int
    /// How many rows the pages of those who read one after another grow to.
    let largestPage: Int
    /// How many rows they ask for at the moment, once they have begun.
    private(set) var nextPage: Int
    /// The most rows of a page that the table sends.
    let pageLimit: Int
    /// How many rows may be here; nil for all.
    let cache: CacheLimit?
    /// Whether rows sort by their places: the order cannot be reproduced.
    let ordersByPlace: Bool
    /// Whether changes tell of rows that are not here whether they were rows of the query before.
    let knowsMembership: Bool
    /// Whether pages can be asked for before those in front of them have come.
    var readsBeyond: Bool

    var index: RowIndex
    var held: HeldRows
    /// The revision the index is at; nil for a table without revisions, and when changes are not followed.
    var applied: Revision?
    /// Whether changes are being followed.
    var following: Following
    /// The revision from which on the feed that is live delivers changes.
    var liveSince: Revision?
    /// Whether nothing can lie behind the last row: a short page showed the end, or changes keep the count exact.
    var isEndKnown = false
    /// Whether gaps may be of a wrong size, because rows were read past the fence or changes were not told whole.
    private var isDoubtful = false
    /// The revision of the count that the index began with.
    var counted: Revision?
    /// How far positions of the query, at which pages are asked for, are from those of the index.
    var offsetShift = 0
    /// A stretch behind a row, or behind the start, in which there are held rows only.
    var passed: (after: Key?, through: Key)?
    /// How many rows that cannot be read come first behind a row, or behind the start.
    var unreadable: (after: Key?, count: Int)?
    /// Why the first row that cannot be read cannot, of pages since the index began; nil for none.
    private(set) var unreadableError: RemoteDataError?
    /// Whether there are such rows: a count of all rows then tells nothing about the size of gaps.
    var hasUnreadable: Bool { unreadableError != nil }
    /// Whether the table counts more rows than match, because it cannot be asked for the whole clause.
    private(set) var isCountedHigh = false
    /// Rows that could not be read and have not been told.
    var failures: [RowFailure] = []
    /// How many pages in a row came to lie elsewhere than where they were needed.
    var strays = 0
    /// The number at which places were forgotten last.
    var placedAt = 0
    /// The number at which the index began.
    var outset = 0

    /// Whether the number of rows changed without a change that says which, which is to be told as `dataLoaded`.
    var isRecounted = false

    /// Whether somebody is told what changes do; otherwise the position is not made out of a row that changes where it is.
    var isHeard = true

    /// Whether changes may have been missed, so that everything has to be compared with the table.
    var needsResync = false
    /// The latest revision of a page or an own write that was used before the changes up to it had come; where none come,
    /// that of an own write that others wrote before.
    var ahead: Revision?
    /// Stretches that were read at a later revision than `applied`.
    var newer = NewerStretches()
    /// What answers prove about how recent the rows here are.
    var proof = ReadProof()
    /// Whether the rows are those that a cache kept.
    var restoration = Restoration.none
    /// The number at which the feed was interrupted or resumed last; nil where it never was interrupted.
    var resumedAt: Int?
    /// That comparison, while it is under way.
    var repair: Repair?
    /// What a cache keeps.
    var keeping = Keeping.nothing
    /// What it is to be told.
    var notes: [CacheNote] = []
    /// The stretches that pages have shown and a cache has been told of; nil where none is needed.
    var shown: KeyIntervals?
    /// What repairs have found and others are to be told of.
    var foundForOthers: [Change] = []
    /// Whether there are others.
    var sharesFound = false
    /// The position that was read last: a repair begins there.
    var lookedAt: Int?

    /// Changes delivered and not applied yet, oldest first, from ``pendingStart`` on.
    var pending: [ChangeEvent] = []
    /// How many of ``pending`` have been applied.
    var pendingStart = 0
    /// Where in ``pending`` the last gap among the changes ends; not after ``pendingStart`` where there is
    /// none.
    var gapEnd = 0
    /// The revision that the last change received leads to.
    var received: Revision?
    /// Changes applied since the oldest page under way was asked for, to roll pages forward with.
    var log: [(number: Int, change: Change)] = []
    /// Rows that bulk deletions without a revision took away, where rows sort by their places.
    var droppedTogether: Set<RowID> = []
    /// How own writes are known when they come back.
    var own: OwnWrites
    /// What answers have shown before its events.
    var answered = AnsweredChanges()
    /// What own updates wrote lately.
    var written = WrittenValues()
    /// Rows of own writes that are to be held at a position when their events come.
    var holding: [RowID: Int] = [:]
    var fetches: [Int: Fetch] = [:]
    /// Since when the log has to be kept for others than fetches, and which revision was known then.
    private var watches: [Int: Revision?] = [:]
    /// Fetches up to this number can no longer be put in place.
    var outdated = 0
    /// How many rows the last page could have had, where that were more than asked for; otherwise 0.
    var lastLimit = 0
    /// The number at which the last page was put in place.
    var lastMerge = 0
    /// Pages that are newer than `applied`.
    var waiting: [(fetch: Fetch, page: Page)] = []
    var cursors: [Int: IterationCursor] = [:]
    private var nextNumber = 0

    /// Whether changes are being followed.
    enum Following: Sendable {
        /// They are not, and will not be.
        case off
        /// They will be soon.
        case starting
        /// Every change since `applied` is delivered.
        case live
        /// The connection is lost for now.
        case interrupted
    }

    init(
        query: Query,
        pageSize: Int,
        largestPage: Int = 0,
        pageLimit: Int? = nil,
        count: Count,
        follows: Bool,
        cache: CacheLimit? = nil,
        ordersByPlace: Bool = false,
        capabilities: Capabilities = .full
    ) {
        self.ordersByPlace = ordersByPlace
        knowsMembership = capabilities.everyChange && (capabilities.reportsEntering || query.filter == nil)
        readsBeyond = capabilities.keysetPages && capabilities.pagesBeyondKeys && !ordersByPlace
        self.query = query
        self.pageSize = min(max(1, pageSize), 1 << 32)
        self.largestPage = min(max(self.pageSize, largestPage), 1 << 32)
        nextPage = self.pageSize
        self.pageLimit = max(self.largestPage, pageLimit ?? 0)
        self.cache = cache
        own = OwnWrites(tellsKeys: capabilities.idempotency)
        following = follows ? .starting : .off
        // What is forgotten is forgotten by the chunk: none is larger than a page, then.
        let chunkLimit = cache == nil ? RowIndex.largestChunk : self.pageSize
        index = RowIndex(count: count.value, chunkLimit: chunkLimit, sort: query.sort)
        held = HeldRows(sort: query.sort)
        applied = follows ? count.revision : nil
        counted = count.revision
        isCountedHigh = !count.isExact
    }

    /// Begins to note what a cache keeps: stretches with their rows, or rows alone.
    mutating func keep(stretches: Bool) {
        keeping = stretches ? .stretches : .rows
        if stretches { shown = KeyIntervals() }
    }

    /// Notes that the rows are those that a cache kept.
    mutating func noteRestored() {
        restoration = .restored
        // What has changed since they were kept comes after the feed is live.
        resumedAt = number()
    }

    /// A page has come, soon or late, or has not come at all: pages double as long as they come soon, and are halved otherwise.
    mutating func notePage(of rows: Int, cameSoon: Bool) {
        if !cameSoon {
            nextPage = max(pageSize, min(nextPage, rows / 2))
        } else if rows >= nextPage {
            nextPage = min(largestPage, nextPage * 2)
        }
    }

    /// Whether a count tells nothing about the size of gaps.
    var isUncountable: Bool { hasUnreadable || isCountedHigh }

    /// Whether gaps may be of a wrong size, and a count would mend it.
    var isCountDoubtful: Bool { isDoubtful && !isUncountable }

    /// Whether gaps are known to be of the right size.
    var isExact: Bool { counted != nil && !isDoubtful && !isUncountable }

    /// Whether nothing has come from others since the count, as far as anybody can know: own writes are then all there is.
    var isAlone: Bool { isExact || (following == .off && !isDoubtful && !isUncountable) }

    /// Notes that gaps may be of a wrong size.
    mutating func noteDoubt() {
        isDoubtful = counted != nil || following == .off
        repair?.isSure = false
    }

    /// Notes that rows cannot be read, so that no count settles anything any more.
    mutating func noteUnreadable(_ failures: [RowFailure]) {
        if unreadableError == nil { unreadableError = failures.first?.error }
    }

    /// Notes that gaps are of the right size.
    mutating func noteCounted() { isDoubtful = false }

    /// Whether the rows here are exactly those of the table at `applied`.
    var isOfOneMoment: Bool {
        guard let applied, !isCountDoubtful, repair == nil else { return false }
        return ahead.map { $0 <= applied } ?? true
    }

    /// Notes that something newer than the changes that have come was used.
    mutating func noteAhead(_ revision: Revision?) {
        guard let revision, isToCome(revision) else { return }
        ahead = max(revision, ahead ?? revision)
    }

    /// Notes that a stretch was read at a later revision than was reached.
    mutating func noteAhead(_ revision: Revision?, _ stretch: KeyInterval) {
        guard let revision, isToCome(revision) else { return }
        newer.note(stretch, at: revision)
    }

    /// Whether every change since `applied` is delivered.
    var isLive: Bool { following == .live }

    /// Whether every change since `applied` is, or will soon be, delivered.
    var expectsChanges: Bool { (following == .live || following == .starting) && !needsResync }

    /// How many rows the query has, as far as known.
    var count: Int { index.count + held.count }

    /// How many rows are here.
    var loadedCount: Int { index.loadedCount + held.count }

    /// Whether every row is here, and it is known that there are no more.
    var isLoaded: Bool { index.isComplete && waiting.isEmpty && (isExact || isEndKnown) }

    /// Starts over with a new count; iterations go on with the rows they have not taken.
    ///
    /// - Parameters:
    ///   - count: The count.
    ///   - watch: A watch begun before it was asked for: changes that it does not include are applied again.
    ///   - kept: The held rows that keep their positions; for nil all go to where they sort.
    /// - Returns: Whether it did; not with a count from before everything was last begun anew.
    @discardableResult
    mutating func reset(
        to count: Count,
        since watch: Int,
        keeping kept: HeldReading? = nil
    ) -> Bool {
        guard watch > outset else { return false }
        enterHistory(of: count, askedAt: reached(at: watch))
        startIterationsOver(at: count)
        if kept == nil { letHeldRowsGo() }
        let kept = kept ?? HeldReading()
        repeatChanges(after: count, since: watch)
        let places = held.rows.indices.map { (held.rows[$0].row.id, held.position(ofHeld: $0)) }
        // Where no revision tells whether a count of none has what came meanwhile, a gap has somebody look.
        let isVague = count.revision == nil && log.contains { $0.number > watch }
        let indexed = max(count.value - kept.rows.count, isVague ? 1 : 0)
        let isAhead = if let ahead, let revision = count.revision { ahead > revision } else { false }
        index = RowIndex(count: indexed, replacing: index)
        answered = AnsweredChanges()
        for id in cursors.keys { cursors[id]?.known = nil }
        held = HeldRows(sort: query.sort, replacing: held)
        for (id, position) in places {
            if let row = kept.rows[id] { held.insert([row], at: min(position, self.count)) }
        }
        beginAnew(at: count, since: watch)
        isEndKnown = false
        // Nothing tells whether the count was made with what became of held rows, nor whether others have already taken
        // away what an own write is answered to have: what is repeated may be that answer.
        isDoubtful = !kept.isOfTheCount || isAhead
        unreadableError = nil
        ahead = nil
        repair = nil
        if shown != nil { shown = KeyIntervals() }
        return true
    }

    /// Goes on from a count: what was asked for before can no longer be put in place.
    mutating func beginAnew(at count: Count, since watch: Int) {
        applied = following == .off ? nil : count.revision
        prove(count.revision, asked: watch, at: nil)
        if let applied { proof.reach(applied) }
        counted = count.revision
        isCountedHigh = !count.isExact
        newer = NewerStretches()
        offsetShift = 0
        passed = nil
        unreadable = nil
        strays = 0
        log = []
        own.forgetRevisions()
        droppedTogether = []
        holding = [:]
        fetches = [:]
        waiting = []
        // A count from before the feed was opened, or from before changes that were lost, does not show what
        // came in between, and nor does the feed. Where it began in a former history does not matter.
        let begin = isOfThisHistory(liveSince) ? liveSince : nil
        needsResync = [begin, fence].contains { from in
            if let from, let applied { !applied.reaches(from) } else { false }
        }
        gapEnd = endOfGap
        note(.lost)
        if let revision = count.revision { note(.reached(revision)) }
        outset = number()
        outdated = outset
    }

    /// Begins to keep what changes, until ``endWatch(_:)``.
    mutating func beginWatch() -> Int {
        let watch = number()
        watches.updateValue(newestKnown, forKey: watch)
        return watch
    }

    mutating func endWatch(_ watch: Int) {
        watches.removeValue(forKey: watch)
        trimLog()
    }

    /// The revision that was known when a watch began; nil where none was.
    func reached(at watch: Int) -> Revision? { watches[watch] ?? nil }

    /// Whether changes are to be kept.
    var keepsLog: Bool { !fetches.isEmpty || !watches.isEmpty }

    /// How many changes are kept for pages and writes under way.
    static var logLimit: Int { 100_000 }

    /// Forgets changes that are too many to be kept: what is under way can no longer be brought up to date with them.
    mutating func loseLog() {
        log = []
        outset = number()
        outdated = outset
    }

    /// Forgets changes that nobody can need.
    mutating func trimLog() {
        guard !log.isEmpty else { return }
        guard let oldest = [fetches.keys.min(), watches.keys.min()].compactMap(\.self).min() else {
            log = []
            return
        }
        log.removeAll { $0.number < oldest }
    }

    mutating func number() -> Int {
        nextNumber += 1
        return nextNumber
    }
}

// MARK: - Reading

extension CollectionState {
    /// The loaded row at a position of the collection.
    func row(at position: Int) -> Row? {
        switch held.location(of: position) {
        case .held(let index): held.rows[index].row
        case .base(let base): index.row(at: base)
        }
    }

    /// The loaded row with an id.
    func row(_ id: RowID) -> Row? { held.index(of: id).map { held.rows[$0].row } ?? index.row(id) }

    /// The rows that have come, or become others, since this was asked last; nil for all that are here.
    mutating func takeArrivals() -> [RowID]? {
        let (held, indexed) = (held.takeArrivals(), index.arrivals.take())
        guard let held, let indexed else { return nil }
        return held + indexed
    }

    /// Where the row with an id is in the collection.
    func position(of id: RowID) -> Int? {
        if let index = held.index(of: id) { return held.position(ofHeld: index) }
        return index.position(of: id).map { held.position(ofBase: $0) }
    }

    /// The key of the loaded row at a position of the index.
    func key(at position: Int) -> Key? { index.row(at: position).map { Key($0, sort: query.sort) } }
}
