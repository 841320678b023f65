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
        case .now(let revision): send(.live(revision), at: revision)
        case .gap(let revision): lose(upTo: revision)
        case .after(let revision, let changes, let current):
            send(.live(revision), at: revision)
            deliver(changes, upTo: current, knownUpTo: revision)
        }
    }

    /// Sends what of a batch concerns the query, then how far that leads.
    func deliver(_ changes: ArraySlice<RowChange>, upTo revision: Revision, knownUpTo start: Revision? = nil)
    {
        var known = start
        for change in changes {
            guard let change = change.seen(by: query) else { continue }
            send(.change(change), at: change.revision ?? revision)
            known = change.revision
        }
        if known != revision { send(.progress(revision), at: revision) }
    }

    /// Tells that changes up to a revision were not kept for this subscription.
    func lose(upTo revision: Revision) {
        feed?.send(.reset)
        feed?.send(.live(revision))
    }

    func finish() { feed?.finish() }

    /// A full feed forgets what it holds and this event; then it is told from which revision on it is
    /// complete again.
    private func send(_ event: ChangeEvent, at revision: Revision) {
        guard let feed, !feed.send(event) else { return }
        feed.send(.live(revision))
    }
}
