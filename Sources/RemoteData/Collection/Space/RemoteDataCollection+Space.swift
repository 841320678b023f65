import RemoteDataExecution
import Synchronization

// What is told to and by others in the space.
extension RemoteDataCollection {
    /// How many hints wait; of more, what is here is compared with the table.
    private static var hintLimit: Int { 10_000 }

    func joinSpace() {
        guard let share else { return }
        state.withLock { state in
            state.share = share
            state.core.sharesFound = true
            // Models of its rows are held elsewhere.
            state.core.index.keepsAllVersions = true
        }
        options.space?.tellTables()
        share.join { [weak self] news in self?.hear(news) }
    }

    private func hear(_ news: SharedTable.News) {
        guard let share else { return }
        switch news {
        case .missed:
            let isLive = state.withLock { state in
                if !state.core.isLive { state.core.loseTrack() }
                return state.core.isLive
            }
            if !isLive { scheduleDelivery() }
        case .changes(let changes, let isWhole, let source, let time):
            let isSameTable = source != nil && source == share.source
            // Its own events tell it.
            if isSameTable, state.withLock({ $0.core.isLive }) { return }
            take(
                changes.map { .row(.change($0, isWhole: isWhole, isSameTable: isSameTable, time: time)) }
            )
        case .models(let news, let time, let isOfRows):
            if !share.hasParts, isOfRows || !news.contains(where: { concernsRow($0.key, $0.value) }) {
                return
            }
            take([.models(SaidModels(news: news, time: time, isOfRows: isOfRows))])
        }
    }

    /// Whether a row of the table may be meant.
    private func concernsRow(_ id: ModelID, _ news: ModelNews) -> Bool {
        if case .updated(let versions) = news, versions.contains(where: { $0 is Element }) { return true }
        return !(share?.rowIDs(of: id).isEmpty ?? true)
    }

    /// Applies what was said of models when its turn has come; on the delivery queue, which rows have to be looked at for.
    func apply(_ said: SaidModels) {
        guard let share else { return }
        // Before anything is looked at: a page may come meanwhile.
        if !said.isRepeat { state.withLock { $0.remember(said) } }
        if !said.isOfRows {
            var hints: [RowHint] = []
            for (id, news) in said.news {
                switch news {
                case .updated(let versions): hints += hint(versions, of: id, at: said.time).map { [$0] } ?? []
                case .deleted: hints += share.rowIDs(of: id).map { .gone($0, time: said.time) }
                }
            }
            state.withLock { $0.apply(hints) }
        }
        let hints = hintsOfParts(said)
        state.withLock { $0.apply(hints) }
    }

    /// A model that somebody else has: of this collection's type as it is, and what other types say put into the row that is here.
    private func hint(_ versions: [any ConsistentModel], of id: ModelID, at time: UInt64) -> RowHint? {
        guard let share else { return nil }
        let own = versions.last { $0 is Element } as? Element
        let ids = own.flatMap { RowID(identifier: $0.id)?.spellings } ?? share.rowIDs(of: id)
        let known = state.withLock { state in ids.compactMap { state.core.row($0) }.first }
        let shown = known.flatMap { try? codec.decode($0) }
        guard let base = (shown ?? own) as? any ConsistentModel, let last = versions.last else { return nil }
        let newer = PostedModels.Newer(model: last, part: nil, others: versions.dropLast())
        // What it does not say any more is null.
        guard let element = newer.version(of: base) as? Element, var row = share.row(of: element),
            let patch = try? codec.patch(from: shown, to: element, isWhole: true)
        else { return nil }
        if let known { row = Row(id: known.id, json: row.json) }
        return .model(patch: patch, row: row, time: time)
    }

    /// Has something applied in its turn.
    private func take(_ hints: [WaitingHint.Content]) {
        guard !hints.isEmpty else { return }
        state.withLock { state in
            state.hints += hints.map { WaitingHint(content: $0, behind: state.receivedCount) }
            if state.hints.count > Self.hintLimit {
                state.hints = []
                state.core.loseTrack()
            }
        }
        scheduleDelivery()
    }
}

extension RemoteDataCollection.State {
    /// Whether there is something of others of which the turn has come: the events that came before it have been applied.
    var isHintDue: Bool {
        guard let first = hints.first else { return false }
        return core.needsResync || receivedCount - core.pendingCount >= first.behind
    }

    /// Applies what others say, up to what is to be told or models have to be looked at for.
    ///
    /// - Returns: Those.
    mutating func applyHints() -> SaidModels? {
        while notices.isEmpty, isHintDue, let first = hints.popFirst() {
            switch first.content {
            case .row(let hint): apply([hint])
            case .models(let said): return said
            }
        }
        return nil
    }

    /// How much that was said is remembered for pages that are under way.
    private static var saidLimit: Int { 1_000 }

    /// Pages that are under way may bring rows that are older than what was said.
    mutating func remember(_ said: SaidModels) {
        guard !core.fetches.isEmpty else { return }
        if saidMeanwhile.count == Self.saidLimit { saidMeanwhile.removeFirst() }
        saidMeanwhile.append((said, Set(core.fetches.keys)))
    }

    /// What was said while pages were under way that have come now is looked at again.
    mutating func repeatSaid(_ fetches: [Fetch]) {
        guard !saidMeanwhile.isEmpty, !fetches.isEmpty else { return }
        let done = Set(fetches.map(\.id))
        // In front of what waits, which is newer; of each model the last that was said.
        var ids: Set<ModelID> = []
        for var item in saidMeanwhile.reversed() where !done.isDisjoint(with: item.fetches) {
            item.said.isRepeat = true
            item.said.news = item.said.news.filter { ids.insert($0.key).inserted }
            guard !item.said.news.isEmpty else { continue }
            hints.insert(WaitingHint(content: .models(item.said), behind: 0), at: hints.startIndex)
        }
        let left = saidMeanwhile.map {
            ($0.said, $0.fetches.subtracting(done).intersection(core.fetches.keys))
        }
        saidMeanwhile = left.filter { !$1.isEmpty }
    }

    mutating func apply(_ hints: [RowHint]) {
        guard !hints.isEmpty else { return }
        for hint in hints {
            let applied = core.hear(hint, readAt: pageAskedAt) { [share] id, time in
                share?.shared.hasWord(of: id, after: time) ?? false
            }
            notices += applied.map { .changed($0) }
        }
        isSeenOtherwise = true
    }

    /// Tells the space what comparing with the table has found.
    mutating func publishFound() {
        guard !core.foundForOthers.isEmpty else { return }
        share?.publish(core.foundForOthers, isWhole: false)
        core.foundForOthers = []
    }
}
