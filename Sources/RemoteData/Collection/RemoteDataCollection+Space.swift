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
        }
        options.space?.tellTables()
        share.join { [weak self] news in self?.hear(news) }
    }

    private func hear(_ news: SharedTable.News) {
        guard let share else { return }
        switch news {
        case .changes(let changes, let isWhole, let source):
            let isSameTable = source != nil && source == share.source
            // Its own events tell it.
            if isSameTable, state.withLock({ $0.core.isLive }) { return }
            take(changes.map { .change($0, isWhole: isWhole, isSameTable: isSameTable) })
        case .models(let news, let time):
            for (id, news) in news {
                switch news {
                case .updated(let versions): hear(versions, of: id, at: time)
                case .deleted: take(share.rowIDs(of: id).map { .gone($0, time: time) })
                }
            }
        }
    }

    /// Takes a model that somebody else has: of this collection's type as it is, and what other types say put into the row that is here.
    private func hear(_ versions: [any ConsistentModel], of id: ModelID, at time: UInt64) {
        guard let share else { return }
        let own = versions.last { $0 is Element } as? Element
        let ids = own.flatMap { RowID(identifier: $0.id)?.spellings } ?? share.rowIDs(of: id)
        let known = state.withLock { state in ids.compactMap { state.core.row($0) }.first }
        let shown = known.flatMap { try? codec.decode($0) }
        let merged = (shown as? any ConsistentModel).flatMap { shown in
            versions.reduce(shown) { $0.merged(with: $1) } as? Element
        }
        // What it does not say any more is null.
        guard let element = own ?? merged, var row = share.row(of: element),
            let patch = try? codec.patch(from: shown, to: element, isWhole: true)
        else { return }
        if let known { row = Row(id: known.id, json: row.json) }
        take([.model(patch: patch, row: row, time: time)])
    }

    /// Has hints applied in their turn.
    private func take(_ hints: [RowHint]) {
        guard !hints.isEmpty else { return }
        let waiters = state.withLock { state in
            let isAlone = state.hints.isEmpty
            state.hints += hints
            if state.hints.count > Self.hintLimit {
                state.hints = []
                state.core.needsResync = true
            }
            if isAlone {
                let run: @Sendable (inout State) -> Void = { [share] state in
                    let hints = state.hints
                    state.hints = []
                    for hint in hints {
                        let applied = state.core.hear(hint) { id, time in
                            share?.shared.hasWord(of: id, after: time) ?? false
                        }
                        state.notices += applied.map { .changed($0) }
                    }
                }
                state.steps.append(Step(run: run, done: OneShot()))
            }
            return state.parkedCalls > 0 ? state.catchUp() : []
        }
        for waiter in waiters { waiter.resume(.success(())) }
        scheduleDelivery()
    }
}

extension RemoteDataCollection.State {
    /// Tells the space what comparing with the table has found.
    mutating func publishFound() {
        guard !core.foundForOthers.isEmpty else { return }
        share?.publish(core.foundForOthers, isWhole: false)
        core.foundForOthers = []
    }
}
