import RemoteData
import RemoteDataExecution
import Synchronization

/// Brings what a server has into a table that is held whole, by its events and by polling.
///
/// Two tasks go on until it is stopped, whatever fails: one subscribes and applies events, one reads what
/// these cannot tell. Only one at a time reads or applies, so that an event is applied after the page that
/// was read while it came.
final class Puller: Sendable {
    struct State: Sendable {
        var plan: PollPlan
        var hasSynced = false
        /// Why the server could not be read from, as long as that is so.
        var error: RemoteDataError?
        var isStopped = false
        var tasks: [Task<Void, Never>] = []
        var reads: [Int: Task<Void, Never>] = [:]
        var lastRead = 0
        var feed: ChangeFeed?
        /// How many rows more the server counts than could be read of it.
        var unknownRows = 0
    }

    private let remote: any Table
    let name: String
    let store: StoreCore
    let outbox: OutboxCore
    let surroundings: Surroundings
    let state: Mutex<State>
    /// Who reads from the server.
    let turns = Turns()
    let pollPause: Pause
    let feedPause: Pause
    private let watch: Stopwatch

    init(_ remote: any Table, into store: LocalStore, name: String, rate: SyncRate) {
        self.remote = remote
        self.name = name
        self.store = store.core
        outbox = store.outboxCore
        surroundings = store.surroundings
        state = Mutex(State(plan: PollPlan(rate: rate)))
        (pollPause, feedPause) = (Pause(surroundings), Pause(surroundings))
        watch = Stopwatch(surroundings.deadlineClock)
    }

    var now: Duration { watch.elapsed }
    var hasSynced: Bool { state.withLock { $0.hasSynced } }
    var rate: SyncRate { state.withLock { $0.plan.rate } }
    var error: RemoteDataError? { state.withLock { $0.error } }

    /// The server's table, for one more request.
    ///
    /// - Throws: `RemoteDataError` with code `cancelled` once nothing more is to be asked.
    func server() throws(RemoteDataError) -> any Table {
        guard state.withLock({ !$0.isStopped }) else { throw .stopped(name) }
        return remote
    }

    var capabilities: Capabilities { remote.capabilities }
    var dates: DateConvention { remote.dates }

    // MARK: From outside

    func setRate(_ rate: SyncRate) {
        let feed = state.withLock { state in
            state.plan.rate = rate
            return rate == .off ? state.feed : nil
        }
        feed?.cancel()
        wake()
    }

    func setOffline(_ isOffline: Bool) {
        state.withLock { state in
            if state.plan.isOffline, !isOffline { state.plan.hurry() }
            state.plan.isOffline = isOffline
        }
        if !isOffline { remote.reconnect() }
        wake()
    }

    /// Ends the waits between attempts.
    func reconnect() {
        state.withLock { $0.plan.hurry() }
        remote.reconnect()
        wake()
    }

    /// The server has answered another request: what failed for a reason that may have passed is tried again
    /// now.
    func serverAnswered() {
        let isLate = state.withLock { state in
            guard let error = state.error, error.isTransient || error.code == .notFound else { return false }
            return state.plan.answered(at: now)
        }
        if isLate { wake() }
    }

    /// What is shown may be older than what the server has, and events do not tell.
    func readAgain() {
        state.withLock { $0.plan.missedEvents() }
        wake()
    }

    /// Ends the waits, to think again.
    func wake() {
        pollPause.cutShort()
        feedPause.cutShort()
    }

    func start() {
        if capabilities.liveChanges {
            state.withLock { $0.plan.subscribed(resuming: false, at: now) }
        }
        let polling = surroundings.start { [weak self] in
            while let self, self.isRunning { await self.pollTurn() }
        }
        let following = surroundings.start { [weak self] in
            while let self, self.isRunning { await self.feedTurn() }
        }
        state.withLock { $0.tasks = [polling, following] }
        outbox.add(self)
    }

    /// Ends for good: no request is made after this returns, and those under way are cancelled.
    func stop() {
        let (tasks, feed) = state.withLock { state in
            state.isStopped = true
            return (state.tasks + state.reads.values, state.feed)
        }
        for task in tasks { task.cancel() }
        feed?.cancel()
        wake()
        turns.end(.stopped(name))
    }

    private var isRunning: Bool { store.writer.queue.isOpen && !state.withLock { $0.isStopped } }
}

// MARK: - Polls

extension Puller {
    private static let longestWait: Duration = .seconds(3_600)

    /// Waits for the next poll, or makes it.
    private func pollTurn() async {
        let due = state.withLock { state in
            state.plan.isObserved = store.tables[name]?.hub.isListenedTo ?? false
            return state.plan.nextTime
        }
        guard let due, due <= now else {
            // Now and then it is thought again, as what the table can do may have become known.
            return await pollPause.wait(for: min(due.map { $0 - now } ?? Self.longestWait, Self.longestWait))
        }
        try? await pull(isAsked: false)
    }

    /// Pulls once, in turn with others who do.
    func pullNow() async throws(RemoteDataError) { try await pull(isAsked: true) }

    private func pull(isAsked: Bool) async throws(RemoteDataError) {
        do throws(RemoteDataError) {
            try await cancellable { [self] () async throws(RemoteDataError) in
                try await turns.take { () async throws(RemoteDataError) in
                    try await self.read(isAsked: isAsked)
                }
            }
        } catch {
            // Who does not want to wait any longer says nothing of the server.
            if !isAsked || error.code != .cancelled { note(error) }
            throw error
        }
    }

    private func read(isAsked: Bool) async throws(RemoteDataError) {
        let isAwaited = isAsked && capabilities.stamp == nil
        let kind = state.withLock { state in
            state.plan.began(at: now)
            return isAwaited ? state.plan.awaitedKind : state.plan.nextKind
        }
        do throws(RemoteDataError) { try await pull(kind) } catch {
            guard error.code == .notFound, try await !progress().isWhole,
                try await serverRows() ?? 0 == 0
            else { throw error }
            // There is nothing to be read until it has its first row, which is no failure.
            return state.withLock { state in
                state.plan.foundNoTable(at: now)
                (state.hasSynced, state.error) = (true, error)
            }
        }
        let wasLost = state.withLock { state in
            state.plan.succeeded(kind)
            state.hasSynced = true
            return state.error.take()?.isTransient ?? false
        }
        if wasLost { outbox.networkReturned() }
        feedPause.cutShort()
    }

    /// Runs a read that is cancelled when nothing more is to be asked.
    private func cancellable(
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Void
    ) async throws(RemoteDataError) {
        let answer = OneShot<Void>()
        let task = surroundings.start {
            do throws(RemoteDataError) { answer.resume(.success(try await body())) } catch {
                answer.resume(.failure(error))
            }
        }
        let number = state.withLock { state in
            state.lastRead += 1
            if !state.isStopped { state.reads[state.lastRead] = task }
            return state.lastRead
        }
        defer {
            task.cancel()
            state.withLock { $0.reads[number] = nil }
        }
        try await answer.awaited()
    }

    /// The server could not be read from.
    private func note(_ error: RemoteDataError) {
        state.withLock { state in
            state.plan.failed(error, at: now, chance: surroundings.chance())
            state.error = error
        }
    }
}

extension RemoteDataError {
    fileprivate static func stopped(_ name: String) -> RemoteDataError {
        RemoteDataError(.cancelled, "The table \(name) is no longer kept in step.")
    }
}
