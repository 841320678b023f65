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

    /// The waits after failures.
    private static let backoff = Backoff(base: .seconds(1), cap: .seconds(60))

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
    private let watch: Stopwatch

    init(_ client: KintoClient, _ bucket: String, _ storage: KintoStorage, _ interval: Duration) {
        (self.client, self.bucket, self.storage, self.interval) = (client, bucket, storage, interval)
        watch = Stopwatch(client.clock)
    }

    /// Begins to follow a table; never waits.
    func subscribe(to table: String, _ query: Query, since revision: Revision?) -> ChangeFeed {
        let queue = tables.withLock { tables in
            let followed = tables[table] ?? Followed(queue: Queue(Machine(overlap: storage.overlap)))
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
        case .look(let number): run { await $0.look(number, table, queue) }
        case .ask(let number, let revision): run { await $0.ask(number, since: revision, table, queue) }
        case .wait(let number): start(after: interval, number, table, queue)
        case .waitLonger(let number, let failures, let wish):
            let wait = Self.backoff.delay(afterFailures: failures, atLeast: wish, chance: client.chance())
            start(after: wait, number, table, queue)
        case .stop: replaceTimer(of: table, with: nil)
        case .deliver(let id, let events): feeds.deliver(events, to: id)
        case .finish(let id): feeds.finish(id)
        }
    }

    private func run(_ body: @escaping @Sendable (KintoChanges) async -> Void) {
        Task(executorPreference: WorkerExecutor.background) { await body(self) }
    }

    /// Has a round begin after a while, and after the pause that the server asks for.
    private func start(after wait: Duration, _ number: Int, _ table: String, _ queue: Queue) {
        let wait = max(wait, client.rest)
        let timer = Task(executorPreference: WorkerExecutor.background) { [weak self, clock = client.clock] in
            guard (try? await clock.sleep(for: wait)) != nil else { return }
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

    private func look(_ number: Int, _ table: String, _ queue: Queue) async {
        do throws(RemoteDataError) {
            let identity = try await client.identity(of: table, requests(table))
            let list = requests(table).list(KintoConditions(), sort: "id", size: 1)
            let answer = try checked(try await client.send(list), table)
            guard let revision = answer.kintoRevision else { throw .unreadable(kinto: table, "no revision") }
            act(on: table, queue) { $0.looked(number, identity, revision, at: $1) }
        } catch {
            act(on: table, queue) { $0.failed(number, error, at: $1) }
        }
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
