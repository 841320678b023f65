import RemoteData
import RemoteDataExecution
import Synchronization

/// Sends what is in the outbox of a store, and tells how far it has come.
///
/// The file knows what is to be sent; this knows what is under way and whether the server answers. A turn takes writes from
/// the file, which notes that they may have been sent, and sends them; each answer is noted, and makes room for another turn.
final class OutboxCore: Sendable {
    struct State: Sendable {
        var remote: (@Sendable (String) -> (any Table)?)?
        var tables: [String: any Table] = [:]
        var options = OutboxOptions()
        var plan = SendingPlan()
        var schedule = RetrySchedule()
        /// What is being sent.
        var deliveries: [Int: Sending] = [:]
        var lastDelivery = 0
        /// What waits until nothing is being sent.
        var quietWaiters: [OneShot<Void>] = []
        var isTaking = false
        /// Whether something came while writes were being taken.
        var isMore = false
        var timer: Timer?
        /// What the device's clock last showed, in milliseconds since 1970.
        var lastTime: Int64 = 0
        var isClosed = false
        /// Whether this one sends, and no other process.
        var isSender = true
        /// Whether what was under way when another one ended is still to be sent again.
        var owesRecovery = false
        /// Why the server was last not heard from.
        var trouble: RemoteDataError?
        var waiters: [Int64: [Int: Waiter]] = [:]
        var lastWaiter = 0
        var pullers: [WeakPuller] = []
    }

    /// A request that is under way.
    struct Sending: Sendable {
        let task: Task<Void, Never>
        let rows: Set<RowPlace>
        /// The writes in it of which it is still to be known what became of them.
        var numbers: Set<Int64>
    }

    /// When it is looked again whether there is something to be sent.
    struct Timer: Sendable {
        let time: Duration
        let task: Task<Void, Never>
    }

    /// What brings rows of the server here, as long as it is used.
    struct WeakPuller: Sendable {
        weak let puller: Puller?
    }

    /// Who wants to know of a write.
    enum Waiter: Sendable {
        case end(OneShot<WriteState>)
        case stream(AsyncStream<WriteState>.Continuation)
    }

    let store: StoreCore
    let surroundings: Surroundings
    let state = Mutex(State())
    let lock: SenderLock
    private let watch: Stopwatch

    init(_ store: StoreCore, _ surroundings: Surroundings) {
        self.store = store
        self.surroundings = surroundings
        lock = SenderLock(path: store.writer.lockPath)
        watch = Stopwatch(surroundings.deadlineClock)
    }

    var now: Duration { watch.elapsed }

    /// What the store has changed concerns whoever waits, and may be sent.
    func hear(_ news: OutboxNews) {
        for task in state.withLock({ $0.note(news) }) { task.cancel() }
        var told: [(Waiter, WriteState)] = []
        state.withLock { state in
            guard !state.waiters.isEmpty else { return }
            for (number, writeState) in news.states {
                guard let waiters = state.waiters[number] else { continue }
                told += waiters.sorted { $0.key < $1.key }.map { ($0.value, writeState) }
                if writeState.isFinal { state.waiters[number] = nil }
            }
        }
        for (waiter, writeState) in told { waiter.hear(writeState) }
        for puller in pullers where news.doubtful.contains(puller.name) { puller.readAgain() }
        if news.hasWork { pump() }
    }

    /// What brings rows here that is still used.
    var pullers: [Puller] { state.withLock { $0.pullers.compactMap(\.puller) } }

    // MARK: Waiting

    /// How far a write has come.
    func state(of number: Int64) async throws(RemoteDataError) -> WriteState {
        try await store.read { (connection) throws(RemoteDataError) in
            let found = try connection.first(
                "SELECT state, error FROM outbox WHERE number = ?",
                [.integer(number)]
            ) { row -> WriteState in
                let error =
                    RemoteDataError(stored: row.text(1)) ?? RemoteDataError(.rejected, "It was refused.")
                return switch row.integer(0) {
                case 0: .queued
                case 1: .sending
                case 2: .dead(error)
                default: .rejected(error)
                }
            }
            if let found { return found }
            let forgotten = try connection.setting("forgottenWrites").flatMap { Int64($0) } ?? 0
            guard number > forgotten else {
                throw RemoteDataError(.gone, "What became of write \(number) is no longer known.")
            }
            return .acknowledged
        }
    }

    /// What finally becomes of a write.
    func end(of number: Int64, within limit: Duration?) async throws(RemoteDataError) -> WriteState {
        let answer = OneShot<WriteState>()
        let id = add(.end(answer), to: number)
        defer { remove(id, from: number) }
        // What happened before this was added, the file knows.
        let known = try await state(of: number)
        if known.isFinal { return known }
        let timer = limit.map { limit in
            Task(executorPreference: surroundings.executor) { [surroundings] in
                guard (try? await surroundings.deadlineClock.sleep(for: limit)) != nil else { return }
                answer.resume(
                    .failure(
                        RemoteDataError(
                            .timedOut,
                            "The server has not agreed within \(limit); the write waits."
                        )
                    )
                )
            }
        }
        defer { timer?.cancel() }
        return try await answer.awaited()
    }

    /// How far a write comes.
    func states(of number: Int64?) -> AsyncStream<WriteState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: WriteState.self,
            bufferingPolicy: .bufferingNewest(8)
        )
        guard let number else {
            continuation.yield(.acknowledged)
            continuation.finish()
            return stream
        }
        let id = add(.stream(continuation), to: number)
        continuation.onTermination = { [weak self] _ in self?.remove(id, from: number) }
        surroundings.start { [weak self] in
            guard let self, let known = try? await self.state(of: number) else {
                return continuation.finish()
            }
            Waiter.stream(continuation).hear(known)
        }
        return stream
    }

    /// Asks the file how far the writes have come that are waited for: another process sends them.
    func lookAgain() async {
        let numbers = state.withLock { $0.waiters.keys.sorted() }
        for number in numbers {
            guard let known = try? await state(of: number), known.isFinal else { continue }
            let waiters = state.withLock { $0.waiters.removeValue(forKey: number) } ?? [:]
            for waiter in waiters.values { waiter.hear(known) }
        }
    }

    private func add(_ waiter: Waiter, to number: Int64) -> Int {
        let (id, isClosed) = state.withLock { state in
            state.lastWaiter += 1
            if !state.isClosed { state.waiters[number, default: [:]][state.lastWaiter] = waiter }
            return (state.lastWaiter, state.isClosed)
        }
        if isClosed { waiter.end() }
        return id
    }

    private func remove(_ id: Int, from number: Int64) {
        state.withLock { state in
            state.waiters[number]?[id] = nil
            if state.waiters[number]?.isEmpty ?? false { state.waiters[number] = nil }
        }
    }
}

extension OutboxCore.State {
    /// Notes which writes are settled, as their events came before the answers.
    ///
    /// - Returns: What is not to be sent again, since it would come after a later write of one of its rows.
    fileprivate mutating func note(_ news: OutboxNews) -> [Task<Void, Never>] {
        let numbers = news.states.filter { $0.1.isFinal }.map(\.0)
        guard !numbers.isEmpty else { return [] }
        for key in deliveries.keys { deliveries[key]?.numbers.subtract(numbers) }
        return deliveries.sorted { $0.key < $1.key }.flatMap { overtaken(by: $0.value.rows, except: $0.key) }
    }

    /// Settled requests that have rows of another one.
    func overtaken(by rows: Set<RowPlace>, except number: Int) -> [Task<Void, Never>] {
        deliveries.sorted { $0.key < $1.key }
            .filter { $0.key != number && $0.value.numbers.isEmpty && !$0.value.rows.isDisjoint(with: rows) }
            .map(\.value.task)
    }
}

extension OutboxCore.Waiter {
    /// Nothing more is told, as the store has been closed.
    func end() {
        switch self {
        case .end(let answer): answer.resume(.failure(RemoteDataError.closed))
        case .stream(let continuation): continuation.finish()
        }
    }

    fileprivate func hear(_ state: WriteState) {
        switch self {
        case .end(let answer): if state.isFinal { answer.resume(.success(state)) }
        case .stream(let continuation):
            continuation.yield(state)
            if state.isFinal { continuation.finish() }
        }
    }
}
