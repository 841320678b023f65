public import RemoteData
import Synchronization

// What collections read is kept here; see `RemoteDataCollection.init(table:where:sort:options:cache:)`.
extension LocalStore: CollectionCache {}

extension LocalStore: QueryCache {
    /// Waits until everything is written that collections with this cache have read so far.
    ///
    /// They do that by themselves, soon; this is for programs that end, see ``close()``.
    public func flush() async {
        for link in links.state.withLock({ $0.opened.compactMap(\.link) }) {
            link.settle()
            schedule(link)
        }
        try? await core.writer.queue.run { _ in }
    }

    package func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
        links.state.withLock { links in
            links.opened.removeAll { $0.link == nil }
            links.opened.append(WeakLink(link: link))
        }
        guard let table = try await tableNumber(link.table.name) else { return nil }
        let (query, first, idColumn, isPlaced) = (link.query, link.firstRequest, idColumn, link.isPlaced)
        return try await core.read { (connection) throws(RemoteDataError) in
            let reader = KeptReader(connection, table: table, idColumn: idColumn, isPlaced: isPlaced)
            guard var kept = try reader.kept(query) else { return nil }
            if let first { kept.firstPage = try reader.page(first, stale: false) }
            return kept
        }
    }

    /// The number of a table, which another process may have made.
    private func tableNumber(_ name: String) async throws(RemoteDataError) -> Int64? {
        if core.tables[name]?.info == nil { try await core.writer.refresh() }
        return core.tables[name]?.info?.number
    }

    package func page(
        _ request: PageRequest,
        _ link: CacheLink,
        stale isStale: Bool,
        awaiting isAwaited: Bool
    ) async throws(RemoteDataError) -> Page? {
        if link.hasNotes {
            if !isAwaited, try await keptPage(request, link, stale: isStale) == nil { return nil }
            try await written(link)
        }
        return try await keptPage(request, link, stale: isStale)
    }

    /// The same of what is written by now.
    private func keptPage(
        _ request: PageRequest,
        _ link: CacheLink,
        stale isStale: Bool
    ) async throws(RemoteDataError) -> Page? {
        guard let table = core.tables[link.table.name]?.info?.number else { return nil }
        let (idColumn, isPlaced) = (idColumn, link.isPlaced)
        return try await core.read { (connection) throws(RemoteDataError) in
            try KeptReader(connection, table: table, idColumn: idColumn, isPlaced: isPlaced)
                .page(request, stale: isStale)
        }
    }

    package func written(_ link: CacheLink) async throws(RemoteDataError) {
        schedule(link)
        try await core.writer.queue.run { _ in }
    }

    package func schedule(_ link: CacheLink) {
        let isFirst = links.state.withLock { links in
            links.waiting.append(link)
            return links.waiting.count == 1
        }
        if isFirst { core.writer.queue.schedule { [self] _ in writeNotes() } }
    }

    /// Writes what all links have noted; runs on the writer's queue.
    private func writeNotes() {
        let links = links.state.withLock { links in
            defer { links.waiting = [] }
            return links.waiting
        }
        for link in links {
            guard let batch = link.take() else { continue }
            do throws(RemoteDataError) {
                let limit = limitToCheck(adding: batch.size)
                let outdated = try core.writer.changeNow { (transaction) throws(RemoteDataError) in
                    let outdated = try transaction.write(
                        batch,
                        of: link.query,
                        link.table.name,
                        isPlaced: link.isPlaced
                    )
                    if let limit { try transaction.evict(to: limit) }
                    return outdated
                }
                link.wrote()
                if !outdated.isEmpty { link.refresh(outdated) }
            } catch {
                link.fail(error)
            }
        }
    }
}

extension LocalStore {
    /// The most that is to be kept, when it is time to look whether there is more.
    private func limitToCheck(adding size: Int) -> Int? {
        guard let limit = cacheLimit else { return nil }
        return links.state.withLock { links in
            links.unchecked += size
            // The first time too, as another limit may have been given before.
            guard links.unchecked > limit / 20 else { return nil }
            links.unchecked = 0
            return limit
        }
    }
}

extension CacheBatch {
    /// How many bytes of rows it holds.
    fileprivate var size: Int {
        notes.reduce(0) { size, note in
            switch note {
            case .stretch(_, let rows, _), .staleStretch(_, let rows, _), .rows(let rows, _):
                rows.reduce(size) { $0 + $1.json.count }
            case .change(let change), .ownChange(let change), .lateChange(let change):
                size + (change.row?.json.count ?? 0)
            case .reached, .lost, .forgotten, .placed, .verified: size
            }
        }
    }
}

/// The collections that a store is the cache of.
final class CacheLinks: Sendable {
    struct State: Sendable {
        /// How many bytes of rows have come since it was last looked whether there are too many.
        var unchecked = Int.max / 2
        /// Those that have noted something to be written.
        var waiting: [CacheLink] = []
        /// All of them.
        var opened: [WeakLink] = []
    }

    let state = Mutex(State())
}

struct WeakLink: Sendable {
    weak let link: CacheLink?
}
