/// One subscriber of a ``ChangeHub``.
struct Subscription: Sendable {
    private let query: PreparedQuery
    /// The rights of a subscriber who sees only a part of the table.
    private let access: RowAccess?
    /// Weak, because a feed that nobody iterates or holds any more ends its subscription.
    private weak let feed: ChangeFeed?

    init(query: Query, access: RowAccess? = nil, feed: ChangeFeed) {
        self.query = PreparedQuery(query)
        self.access = access
        self.feed = feed
    }

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
        var events = self.events(of: changes)
        let known: Revision? =
            switch events.last {
            case .change(let last): last.revision
            case .live(let revision): revision
            default: start
            }
        if known != revision { events.append(.progress(revision)) }
        send(events, at: revision)
    }

    private func events(of changes: ArraySlice<RowChange>) -> [ChangeEvent] {
        guard let access else { return changes.compactMap { $0.seen(by: query) }.map { .change($0) } }
        return changes.flatMap { change -> [ChangeEvent] in
            switch access.seen(change, by: query) {
            case .nothing: []
            case .change(let change): [.change(change)]
            case .unknown: [.reset, .live(change.revision)]
            }
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
