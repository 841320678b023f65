import Foundation
import RemoteData
import Synchronization

/// A table in memory, behind a network: everything asked of it takes a round trip, and the connection can break.
final class DistantTable: Table {
    let base: MemoryTable
    private let roundTrip: Duration
    private let feeds = Mutex<[ChangeFeed]>([])
    private let isReachable = Mutex(true)
    private let connected = Mutex<ContinuousClock.Instant?>(nil)

    init(_ base: MemoryTable, roundTrip: Duration) {
        self.base = base
        self.roundTrip = roundTrip
    }

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities }

    /// When the last subscription was asked for.
    var lastConnection: ContinuousClock.Instant? { connected.withLock { $0 } }

    /// Ends every subscription, and refuses new ones until ``restore()``.
    func breakConnection() {
        isReachable.withLock { $0 = false }
        let open = feeds.withLock { feeds in
            defer { feeds = [] }
            return feeds
        }
        for feed in open { feed.finish() }
    }

    func restore() { isReachable.withLock { $0 = true } }

    private func travel() async throws(RemoteDataError) {
        do { try await Task.sleep(for: roundTrip) } catch {
            throw RemoteDataError(.cancelled, "Nobody waits any more.")
        }
    }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try await travel()
        return try await base.count(query)
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await travel()
        return try await base.page(request)
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try await travel()
        return try await base.row(id)
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        try await travel()
        return try await base.commit(mutation, idempotencyKey: idempotencyKey)
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await travel()
        return try await base.changes(since: revision, limit: limit)
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        guard isReachable.withLock({ $0 }) else {
            throw RemoteDataError(.unreachable, "The connection is broken.", retryAfter: .milliseconds(1))
        }
        connected.withLock { $0 = .now }
        try await travel()
        let feed = try await base.subscribe(to: query, since: revision)
        feeds.withLock { $0.append(feed) }
        return feed
    }
}

/// From a new connection to rows that are right again, when the table does not know what was missed.
struct ReconnectBenchmarks {
    let rounds: Int
    private let roundTrip = Duration.milliseconds(20)

    func run(_ report: inout Report) throws {
        var collection = Measurement(name: "RemoteDataCollection")
        var reading = Measurement(name: "count and pages, read again")
        for _ in 0..<rounds {
            let (first, second) = try waitFor { try await self.round() }
            collection.seconds.append(first)
            reading.seconds.append(second)
        }
        collection.note = "from the subscription on"
        let title =
            "1000 rows right again after 10 deletions while away, resume refused, round trip 20 ms (target: under 1 s)"
        report.add(title, [collection, reading])
    }

    private func round() async throws -> (Double, Double) {
        let base = MemoryTable("people", logCapacity: 0)
        for start in stride(from: 0, to: 1_000, by: 100) {
            let drafts = try (start..<(start + 100)).map {
                try Draft(Person($0).row.json, idColumn: "objectId")
            }
            _ = try await base.commit(.create(drafts))
        }
        let table = DistantTable(base, roundTrip: roundTrip)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.populate()
        var statuses = people.liveStatuses.makeAsyncIterator()
        while let status = await statuses.next(), !status.isLive {}
        table.breakConnection()
        for number in 0..<10 { _ = try await base.commit(.delete(Person(number * 100).row.id)) }
        let connection = table.lastConnection
        table.restore()
        while table.lastConnection == connection { await Task.yield() }
        guard let start = table.lastConnection else { throw UsageError(message: "not connected") }
        while people.count != 990 || !people.isLoaded {
            try await people.populate()
            await Task.yield()
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        let again = ContinuousClock.now
        var (count, key) = (try await table.count(Query()).value, Key?.none)
        while count > 0 {
            let page = try await table.page(PageRequest(Query(), start: key.map { .after($0) } ?? .offset(0)))
            guard let last = page.rows.last else { break }
            key = Key(last, sort: [])
            count -= page.rows.count
        }
        return (seconds, again.duration(to: .now) / .seconds(1))
    }
}
