public import RemoteData
import Synchronization

// What collections read is kept here; see `RemoteDataCollection.init(table:where:sort:options:cache:)`.
extension LocalStore: CollectionCache {}

extension LocalStore: QueryCache {
    /// Waits until everything is written that collections with this cache have read so far.
    ///
    /// They do that by themselves, soon; this is for programs that end, see ``close()``.
    public func flush() async {
        for link in links.withLock({ $0.opened.compactMap(\.link) }) {
            link.settle()
            schedule(link)
        }
        try? await core.writer.queue.run { _ in }
    }

    package func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
        links.withLock { links in
            links.opened.removeAll { $0.link == nil }
            links.opened.append(WeakLink(link: link))
        }
        let (query, table) = (link.query, link.table.name)
        return try await core.read { (connection) throws(RemoteDataError) in
            try connection.transaction("DEFERRED") { () throws(RemoteDataError) -> KeptQuery? in
                guard let record = try KeptRecord.read(query, table: table, from: connection),
                    let count = record.count
                else { return nil }
                let newest = try connection.first(
                    "SELECT newest FROM tables WHERE name = ? AND newest NOT NULL",
                    [.text(table)]
                ) { Revision($0.integer(0)) }
                let isUpToDate = newest.map { newest in record.revision.map { newest <= $0 } ?? false } ?? true
                return KeptQuery(
                    count: Count(count, revision: record.revision),
                    isOfOneMoment: record.isExact && isUpToDate && record.stale.all.isEmpty
                )
            }
        }
    }

    package func page(
        _ request: PageRequest,
        _ link: CacheLink,
        stale isStale: Bool
    ) async throws(RemoteDataError) -> Page? {
        if link.hasNotes {
            schedule(link)
            try await core.writer.queue.run { _ in }
        }
        let table = link.table.name
        guard let state = core.tables[table], let info = state.info else { return nil }
        let idColumn = idColumn
        return try await core.read { (connection) throws(RemoteDataError) in
            try KeptReader(connection, table: table, number: info.number, idColumn: idColumn)
                .page(request, stale: isStale)
        }
    }

    package func schedule(_ link: CacheLink) {
        let isFirst = links.withLock { links in
            links.waiting.append(link)
            return links.waiting.count == 1
        }
        if isFirst { core.writer.queue.schedule { [self] _ in writeNotes() } }
    }

    /// Writes what all links have noted; runs on the writer's queue.
    private func writeNotes() {
        let links = links.withLock { links in
            defer { links.waiting = [] }
            return links.waiting
        }
        for link in links {
            guard let batch = link.take() else { continue }
            do throws(RemoteDataError) {
                let outdated = try core.writer.changeNow { (transaction) throws(RemoteDataError) in
                    try transaction.write(batch, of: link.query, link.table.name)
                }
                link.wrote()
                if !outdated.isEmpty { link.refresh(outdated) }
            } catch {
                link.fail(error)
            }
        }
    }
}

/// The collections that a store is the cache of.
struct CacheLinks: Sendable {
    /// Those that have noted something to be written.
    var waiting: [CacheLink] = []
    /// All of them.
    var opened: [WeakLink] = []
}

struct WeakLink: Sendable {
    weak let link: CacheLink?
}
