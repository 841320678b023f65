import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Follows the changes of a Kinto server for all subscribers to its tables: it is asked for them again and again.
///
/// What to do is decided by a ``KintoSubscriptions`` for each table that is followed; here it is done.
final class KintoChanges: Sendable {
    typealias Machine = KintoSubscriptions
    private typealias Queue = ActionQueue<Machine, Machine.Action>

    /// How often the identity of a collection is confirmed where rows are not looked for.
    private static let lookAge: Duration = .seconds(60)
    /// How many rows a sample has.
    private static let sampleSize = 200

    private struct Followed {
        let queue: Queue
        /// Has the next round begin.
        var timer: Task<Void, Never>?
    }

    private let tables = Mutex<[String: Followed]>([:])
    private let feeds = FeedRegistry()
    private let client: KintoClient
    private let bucket: String
    private let storage: KintoStorage
    private let interval: Duration
    /// How often rows are looked for that changes leave out; nil for never.
    private let auditInterval: Duration?
    private let watch: Stopwatch

    init(
        _ client: KintoClient,
        _ bucket: String,
        _ storage: KintoStorage,
        _ interval: Duration,
        auditInterval: Duration?
    ) {
        (self.client, self.bucket, self.storage, self.interval) = (client, bucket, storage, interval)
        self.auditInterval = auditInterval
        watch = Stopwatch(client.clock)
    }

    /// Begins to follow a table; never waits.
    func subscribe(to table: String, _ query: Query, since revision: Revision?) -> ChangeFeed {
        let queue = tables.withLock { tables in
            let age = auditInterval ?? Self.lookAge
            let machine = Machine(overlap: storage.overlap, lookAge: age)
            let followed = tables[table] ?? Followed(queue: Queue(machine))
            tables[table] = followed
            return followed.queue
        }
        let (id, feed) = feeds.add { [self] id in act(on: table, queue) { machine, _ in machine.end(id) } }
        act(on: table, queue) { $0.begin(id, query, since: revision, at: $1) }
        return feed
    }

    /// An answer has shown that a table has reached a revision.
    func note(_ revision: Revision, of table: String) {
        guard let queue = tables.withLock({ $0[table]?.queue }) else { return }
        act(on: table, queue) { $0.note(revision, at: $1) }
    }

    /// Notes rows of a page.
    func noteRead(_ rows: [Row], of table: String) {
        guard let queue = tables.withLock({ $0[table]?.queue }) else { return }
        act(on: table, queue) { machine, _ in
            machine.noteRead(rows)
            return []
        }
    }

    private func act(on table: String, _ queue: Queue, _ event: (inout Machine, Duration) -> [Machine.Action])
    {
        let now = watch.elapsed
        queue.act {
            event(&$0, now)
        } perform: {
            perform($0, table, queue)
        }
    }

    private func perform(_ action: Machine.Action, _ table: String, _ queue: Queue) {
        switch action {
        case .look(let number, let id): run { await $0.look(number, after: id, table, queue) }
        case .ask(let number, let revision): run { await $0.ask(number, since: revision, table, queue) }
        case .wait(let number):
            start(number, table, queue) { [clock = client.clock, wait = max(interval, client.rest)] in
                try await clock.sleep(for: wait)
            }
        case .waitLonger(let number, let failures, let error):
            let wish = max(error.retryAfter ?? .zero, client.rest)
            let backoff = error.code == .unauthorized ? ReconnectBackoff.refused : Backoff()
            let delay = backoff.delay(afterFailures: failures, atLeast: wish, chance: client.chance())
            start(number, table, queue) { [clock = client.clock, signal = client.signal] in
                try await signal.sleep(
                    for: delay,
                    atLeast: wish,
                    heedsAnswers: error.isOutage,
                    needsNetwork: true,
                    clock: clock
                )
            }
        case .stop: replaceTimer(of: table, with: nil)
        case .deliver(let id, let events): feeds.deliver(events, to: id)
        case .finish(let id): feeds.finish(id)
        }
    }

    private func run(_ body: @escaping @Sendable (KintoChanges) async -> Void) {
        Task(executorPreference: WorkerExecutor.background) { await body(self) }
    }

    /// Has a round begin after a wait.
    private func start(
        _ number: Int,
        _ table: String,
        _ queue: Queue,
        after wait: @escaping @Sendable () async throws -> Void
    ) {
        let timer = Task(executorPreference: WorkerExecutor.background) { [weak self] in
            guard (try? await wait()) != nil else { return }
            self?.act(on: table, queue) { $0.due(number, at: $1) }
        }
        replaceTimer(of: table, with: timer)
    }

    private func replaceTimer(of table: String, with timer: Task<Void, Never>?) {
        let last = tables.withLock { tables in
            defer { tables[table]?.timer = timer }
            return tables[table]?.timer
        }
        last?.cancel()
    }
}

// MARK: - Requests

extension KintoChanges {
    private func requests(_ table: String) -> KintoRequests {
        KintoRequests(base: client.base, bucket: bucket, table: table, timeouts: client.timeouts)
    }

    private func look(_ number: Int, after id: RowID?, _ table: String, _ queue: Queue) async {
        do throws(RemoteDataError) {
            let identity = try await client.identity(of: table, requests(table))
            let answer = try checked(try await client.send(requests(table).count(KintoConditions())), table)
            guard let revision = answer.kintoRevision else { throw .unreadable(kinto: table, "no revision") }
            let look = auditInterval == nil ? nil : try await sample(answer, after: id, table)
            act(on: table, queue) { $0.looked(number, identity, revision, look, at: $1) }
        } catch {
            act(on: table, queue) { $0.failed(number, error, at: $1) }
        }
    }

    /// Looks at a sample of the rows that were counted.
    private func sample(
        _ count: HTTPResponse,
        after id: RowID?,
        _ table: String
    ) async throws(RemoteDataError) -> RowAudit.Look {
        guard let total = count.headers["Total-Objects"].flatMap({ Int($0) }), total >= 0 else {
            throw .unreadable(kinto: table, "no total")
        }
        let request = requests(table).sample(after: id, size: Self.sampleSize)
        let list = try KintoList(try checked(try await client.send(request), table), table)
        return RowAudit.Look(
            count: total,
            sample: list.rows.map { ($0.id, $0.revision?.rawValue ?? 0) },
            isWhole: id == nil && !list.hasMore,
            next: list.hasMore ? list.last?.id : nil
        )
    }

    private func ask(_ number: Int, since revision: Revision, _ table: String, _ queue: Queue) async {
        do throws(RemoteDataError) {
            let answer = try await client.send(upTo: KintoTable.largestPage) { size in
                requests(table).changes(since: revision, size: size)
            }
            let list = try KintoList(try checked(answer, table), table)
            act(on: table, queue) { $0.answered(number, list, at: $1) }
        } catch {
            act(on: table, queue) { $0.failed(number, error, at: $1) }
        }
    }

    private func checked(_ answer: HTTPResponse, _ table: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else { throw .kinto(answer, "to follow \(table)", now: client.now()) }
        return answer
    }
}
