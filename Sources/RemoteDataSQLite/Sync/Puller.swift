import RemoteData
import RemoteDataExecution
import Synchronization

/// Brings what a server has into a table that is held whole, by its events or by polling.
final class Puller: Sendable {
    struct State: Sendable {
        var plan: PollPlan
        var hasSynced = false
        /// Why the server could not be read from, as long as that is so.
        var error: RemoteDataError?
        var isStopped = false
        var work: Task<Void, Never>?
        /// Ends the wait for the next poll.
        var alarm: OneShot<Void>?
        /// Whether that was to end before it began.
        var isWoken = false
        var feed: ChangeFeed?
    }

    let remote: any Table
    let name: String
    let store: StoreCore
    let outbox: OutboxCore
    let surroundings: Surroundings
    let state: Mutex<State>
    /// Who reads from the server.
    let turns = Turns()
    private let watch: Stopwatch

    init(_ remote: any Table, into store: LocalStore, name: String, rate: SyncRate) {
        self.remote = remote
        self.name = name
        self.store = store.core
        outbox = store.outboxCore
        surroundings = store.surroundings
        state = Mutex(State(plan: PollPlan(rate: rate)))
        watch = Stopwatch(surroundings.deadlineClock)
    }

    var now: Duration { watch.elapsed }
    var hasSynced: Bool { state.withLock { $0.hasSynced } }
    var rate: SyncRate { state.withLock { $0.plan.rate } }

    var error: RemoteDataError? { state.withLock { $0.error } }

    /// The server could not be read from.
    func note(_ error: RemoteDataError) {
        state.withLock { state in
            state.plan.failed(error, at: now, chance: surroundings.chance())
            state.error = error
        }
    }

    func setRate(_ rate: SyncRate) {
        state.withLock { $0.plan.rate = rate }
        wake()
    }

    func setOffline(_ isOffline: Bool) {
        state.withLock { $0.plan.isOffline = isOffline }
        wake()
    }

    func start() {
        let work = surroundings.start { [weak self] in
            while let self, self.store.writer.queue.isOpen, !self.state.withLock({ $0.isStopped }) {
                await self.turn()
            }
        }
        state.withLock { $0.work = work }
        outbox.add(self)
    }

    func stop() {
        let (work, feed) = state.withLock { state in
            state.isStopped = true
            return (state.work, state.feed)
        }
        work?.cancel()
        feed?.cancel()
        wake()
        turns.end(.stopped(name))
    }

    /// Ends the wait for the next poll, to think again.
    func wake() {
        let alarm = state.withLock { state in
            state.isWoken = state.alarm == nil
            return state.alarm.take()
        }
        alarm?.resume(.success(()))
    }

    // MARK: Turns

    /// Follows the server's events as long as they come, or waits for the next poll and makes it.
    private func turn() async {
        if remote.capabilities.liveChanges, rate != .off, await follow() { return }
        let due = state.withLock { state in
            state.plan.isObserved = store.tables[name]?.hub.isListenedTo ?? false
            return state.plan.nextTime
        }
        guard due.map({ $0 <= now }) ?? false else { return await wait(until: due) }
        try? await pullNow()
    }

    private func wait(until due: Duration?) async {
        let alarm = OneShot<Void>()
        let isNeeded = state.withLock { state in
            defer { state.isWoken = false }
            guard !state.isWoken, !state.isStopped else { return false }
            state.alarm = alarm
            return true
        }
        guard isNeeded else { return }
        let limit = min(due.map { max(.zero, $0 - now) } ?? .seconds(3_600), .seconds(3_600))
        let timer = surroundings.start { [clock = surroundings.deadlineClock] in
            try? await clock.sleep(for: limit)
            alarm.resume(.success(()))
        }
        defer { timer.cancel() }
        try? await alarm.awaited()
    }

    /// Pulls once, in turn with others who do.
    func pullNow() async throws(RemoteDataError) {
        let kind = state.withLock { state in
            state.plan.began(at: now)
            return state.plan.nextKind
        }
        do throws(RemoteDataError) {
            try await turns.take { () async throws(RemoteDataError) in try await self.pull(kind) }
            state.withLock { state in
                state.plan.succeeded(kind)
                (state.hasSynced, state.error) = (true, nil)
            }
        } catch {
            note(error)
            throw error
        }
    }
}

extension RemoteDataError {
    fileprivate static func stopped(_ name: String) -> RemoteDataError {
        RemoteDataError(.cancelled, "The table \(name) is no longer kept in step.")
    }
}
