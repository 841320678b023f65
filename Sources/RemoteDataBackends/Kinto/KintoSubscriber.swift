import RemoteData

/// What one subscriber to a collection was told.
struct KintoSubscriber: Sendable {
    /// Where it is.
    enum Place: Sendable {
        /// It is told everything behind the revision that it has reached.
        case following
        /// It has yet to be told what changed since an earlier revision.
        case resuming(since: Revision)
        /// It begins at the end of a round; whether it has missed changes, so that it has to compare.
        case beginning(isReset: Bool)
    }

    /// The revision that it resumes from; nil for none.
    private let start: Revision?
    private let filter: ChangeFilter
    /// The columns of its order, and the kinds of values they hold.
    private let sortColumns: [ColumnPath]
    private var kinds = KintoKinds()
    private(set) var place: Place
    /// Everything up to here was told, or does not concern it.
    private var reached = Revision.zero
    private(set) var hasBeenLive = false
    private var isInterrupted = false
    /// Whether it came during a round, and waits for the next.
    var isWaiting = true

    init(_ query: Query, since revision: Revision?) {
        start = revision
        filter = ChangeFilter(query)
        sortColumns = query.sort.map(\.column)
        place = revision.map { .resuming(since: $0) } ?? .beginning(isReset: false)
    }

    /// It has missed changes, unless it has not begun.
    mutating func loseTrack() { if hasBeenLive { place = .beginning(isReset: true) } }

    /// It cannot be told what changed since the revision that it wants.
    mutating func giveUpResuming() { place = .beginning(isReset: true) }

    /// What a page of changes has in it.
    ///
    /// - Parameters:
    ///   - list: The page.
    ///   - told: What had been told to all when the round began.
    ///   - recent: What was told lately.
    /// - Returns: What to tell.
    mutating func take(_ list: KintoList, told: Revision, _ recent: KintoRecentChanges) -> [ChangeEvent] {
        let start: Revision
        switch place {
        case .beginning: return []
        case .following: start = recent.start(from: told)
        case .resuming(let since):
            if !hasBeenLive { reached = since }
            start = recent.start(from: since)
        }
        var events: [ChangeEvent] = []
        var isSorted = true
        if !hasBeenLive || isInterrupted { events.append(.live(reached)) }
        (hasBeenLive, isInterrupted) = (true, false)
        for item in list.items {
            guard let stamp = item.row.revision, stamp > start else { continue }
            let isNew = stamp > reached
            if case .following = place, !isNew, recent.holds(item.row.id, stamp) { continue }
            if isNew { reached = stamp }
            // What comes to light late has no place in the order of revisions.
            let change = Change(item, revision: isNew ? stamp : nil)
            guard let event = filter.seen(.change(change)) else { continue }
            events.append(event)
            if case .change(let seen) = event, let row = seen.row { isSorted = note(row) && isSorted }
        }
        // The place of such a row is not known here; the page that holds it ends with an error.
        if !isSorted { events += [.reset, .live(reached)] }
        if case .resuming = place { place = .resuming(since: reached) }
        return events
    }

    /// Notes the values that a row is sorted by.
    ///
    /// - Returns: Whether it sorts here as in Kinto, beside the rows before it.
    private mutating func note(_ row: Row) -> Bool {
        var isSorted = true
        for column in sortColumns { isSorted = kinds.note(row[column], in: column) && isSorted }
        return isSorted
    }

    /// A row of the table was read.
    mutating func noteRead(_ row: Row) {
        guard !sortColumns.isEmpty, let seen = filter.seen(Change(revision: nil, kind: .updated, row: row)),
            !seen.left
        else { return }
        _ = note(row)
    }

    /// Everything up to a revision was told.
    ///
    /// - Parameters:
    ///   - revision: The revision.
    ///   - isBlind: Whether rows may have been removed that nothing tells of.
    ///   - counted: The revision since when the number of rows is compared with the changes; nil for never.
    /// - Returns: What to tell.
    mutating func arrive(
        at revision: Revision,
        isBlind: Bool,
        countedFrom counted: Revision? = nil
    ) -> [ChangeEvent] {
        defer { (place, hasBeenLive, isInterrupted, reached) = (.following, true, false, revision) }
        switch place {
        case .beginning(let isReset): return isReset ? [.reset, .live(revision)] : [.live(revision)]
        case .following, .resuming:
            if isBlind || resumes(from: counted) { return [.reset, .live(revision)] }
            return revision > reached ? [.progress(revision)] : []
        }
    }

    /// Whether it resumes from no later than rows were counted: what has a stamp of the past by then is in no
    /// change, and in that count already.
    private func resumes(from counted: Revision?) -> Bool {
        guard case .resuming = place, let start, let counted else { return false }
        return start <= counted
    }

    /// The server cannot be asked.
    mutating func interrupt(_ error: RemoteDataError) -> [ChangeEvent] {
        defer { isInterrupted = true }
        return isInterrupted ? [] : [.interrupted(error)]
    }
}
