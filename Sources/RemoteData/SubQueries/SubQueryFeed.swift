import RemoteDataExecution
import Synchronization

/// The changes of a query with sub-queries: those of its table as long as the values of the sub-queries are the same, and then,
/// behind a `reset`, those with the values there are now.
struct SubQueryFeed: Sendable {
    let table: SubQueryTable
    let query: Query

    /// Begins, following the tables of the sub-queries before their values are read, so that no change of these is missed.
    ///
    /// - Parameter revision: Where to go on, if anywhere; what the values were then is known only where the other tables have not
    ///   changed since.
    /// - Returns: A feed that ends all others when it is cancelled or released.
    /// - Throws: Why one of the tables cannot be followed or read.
    func start(since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        let state = FeedState()
        var isGap = false
        do throws(RemoteDataError) {
            for subQuery in query.filter?.subQueries ?? [] {
                // One that is not there and cannot come has no values and gets none.
                guard let other = try await table.lookUp(subQuery.table, true) else { continue }
                state.follow(try await other.subscribe(to: subQuery.rows, since: nil))
            }
            let resolved = try await table.resolved(query)
            if let revision { isGap = try await hasChanged(since: revision) }
            let start = isGap ? nil : revision
            state.begin(resolved, try await table.base.subscribe(to: resolved, since: start))
        } catch {
            state.cancel()
            throw error
        }
        let feed = ChangeFeed { state.cancel() }
        Task(executorPreference: WorkerExecutor.shared) { [weak feed, isGap] in
            await run(state, isGap: isGap) { events in
                guard let feed else { return false }
                feed.handOn(events)
                return true
            }
            state.cancel()
            feed?.finish()
        }
        return feed
    }

    /// Whether one of the other tables, those of sub-queries in sub-queries included, has changed since a revision; tables of a store
    /// share their revisions.
    private func hasChanged(since revision: Revision) async throws(RemoteDataError) -> Bool {
        for name in query.filter?.otherTables ?? [] {
            guard let other = try await table.lookUp(name, false) else { continue }
            guard let last = try await other.count(nil).revision, revision.reaches(last) else { return true }
        }
        return false
    }

    /// Hands on events until the feed is cancelled or one of the tables ends.
    private func run(
        _ state: FeedState,
        isGap: Bool,
        _ send: @escaping @Sendable ([ChangeEvent]) -> Bool
    ) async {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Taken before anything can put another one in its place, which begins with a reset.
        guard let first = state.source else { return }
        await withTaskGroup(of: Void.self) { group in
            for other in state.others {
                group.addTask {
                    while true {
                        let events = await other.nextBatch()
                        guard !events.isEmpty else { return }
                        if events.contains(where: \.mayChangeValues) { signal.yield() }
                    }
                }
            }
            group.addTask { await resolve(state, signals, send) }
            group.addTask { await handOn(first, of: state, isGap: isGap, send) }
            await group.next()
            signal.finish()
            state.cancel()
            group.cancelAll()
        }
    }

    /// Looks for other values after each change of the other tables, and has the table followed with those.
    private func resolve(
        _ state: FeedState,
        _ signals: AsyncStream<Void>,
        _ send: ([ChangeEvent]) -> Bool
    ) async {
        for await _ in signals {
            do throws(RemoteDataError) {
                let resolved = try await table.resolved(query)
                guard state.changes(to: resolved) else { continue }
                state.replace(by: try await table.base.subscribe(to: resolved, since: nil))
            } catch {
                _ = send([.interrupted(error)])
                return
            }
        }
    }

    private func handOn(
        _ first: ChangeFeed,
        of state: FeedState,
        isGap: Bool,
        _ send: ([ChangeEvent]) -> Bool
    ) async {
        var (source, isNew) = (first, isGap)
        while true {
            while true {
                let events = await source.nextBatch()
                if events.isEmpty { break }
                guard send(isNew ? [.reset] + events : events) else { return }
                isNew = false
            }
            // It ended because another takes its place, or with the table.
            guard let next = state.source, next !== source else { return }
            (source, isNew) = (next, true)
        }
    }
}

/// The feeds of a ``SubQueryFeed``.
private final class FeedState: Sendable {
    private struct Feeds {
        var source: ChangeFeed?
        var query: Query?
        var others: [ChangeFeed] = []
        var isOver = false
    }

    private let feeds = Mutex(Feeds())

    /// The feed that is handed on; nil once all is over.
    var source: ChangeFeed? { feeds.withLock { $0.source } }
    /// The feeds of the sub-queries' tables.
    var others: [ChangeFeed] { feeds.withLock { $0.others } }

    func follow(_ other: ChangeFeed) { feeds.withLock { $0.others.append(other) } }

    func begin(_ query: Query, _ source: ChangeFeed) {
        feeds.withLock { ($0.query, $0.source) = (query, source) }
    }

    /// Notes the query as it is resolved now; false when that is what it was.
    func changes(to query: Query) -> Bool {
        feeds.withLock { feeds in
            defer { feeds.query = query }
            return feeds.query != query
        }
    }

    /// Puts another feed in the place of the one that is handed on.
    func replace(by other: ChangeFeed) {
        let old = feeds.withLock { feeds -> ChangeFeed? in
            guard !feeds.isOver else { return other }
            defer { feeds.source = other }
            return feeds.source
        }
        old?.cancel()
    }

    func cancel() {
        let all = feeds.withLock { feeds in
            defer { feeds = Feeds(isOver: true) }
            return feeds.others + [feeds.source].compactMap(\.self)
        }
        for feed in all { feed.cancel() }
    }
}

extension ChangeEvent {
    /// Whether the values of a sub-query may be others behind it.
    fileprivate var mayChangeValues: Bool {
        switch self {
        case .change, .reset, .interrupted: true
        case .live, .progress: false
        }
    }
}
