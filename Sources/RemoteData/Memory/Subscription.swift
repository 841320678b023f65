/// One subscriber of a ``ChangeHub``.
struct Subscription: Sendable {
    private let query: PreparedQuery
    /// The rights of a subscriber who sees only a part of the table.
    private let access: RowAccess?
    /// Weak, because a feed that nobody iterates or holds any more ends its subscription.
    private weak let feed: ChangeFeed?
    /// Called when it has ended because its clause takes too much work.
    private let onOverrun: @Sendable () -> Void

    init(
        query: Query,
        access: RowAccess? = nil,
        feed: ChangeFeed,
        onOverrun: @escaping @Sendable () -> Void
    ) {
        self.query = PreparedQuery(query)
        self.access = access
        self.feed = feed
        self.onOverrun = onOverrun
    }

    /// A column and the only value that it has where the clause is true; nil where there is none.
    var equality: (ColumnPath, Value)? { query.filter?.equality }

    /// Sends the first events.
    func begin(_ start: ChangeHub.Start) {
        switch start {
        case .now(let revision): send([.live(revision)], at: revision)
        case .gap(let revision): lose(upTo: revision)
        case .after(let revision, let changes, let current):
            send([.live(revision)], at: revision)
            deliver(changes, upTo: current, knownUpTo: revision)
        }
    }

    /// Sends what of a batch concerns the query, then how far that leads.
    func deliver(_ changes: ArraySlice<RowChange>, upTo revision: Revision, knownUpTo start: Revision? = nil)
    {
        // One that has ended costs nothing more.
        guard let feed, !feed.hasEnded else { return }
        guard var events = self.events(of: changes) else {
            feed.send(.interrupted(.tooMuchWorkForChanges))
            onOverrun()
            feed.finish()
            return
        }
        let known: Revision? =
            switch events.last {
            case .change(let last): last.revision
            case .live(let revision): revision
            default: start
            }
        if known != revision { events.append(.progress(revision)) }
        send(events, at: revision)
    }

    /// Sends that nothing up to a revision concerns the query.
    func pass(upTo revision: Revision) { send([.progress(revision)], at: revision) }

    /// What of some changes concerns the query; nil when one of them takes more work than a clause has for
    /// it.
    private func events(of changes: ArraySlice<RowChange>) -> [ChangeEvent]? {
        let budget = WorkBudget(steps: WorkBudget.changeSteps, within: nil)
        return WorkBudget.$current.withValue(budget) {
            var events: [ChangeEvent] = []
            for change in changes {
                // Reading a row is no fault of the clause.
                budget.renew(adding: Self.stepsPerByte * change.byteCount)
                events += self.events(of: change)
                guard !budget.isUsedUp else { return nil }
            }
            return events
        }
    }

    /// The steps that a clause has for each byte of the rows of a change, besides those for the change.
    private static let stepsPerByte = 16

    private func events(of change: RowChange) -> [ChangeEvent] {
        guard let access else { return change.seen(by: query).map { [.change($0)] } ?? [] }
        return switch access.seen(change, by: query) {
        case .nothing: []
        case .change(let change): [.change(change)]
        case .unknown: [.reset, .live(change.revision)]
        }
    }

    /// Tells that changes up to a revision were not kept for this subscription.
    func lose(upTo revision: Revision) {
        feed?.send(.reset)
        feed?.send(.live(revision))
    }

    func finish() { feed?.finish() }

    /// A full feed forgets what it holds and these events; then it is told from which revision on it is
    /// complete again.
    private func send(_ events: [ChangeEvent], at revision: Revision) {
        guard let feed, !feed.send(contentsOf: events) else { return }
        feed.send(.live(revision))
    }
}
