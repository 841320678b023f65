/// One subscriber of a ``ChangeHub``.
struct Subscription: Sendable {
    private let query: PreparedQuery
    /// Weak, because a feed that nobody iterates or holds any more ends its subscription.
    private weak let feed: ChangeFeed?

    init(query: Query, feed: ChangeFeed) {
        self.query = PreparedQuery(query)
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
        var events = changes.compactMap { $0.seen(by: query) }.map { ChangeEvent.change($0) }
        let known = if case .change(let last)? = events.last { last.revision } else { start }
        if known != revision { events.append(.progress(revision)) }
        send(events, at: revision)
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
